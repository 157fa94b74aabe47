//! What the kernel keeps commands from that no person was asked about.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use crate::host::Bench;

const HOOK: &str = "#!/bin/sh\ntouch ran\n";

/// Every command is allowed by rule; the files are there before.
fn bench() -> Bench {
    let files = [
        ("src/main.rs", "fn main() {}\n"),
        (".env", "KEY=hunter2\n"),
        ("keys/server.pem", "hunter2\n"),
        (".vscode/settings.json", "{}\n"),
        ("sub/CLAUDE.md", "Be kind.\n"),
        ("sub/package.json", "{}\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            ".git/config",
            "[core]\n\tbare = false\n\thooksPath = tools/hooks\n[include] path = ../tools/more.inc\n",
        ),
        ("tools/hooks/pre-push", HOOK),
        ("tools/more.inc", "[include] path = most.inc\n"),
        ("tools/most.inc", "[user]\n\tname = a\n"),
        (".git/hooks/pre-commit", HOOK),
    ];
    Bench::new(&files).with_rules(&[], &[], &["Bash"])
}

/// Runs a script whose text nobody judges.
async fn script(bench: &Bench, text: &str) -> String {
    std::fs::write(bench.root().join("go.sh"), text).unwrap();
    said(bench, json!({"argv": ["sh", "go.sh"]})).await
}

/// What a command said, whether it ended well or not.
async fn said(bench: &Bench, input: Value) -> String {
    match bench.call("run_shell", input).await {
        Ok(output) => output.text,
        Err(error) => format!("{error:?}"),
    }
}

#[tokio::test]
async fn what_is_there_stays_as_it_is() {
    for (path, text) in [
        (".vscode/settings.json", "echo x | tee .vscode/settings.json"),
        (".vscode/settings.json", "rm -rf .vscode"),
        (".vscode/settings.json", "mv .vscode elsewhere"),
        (".vscode/settings.json", "cp src/main.rs .vscode/settings.json"),
        (".vscode/settings.json", "truncate -s 0 .vscode/settings.json"),
        (".vscode/settings.json", "ln -f src/main.rs .vscode/settings.json"),
        (".vscode/settings.json", "ln .vscode/settings.json a; tee a"),
        ("sub/CLAUDE.md", "cp src/main.rs sub/CLAUDE.md"),
        ("sub/CLAUDE.md", "mv src/main.rs sub/CLAUDE.md"),
        (".git/config", "cp src/main.rs .git/config"),
        (".git/config", "git config core.fsmonitor ./x"),
        (".git/hooks/pre-commit", "cp src/main.rs .git/hooks/pre-commit"),
        (".git/hooks/pre-commit", "mv .git/hooks .git/old"),
        ("tools/hooks/pre-push", "cp src/main.rs tools/hooks/pre-push"),
        ("tools/more.inc", "cp src/main.rs tools/more.inc"),
        ("tools/most.inc", "cp src/main.rs tools/most.inc"),
    ] {
        let bench = bench();
        let before = bench.disk(path);
        script(&bench, text).await;
        assert_eq!(bench.disk(path), before, "{text}");
        assert!(bench.asked().is_empty(), "{text}: {:?}", bench.asked());
    }
}

#[tokio::test]
async fn what_was_not_there_is_taken_back_and_told() {
    for (path, text) in [
        (".vscode/tasks.json", "rm -f x; cp src/main.rs .vscode/tasks.json"),
        (
            "sub/.vscode/tasks.json",
            "mkdir sub/.vscode; cp src/main.rs sub/.vscode/tasks.json",
        ),
        ("src/SKILL.md", "cp src/main.rs src/SKILL.md"),
        ("AGENTS.md", "mv src/main.rs AGENTS.md"),
        (".claude", "ln -s src .claude"),
        (".git/hooks/post-commit", "cp src/main.rs .git/hooks/post-commit"),
        (".git/commondir", "echo ../evil > .git/commondir"),
        ("src/.git", "echo 'gitdir: /tmp/evil' > src/.git"),
        ("src/.git", "ln -s /tmp src/.git"),
        ("src/.GIT", "echo 'gitdir: /tmp/evil' > src/.GIT"),
        (
            "src/x/.git/commondir",
            "mkdir -p src/x/.git; echo ../.. > src/x/.git/commondir",
        ),
        (
            "sub/.idea/workspace.xml",
            "mkdir sub/.idea; cp src/main.rs sub/.idea/workspace.xml; chmod 555 sub/.idea sub",
        ),
        (
            "lib/.git/hooks/pre-commit",
            "mkdir -p lib/.git/hooks; cp src/main.rs lib/.git/hooks/pre-commit",
        ),
        // Git keeps a space at the end, and so does the folder's name.
        (
            "src/.git",
            "mkdir -p .git/modules/a /tmp/evil-a; ln -s /tmp/evil-a '.git/modules/a '; echo 'gitdir: ../.git/modules/a ' > src/.git",
        ),
        (
            "src/.git",
            "mkdir -p .git/modules/a; echo 'gitdir:../.git/modules/a' > src/.git",
        ),
        (
            "src/.git",
            "mkdir -p .git/modules/a; ln -s .git g; echo 'gitdir: ../g/modules/a' > src/.git",
        ),
        (
            "src/.git",
            "mkdir -p .git/modules/a x; echo 'gitdir: ../x/../.git/modules/a' > src/.git",
        ),
        (
            "src/.git",
            "mkdir -p .git/modules; echo 'gitdir: ../.git/modules' > src/.git",
        ),
        (
            ".git/worktrees/w/commondir",
            "mkdir -p '.git/worktrees/.. ' .git/worktrees/w; touch .git/worktrees/w/HEAD; echo '../.. ' > .git/worktrees/w/commondir",
        ),
        (".git/modules/b", "mkdir -p .git/modules; ln -s /tmp .git/modules/b"),
        (".git/modules", "ln -s /tmp .git/modules"),
        (
            ".git/remotes/origin",
            "mkdir .git/remotes; echo 'URL: /tmp/evil' > .git/remotes/origin",
        ),
        (
            ".git/branches/origin",
            "mkdir .git/branches; echo /tmp/evil > .git/branches/origin",
        ),
    ] {
        let bench = bench();
        let told = script(&bench, text).await;
        let is_there = bench.root().join(path).symlink_metadata().is_ok();
        assert!(!is_there, "{text}: {told}");
        assert!(bench.root().join("src").is_dir(), "{text}: {told}");
        let is_held = path.starts_with(".vscode") || path.starts_with(".git/hooks");
        assert_eq!(told.contains("took back"), !is_held, "{text}: {told}");
    }
}

#[tokio::test]
async fn what_is_taken_back_is_kept() {
    let bench = bench();
    let text = script(&bench, "cp src/main.rs AGENTS.md").await;
    let kept = text.split("it is kept as ").nth(1).unwrap().split(']').next().unwrap();
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "fn main() {}\n");
}

#[tokio::test]
async fn git_works_as_usual() {
    let bench = bench();
    for script in [
        "git init -q made && git -C made -c user.name=a -c user.email=b commit -q --allow-empty -m x",
        "git clone -q made copy && git -C copy log --oneline",
        "git -C made worktree add -q ../tree && git -C tree log --oneline",
    ] {
        let told = self::script(&bench, script).await;
        assert!(
            told.contains("[one-shot ok") && !told.contains("took back"),
            "{script}: {told}"
        );
    }
    assert!(bench.disk("copy/.git/config").unwrap().contains("remote"));
}

#[tokio::test]
async fn files_of_every_day_are_written() {
    let bench = bench();
    let text = script(&bench, "cp src/main.rs sub/package.json && cp src/main.rs Makefile").await;
    assert!(!text.contains("took back"), "{text}");
    assert_eq!(bench.disk("Makefile").as_deref(), Some("fn main() {}\n"));
}

#[tokio::test]
async fn secrets_are_not_read() {
    for text in [
        "find . -type f | xargs cat",
        "grep -r hunter2 .",
        "tar c . | tr -d '\\0'",
        "cp -r keys other; cat other/server.pem",
        "ln keys/server.pem a; cat a",
        "cat another",
    ] {
        let bench = bench();
        std::fs::hard_link(bench.root().join(".env"), bench.root().join("another")).unwrap();
        let told = script(&bench, text).await;
        assert!(
            !told.contains("hunter2\n") && !told.contains("=hunter2"),
            "{text}: {told}"
        );
    }
}

#[tokio::test]
async fn our_own_folders_are_closed_even_to_what_was_allowed() {
    let bench = bench();
    let state = bench.outside("state");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("token"), "hunter2").unwrap();
    let state = state.display().to_string();
    let text = script(&bench, &format!("cat {state}/token; ls {state}; touch {state}/new")).await;
    assert!(
        !text.contains("hunter2\n") && !bench.outside("state/new").exists(),
        "{text}"
    );
}

#[tokio::test]
async fn the_network_is_closed_and_the_loopback_interface_is_the_commands_own() {
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let connect = format!("import socket\ns = socket.create_connection(('127.0.0.1', {port}))\nprint('connected')");
    let python = |script: &str| json!({"argv": ["python3", "-c", script]});
    let bench = bench();
    let text = said(&bench, python(&connect)).await;
    assert!(!text.contains("connected\n") && text.contains("refused"), "{text}");
    let own = "import socket\nl = socket.create_server(('127.0.0.1', 0))\nsocket.create_connection(l.getsockname())\nprint('connected')";
    let text = said(&bench, python(own)).await;
    assert!(text.ends_with("connected"), "{text}");
    // Asked for, it is the machine's.
    let mut open = python(&connect);
    open["network"] = json!(true);
    bench.answer(&["allow"]);
    let text = said(&bench, open).await;
    assert!(text.ends_with("connected"), "{text}");
    assert_eq!(bench.asked().len(), 1);
}

#[tokio::test]
async fn no_socket_of_another_program_is_reached() {
    let bench = bench();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("door");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let script = format!(
        "import socket\nsocket.socketpair()\ns = socket.socket(socket.AF_UNIX)\ns.connect('{}')\nprint('connected')",
        path.display()
    );
    let text = said(&bench, json!({"argv": ["python3", "-c", script]})).await;
    assert!(
        !text.contains("connected\n") && text.contains("Permission denied"),
        "{text}"
    );
}

#[tokio::test]
async fn a_folder_with_held_files_is_put_back_in_its_place() {
    for (path, text) in [
        (".git/config", "mv .git old; cp -r old .git; cp src/main.rs .git/config"),
        (".git/config", "mv .git old; ln -s old .git"),
        ("sub/CLAUDE.md", "mv sub old; mkdir sub; cp src/main.rs sub/CLAUDE.md"),
    ] {
        let bench = bench();
        let before = bench.disk(path);
        let told = script(&bench, text).await;
        assert_eq!(bench.disk(path), before, "{text}: {told}");
        let is_fixed = path.starts_with(".git");
        assert_eq!(told.contains("took back"), !is_fixed, "{text}: {told}");
    }
    // It can't be moved to another place: that would take its held file away.
    let (bench, away) = (bench(), tempfile::tempdir().unwrap());
    let move_away = format!(
        "mv sub {}; mkdir sub; cp src/main.rs sub/CLAUDE.md",
        away.path().display()
    );
    let told = script(&bench, &move_away).await;
    assert_eq!(bench.disk("sub/CLAUDE.md").as_deref(), Some("Be kind.\n"), "{told}");
}

#[tokio::test]
async fn what_a_link_leads_to_is_meant() {
    let bench = bench();
    let root = bench.root();
    std::os::unix::fs::symlink("src/main.rs", root.join("CLAUDE.md")).unwrap();
    std::fs::rename(root.join(".env"), root.join("src/settings")).unwrap();
    std::os::unix::fs::symlink("src/settings", root.join(".env")).unwrap();
    let told = script(&bench, "echo x | tee CLAUDE.md src/main.rs; cat .env src/settings").await;
    assert_eq!(bench.disk("src/main.rs").as_deref(), Some("fn main() {}\n"), "{told}");
    assert!(!told.contains("=hunter2"), "{told}");
}

/// What keeps a repository in its place does not open the folder that it lies in.
#[tokio::test]
async fn a_repository_in_a_held_folder_is_held_with_it() {
    let bench = bench().with_rules(&["Edit(gen/**)", "Read(private/**)"], &[], &["Bash"]);
    for folder in [".claude/plugins/p", "gen/p", "private/p"] {
        let repository = bench.root().join(folder).join(".git");
        std::fs::create_dir_all(&repository).unwrap();
        std::fs::write(repository.join("HEAD"), "hunter2\n").unwrap();
        let attack = format!("echo x > {folder}/.git/HEAD; echo x > {folder}/.git/new; cat {folder}/.git/HEAD");
        let told = script(&bench, &attack).await;
        let text = bench.disk(&format!("{folder}/.git/HEAD"));
        assert_eq!(text.as_deref(), Some("hunter2\n"), "{folder}: {told}");
        assert!(!repository.join("new").exists(), "{folder}: {told}");
        let is_read = told.contains("hunter2\n");
        assert_eq!(is_read, !folder.starts_with("private"), "{folder}: {told}");
    }
}

#[tokio::test]
async fn folders_of_packages_are_no_place_to_hide() {
    for folder in ["node_modules", "target", "venv", ".venv", "__pycache__"] {
        let bench = bench().with_rules(&["Edit(*/p/gen/**)", "Read(*/p/private/**)"], &[], &["Bash"]);
        let files = [
            "p/.vscode/settings.json",
            "p/.git/config",
            "p/gen/a.rs",
            "p/private/a.txt",
            "p/.env",
            "p/a.js",
        ];
        for file in files {
            let path = bench.root().join(folder).join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "hunter2\n").unwrap();
        }
        let told = script(
            &bench,
            &format!(
                "cd {folder}; for f in {} p/AGENTS.md p/gen/b.rs p/q/.mcp.json; do mkdir -p $(dirname $f); echo x > $f; done; \
                 cat p/.env p/private/a.txt",
                files.join(" ")
            ),
        )
        .await;
        for file in &files[..4] {
            let text = bench.disk(&format!("{folder}/{file}"));
            assert!(
                text.as_deref() == Some("hunter2\n") || *file == files[3],
                "{folder}/{file}: {told}"
            );
        }
        for file in ["p/AGENTS.md", "p/gen/b.rs", "p/q/.mcp.json"] {
            assert_eq!(bench.disk(&format!("{folder}/{file}")), None, "{folder}/{file}: {told}");
        }
        assert_eq!(
            bench.disk(&format!("{folder}/p/a.js")).as_deref(),
            Some("x\n"),
            "{told}"
        );
        assert!(!told.contains("hunter2\n"), "{told}");
    }
}

/// What a folder held the last time is no word about now: neither where it moved, nor where another took its place.
#[tokio::test]
async fn what_changes_between_commands_is_seen() {
    let bench = bench();
    let root = bench.root();
    for folder in ["a/x", "b/x"] {
        std::fs::create_dir_all(root.join("node_modules").join(folder)).unwrap();
    }
    std::fs::write(root.join("node_modules/b/x/.env"), "hunter2\n").unwrap();
    let swap = || {
        for (from, to) in [("a", "c"), ("b", "a"), ("c", "b")] {
            std::fs::rename(root.join("node_modules").join(from), root.join("node_modules").join(to)).unwrap();
        }
    };
    for _ in 0..3 {
        let told = script(&bench, "cat node_modules/*/x/.env; echo x > node_modules/a/x/CLAUDE.md").await;
        assert!(!told.contains("hunter2\n") && told.contains("took back"), "{told}");
        swap();
    }
    std::fs::remove_dir_all(root.join("node_modules")).unwrap();
    std::fs::create_dir_all(root.join("node_modules/b/x")).unwrap();
    std::fs::write(root.join("node_modules/b/x/.netrc"), "hunter2\n").unwrap();
    let told = script(&bench, "cat node_modules/*/x/.netrc").await;
    assert!(!told.contains("hunter2\n"), "{told}");
}

#[tokio::test]
async fn what_a_rule_denies_is_not_made_either() {
    for is_asked in [false, true] {
        let allow: &[&str] = if is_asked { &[] } else { &["Bash"] };
        let bench = bench().with_rules(&["Edit(gen/**)", "Edit(a/b/c.txt)", "Edit(src/*.lock)"], &[], allow);
        if is_asked {
            bench.answer(&["allow"]);
        }
        let made = ["gen/x", "gen/deep/er/x", "a/b/c.txt", "src/new.lock"];
        let text = "for f in gen/x gen/deep/er/x a/b/c.txt a/b/d.txt src/new.lock; do mkdir -p $(dirname $f); echo x > $f; done";
        let told = script(&bench, text).await;
        for path in made {
            assert_eq!(bench.disk(path), None, "{path}: {told}");
        }
        assert_eq!(bench.disk("a/b/d.txt").as_deref(), Some("x\n"), "{told}");
        assert!(told.contains("took back"), "{told}");
    }
}

#[tokio::test]
async fn a_link_that_is_held_leads_where_it_did() {
    for text in [
        "ln -sfn src/evil CLAUDE.md",
        "rm CLAUDE.md; echo x > CLAUDE.md",
        "rm CLAUDE.md",
        "mv CLAUDE.md gone; ln -s src/evil CLAUDE.md",
    ] {
        let bench = bench();
        std::os::unix::fs::symlink("sub/CLAUDE.md", bench.root().join("CLAUDE.md")).unwrap();
        let told = script(&bench, text).await;
        let leads_to = std::fs::read_link(bench.root().join("CLAUDE.md"));
        assert_eq!(leads_to.ok(), Some("sub/CLAUDE.md".into()), "{text}: {told}");
        assert!(told.contains("took back CLAUDE.md"), "{text}: {told}");
    }
}

#[tokio::test]
async fn the_rights_of_folders_with_held_files_are_put_back() {
    use std::os::unix::fs::PermissionsExt;
    for (text, expected) in [
        ("chmod 000 sub", 0o750),
        ("chmod 777 sub", 0o750),
        ("echo x > sub/AGENTS.md; chmod 500 sub", 0o750),
        ("chmod 700 sub", 0o700),
    ] {
        let bench = bench();
        let folder = bench.root().join("sub");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o750)).unwrap();
        let told = script(&bench, text).await;
        let now = std::fs::metadata(&folder).unwrap().permissions().mode() & 0o7777;
        assert_eq!(now, expected, "{text}: {told}");
    }
}

/// A folder that nobody can look into may hold anything. Root looks into all, so that names count.
#[tokio::test]
async fn a_closed_folder_is_not_opened() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench();
    let closed = bench.root().join("closed");
    std::fs::create_dir_all(closed.join(".vscode")).unwrap();
    std::fs::write(closed.join(".vscode/settings.json"), "{}\n").unwrap();
    std::fs::write(closed.join(".env"), "KEY=hunter2\n").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).unwrap();
    let told = script(
        &bench,
        "chmod 755 closed; cat closed/.env; echo x > closed/.vscode/settings.json; echo x > closed/CLAUDE.md",
    )
    .await;
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        bench.disk("closed/.vscode/settings.json").as_deref(),
        Some("{}\n"),
        "{told}"
    );
    assert_eq!(bench.disk("closed/CLAUDE.md"), None, "{told}");
    assert!(!told.contains("=hunter2"), "{told}");
}

#[tokio::test]
async fn git_is_to_run_nothing_as_it_goes_on() {
    const TODO: &str = ".git/rebase-merge/git-rebase-todo";
    for (file, before, text, is_kept) in [
        (TODO, None, "exec touch ran\n", false),
        (TODO, None, "pick abc\n  x\ttouch ran\n", false),
        (TODO, None, "pick abc\n", true),
        (TODO, Some("pick abc\n"), "pick abc\nexec touch ran\n", false),
        (
            TODO,
            Some("pick abc\nexec make\npick def\n"),
            "exec make\npick def\n",
            true,
        ),
        (TODO, Some("exec make\n"), "exec make all\n", false),
        (".git/rebase-merge/strategy", None, "x/evil\n", false),
        (".git/rebase-merge/strategy", Some("mine\n"), "mine\n", true),
        (".git/rebase-merge/strategy", Some("mine\n"), "evil\n", false),
        (".git/rebase-merge/strategy", None, "ort\n", true),
        (
            ".git/rebase-merge/strategy_opts",
            None,
            "--index-output=.vscode/x\n",
            false,
        ),
        (".git/rebase-merge/strategy_opts", None, " --ours\n", true),
        (".git/worktrees/w/rebase-merge/strategy", None, "x/evil\n", false),
        (".git/modules/m/rebase-merge/strategy", None, "x/evil\n", false),
        (".git/sequencer/opts", None, "[options]\n\tstrategy = x/evil\n", false),
        (".git/sequencer/opts", None, "[options]\n\tsignoff = true\n", true),
        (".git/rebase-apply/author-script", None, "touch ran\n", false),
        (".git/BISECT_NAMES", None, " $(touch ran)\n", false),
    ] {
        let bench = bench();
        // A submodule is one by what is in it.
        let module = bench.root().join(".git/modules/m");
        for part in ["HEAD", "objects/x", "refs/x"] {
            crate::host::write(&module.join(part), "");
        }
        let place = bench.root().join(file);
        if let Some(before) = before {
            crate::host::write(&place, before);
        }
        std::fs::write(bench.root().join("text"), text).unwrap();
        let told = script(&bench, &format!("mkdir -p $(dirname {file}); cat text > {file}")).await;
        assert_eq!(!told.contains("took back"), is_kept, "{file}: {text}: {told}");
        if !is_kept {
            assert_eq!(bench.disk(file).as_deref(), before, "{file}: {text}: {told}");
        }
    }
}

/// What the project's own script does, which npm runs, where there is npm.
#[tokio::test]
async fn what_installs_fills_folders_of_packages() {
    for (argv, is_kept) in [(["npm", "install"], true), (["npm", "test"], false)] {
        let bench = bench();
        let script =
            "mkdir -p node_modules/p; echo x > node_modules/p/AGENTS.md; rm -rf node_modules/q; echo x > AGENTS.md";
        std::fs::create_dir_all(bench.root().join("node_modules/q/.vscode")).unwrap();
        std::fs::write(
            bench.root().join("package.json"),
            json!({"scripts": {"install": script, "test": script}}).to_string(),
        )
        .unwrap();
        let told = said(&bench, json!({"argv": argv})).await;
        if told.contains("failed to spawn") {
            continue;
        }
        assert_eq!(bench.disk("node_modules/p/AGENTS.md").is_some(), is_kept, "{told}");
        assert_eq!(!bench.root().join("node_modules/q").exists(), is_kept, "{told}");
        assert_eq!(bench.disk("AGENTS.md"), None, "{told}");
    }
}

#[tokio::test]
async fn devices_that_any_program_uses_are_there_and_no_others() {
    let bench = bench();
    for script in [
        "echo x > /dev/null && head -c 4 /dev/urandom | wc -c && echo good > /dev/stdout",
        "bash -c 'cat <(echo good)'",
        "python3 -c 'import os, pty; m, s = pty.openpty(); os.write(s, b\"good\"); print(os.read(m, 4).decode(), os.ttyname(s))'",
        "python3 -c 'import multiprocessing; multiprocessing.Lock(); print(\"good\")'",
        "[ ! -b /dev/vda ] && [ ! -b /dev/sda ] && [ ! -e /dev/kvm ] && ! (echo x > /dev/new) 2> /dev/null && echo good",
    ] {
        let told = self::script(&bench, script).await;
        assert!(
            told.contains("one-shot ok") && told.contains("good"),
            "{script}: {told}"
        );
    }
}

/// Landlock knows nothing of rights, times and attributes.
#[tokio::test]
async fn nothing_of_a_file_outside_changes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    for is_asked in [false, true] {
        let allow: &[&str] = if is_asked { &[] } else { &["Bash"] };
        let bench = bench().with_rules(&[], &[], allow);
        if is_asked {
            bench.answer(&["allow"]);
        }
        let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let file = outside.path().canonicalize().unwrap().join("file");
        std::fs::write(&file, "mine").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let state = |path: &std::path::Path| {
            let metadata = std::fs::metadata(path).unwrap();
            (metadata.mode(), metadata.mtime(), metadata.uid(), metadata.ctime_nsec())
        };
        let before = [state(&file), state(outside.path())];
        let told = script(
            &bench,
            &format!(
                "f={0}; chmod 4777 $f $(dirname $f); touch -d 2000-01-01 $f; chown 1 $f; setfattr -n user.a -v b $f; \
                 echo x > $f; echo ran",
                file.display()
            ),
        )
        .await;
        assert!(told.contains("ran"), "{told}");
        assert_eq!([state(&file), state(outside.path())], before, "{told}");
    }
}

/// The same files by another path: what is mounted in two places.
#[test]
fn what_is_mounted_twice_is_held_twice() {
    const INSIDE: &str = "SKILLS_TEST_ALIAS";
    if let Some(alias) = std::env::var_os(INSIDE) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        return runtime.block_on(attack_alias(alias.as_ref()));
    }
    let alias = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let again = std::process::Command::new("unshare")
        .args(["-Urm", "--propagation", "private"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "sandbox::what_is_mounted_twice_is_held_twice", "--nocapture"])
        .env(INSIDE, alias.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stderr).into_owned() + &String::from_utf8_lossy(&again.stdout);
    // A machine without namespaces has no second mounts to try either.
    assert!(again.status.success() || said.contains("unshare failed"), "{said}");
}

async fn attack_alias(alias: &std::path::Path) {
    let bench = bench();
    crate::host::write(&bench.outside("state/token"), "hunter2\n");
    let above = bench.root().parent().unwrap().to_owned();
    let mounted = std::process::Command::new("mount")
        .arg("--bind")
        .args([above.as_path(), alias])
        .status();
    assert!(mounted.unwrap().success());
    let told = script(
        &bench,
        &format!(
            "cd {0}; cat w/.env state/token w/keys/server.pem; ls state; echo x > w/.vscode/settings.json; \
             echo x > w/.git/config; echo x > w/.git/hooks/pre-commit; mv w/.vscode w/x; chmod 777 w/.git/config; echo ran",
            alias.display()
        ),
    )
    .await;
    assert!(
        told.contains("ran") && !told.contains("hunter2\n") && !told.contains("=hunter2"),
        "{told}"
    );
    assert_eq!(bench.disk(".vscode/settings.json").as_deref(), Some("{}\n"), "{told}");
    assert_eq!(bench.disk(".git/hooks/pre-commit").as_deref(), Some(HOOK), "{told}");
}

/// One command makes a link in the place of a folder that the person lets commands write to, for the next one.
#[tokio::test]
async fn a_link_is_no_place_to_write() {
    let mut bench = bench();
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let free = bench.outside("free");
    bench.shell.writable = vec![free.clone()];
    let link = format!("ln -s {} {}; echo ran", outside.path().display(), free.display());
    let told = script(&bench, &link).await;
    assert!(told.contains("ran") && free.is_symlink(), "{told}");
    let told = script(&bench, &format!("echo won > {}/x; echo ran", free.display())).await;
    assert!(told.contains("ran") && !outside.path().join("x").exists(), "{told}");
}

/// A command moves what another one must not read to where nobody looks.
#[tokio::test]
async fn what_lies_too_deep_is_closed_where_something_is_missing() {
    let bench = bench();
    let deep = vec!["d"; 45].join("/");
    let reads = format!("base64 {deep}/keys/server.pem; ls {deep}; echo ran");
    std::fs::create_dir_all(bench.root().join(&deep)).unwrap();
    std::fs::write(bench.root().join(&deep).join("plain"), "").unwrap();
    let told = script(&bench, &reads).await;
    assert!(told.contains("plain"), "{told}");
    let moves = format!("mv keys {deep}/; touch moved; exec sleep 1000");
    std::fs::write(bench.root().join("mover.sh"), moves).unwrap();
    bench
        .text("run_shell", json!({"argv": ["sh", "mover.sh"], "background": true}))
        .await;
    while !bench.root().join("moved").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let told = script(&bench, &reads).await;
    assert!(told.contains("ran") && !told.contains("plain"), "{told}");
    assert!(bench.root().join(&deep).join("keys/server.pem").exists(), "{told}");
}

/// Whoever starts a server may have left files and sockets open for whatever it starts.
#[tokio::test]
async fn what_the_server_was_given_is_not_handed_on() {
    use rustix::io::{FdFlags, fcntl_setfd};
    let bench = bench();
    let open = std::fs::File::open(bench.root().join(".env")).unwrap();
    fcntl_setfd(&open, FdFlags::empty()).unwrap();
    for input in [
        json!({"argv": ["sh", "go.sh"]}),
        json!({"argv": ["sh", "go.sh"], "unsandboxed": true}),
    ] {
        bench.answer(&["allow"]);
        std::fs::write(bench.root().join("go.sh"), "ls -l /proc/self/fd").unwrap();
        let said = said(&bench, input).await;
        assert!(said.contains("/dev/null"), "{said}");
        assert!(!said.contains(".env") && !said.contains("hunter2"), "{said}");
    }
    drop(open);
}

/// A command can make more than anybody reads.
#[tokio::test]
async fn of_very_much_that_is_taken_back_only_some_is_reported_one_by_one() {
    let bench = bench();
    let said = script(
        &bench,
        "for n in $(seq 300); do mkdir d$n; echo won > d$n/AGENTS.md; done",
    )
    .await;
    let lines = said.lines().filter(|line| line.contains("took back")).count();
    assert_eq!(lines, 50, "{said}");
    assert!(said.contains("and 250 more were taken back"), "{said}");
    let is_left = (1..=300).any(|number| bench.root().join(format!("d{number}/AGENTS.md")).exists());
    assert!(!is_left);
}

/// Commands write to temporary folders, and a person may have such a folder in PATH.
#[tokio::test]
async fn what_the_person_starts_by_name_is_no_commands_work() {
    use std::os::unix::fs::PermissionsExt;
    const FOLDER: &str = "SKILLS_TEST_PROGRAMS";
    let Some(folder) = std::env::var_os(FOLDER).map(std::path::PathBuf::from) else {
        let folder = tempfile::tempdir().unwrap();
        let known = std::env::var_os("PATH").unwrap_or_default();
        let known = std::env::split_paths(&known).collect::<Vec<_>>();
        let path = std::env::join_paths([folder.path().to_owned()].into_iter().chain(known)).unwrap();
        let name = "sandbox::what_the_person_starts_by_name_is_no_commands_work";
        let run = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact"])
            .envs([("PATH", path), (FOLDER, folder.path().into())])
            .output();
        let run = run.unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
        return;
    };
    let made = folder.join("made");
    let said_of_it = script(&bench(), &format!("echo won > {}", made.display())).await;
    assert!(!made.exists(), "{said_of_it}");
    std::fs::write(&made, "#!/bin/sh\necho won\n").unwrap();
    std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
    let bench = bench().with_rules(&[], &[], &["run_shell_unsandboxed"]);
    let input = json!({"argv": ["made"], "unsandboxed": true});
    let told = said(&bench, input.clone()).await;
    assert!(told.contains("failed to spawn"), "{told}");
    let told = said(&bench, json!({"argv": ["echo", "ours"], "unsandboxed": true})).await;
    assert!(told.contains("ours") && bench.asked().is_empty(), "{told}");
    // Who sees it decides.
    let bench = self::bench().with_rules(&[], &[], &[]);
    bench.answer(&["allow"]);
    let told = said(&bench, input).await;
    assert!(told.contains("won"), "{told}");
}
