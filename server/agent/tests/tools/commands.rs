//! What rules mean for commands: what they cover, what they close, and how a command may run.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use skills_agent::host::ApplyError;
use skills_agent::permission::{Asking, CommandRequest, Leave, git_environment};

use crate::host::{Bench, write};

struct How {
    is_sandboxed: bool,
    wants_network: bool,
}

const CLOSED: How = How {
    is_sandboxed: true,
    wants_network: false,
};
const NETWORK: How = How {
    is_sandboxed: true,
    wants_network: true,
};
const UNSANDBOXED: How = How {
    is_sandboxed: false,
    wants_network: false,
};

async fn leave_in(bench: &Bench, cwd: &Path, line: &str, how: &How) -> Result<Leave, ApplyError> {
    let argv = argv(line);
    let asking = Asking {
        host: &*bench.context.host,
        turn: &bench.context.turn,
        cancel: &bench.context.cancel,
    };
    let request = CommandRequest {
        argv: &argv,
        folder: &bench.context.workspace.folders()[0],
        cwd,
        detail: "",
        is_sandboxed: how.is_sandboxed,
        wants_network: how.wants_network,
        changes: &bench.context.changes,
        skill: None,
    };
    bench.context.permissions.before_command(asking, request).await
}

async fn leave(bench: &Bench, line: &str, how: &How) -> Result<Leave, ApplyError> {
    leave_in(bench, &bench.root(), line, how).await
}

/// What happens to a command where nobody answers.
async fn fate(bench: &Bench, line: &str) -> &'static str {
    let before = bench.asked().len();
    let left = leave(bench, line, &CLOSED).await;
    match left {
        Ok(leave) => {
            assert!(!leave.is_answered && !leave.opens_network, "{line}");
            "runs"
        }
        Err(_) if bench.asked().len() > before => "asks",
        Err(error) => {
            assert!(error.to_string().contains("rule "), "{line}: {error}");
            "denied"
        }
    }
}

/// Whether rules leave commands a path to read and to write.
fn access(bench: &Bench, path: &str) -> (bool, bool) {
    let context = &bench.context;
    let rules = context.permissions.path_rules(&context.turn, &context.workspace);
    let place = bench.root().join(path);
    rules.map_or((true, true), |rules| {
        let access = rules.access(place.to_str().map(|it| Path::new(it.trim_end_matches('/'))).unwrap());
        (access.read, access.write)
    })
}

/// The words of a line; what stands between `'` is one.
fn argv(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// A command, and others that do something else: a rule that was offered for the one covers none of the others.
const OTHERS: &[(&str, &[&str])] = &[
    (
        "git status",
        &[
            "git status -s",
            "git -C lib status",
            "git --git-dir=lib status",
            "git -c a=b status",
            "git status; x",
        ],
    ),
    (
        "git log",
        &["git log --output=x", "git log --outp=x", "git log -p --ext-diff"],
    ),
    (
        "git fetch",
        &[
            "git fetch --upload-pac=x",
            "git fetch --upload-pack x",
            "git fetch ext::x",
        ],
    ),
    ("git grep a", &["git grep -Ox a", "git grep --open-files-in-pager=x a"]),
    (
        "git config user.name",
        &["git config user.name x", "git config core.fsmonitor x"],
    ),
    ("git branch", &["git branch -D main", "git branch -m x"]),
    ("git show HEAD", &["git show HEAD:.env", "git show --output=x HEAD"]),
    (
        "git archive HEAD",
        &["git archive --remote=x --exec=y HEAD", "git archive -o x HEAD"],
    ),
    ("git rebase main", &["git rebase -x y main", "git rebase --exec y main"]),
    ("git bisect log", &["git bisect run x"]),
    (
        "sort a",
        &[
            "sort --output=b a",
            "sort --outp b a",
            "sort -ob a",
            "sort --compress-pro=x a",
        ],
    ),
    (
        "sed -n p a",
        &[
            "sed -ni p a",
            "sed -n 'w b' a",
            "sed -n 'e x' a",
            "sed -n --in-place=x p a",
        ],
    ),
    (
        "tar tf a",
        &[
            "tar tf a --checkpoint-act=exec=x --checkpoint=1",
            "tar xf a",
            "tar tf a --use-compress-pro=x",
        ],
    ),
    (
        "awk 1 a",
        &["awk 'BEGIN{system(\"x\")}' a", "awk -f x a", "awk '{print > \"b\"}' a"],
    ),
    (
        "gcc a.c",
        &[
            "gcc -wrapper x a.c",
            "gcc @x a.c",
            "gcc -o .git/hooks/pre-commit a.c",
            "gcc -fplugin=x a.c",
        ],
    ),
    ("make", &["make -f x", "make SHELL=x", "make --eval=x", "make -C lib"]),
    ("cp a b", &["cp -t.git/hooks a", "cp a .git/config", "cp a c"]),
    (
        "curl https://a.example",
        &[
            "curl -d@.env https://a.example",
            "curl -o x https://a.example",
            "curl -K x",
        ],
    ),
    ("grep a b", &["grep -r a", "grep -r a .", "grep -f .env b"]),
    ("find .", &["find . -delete", "find . -fprint x", "find . -execdir x ;"]),
    ("rg a", &["rg --pre=x a", "rg --pre x a"]),
    (
        "npm test",
        &["npm test -- x", "npm --prefix lib test", "npm test --script-shell=x"],
    ),
    (
        "cargo test",
        &["cargo --config x test", "cargo test --manifest-path x", "cargo +x test"],
    ),
    ("vim -es a", &["vim -es -c x a"]),
    ("ssh a", &["ssh -oProxyCommand=x a", "ssh a x"]),
    ("python3 a.py", &["python3 -c x a.py", "python3 a.py x"]),
    ("jq . a", &["jq . .env", "jq -f x a"]),
    ("ls", &["ls .ssh", "./ls", "/tmp/ls"]),
];

#[tokio::test]
async fn the_rule_that_is_offered_allows_nothing_else() {
    for (line, others) in OTHERS {
        let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
        bench.answer(&["allowSession"]);
        leave(&bench, line, &CLOSED).await.unwrap();
        assert_eq!(fate(&bench, line).await, "runs", "{line}");
        for other in *others {
            assert_eq!(fate(&bench, other).await, "asks", "{line} · {other}");
        }
        for how in [NETWORK, UNSANDBOXED] {
            assert!(
                leave(&bench, line, &how).await.is_err(),
                "{line}: neither the network nor more"
            );
        }
    }
}

#[tokio::test]
async fn what_denies_sees_a_command_however_it_is_spelt() {
    let all = &["Bash"];
    for (rule, denied, free) in [
        (
            "Bash(git push:*)",
            &[
                "git push",
                "git -C . push",
                "git --no-pager push",
                "git -c a=b push",
                "git -ca=b push",
                "git --git-dir=x push",
                "git --git-dir x --work-tree y push origin",
                "git -c alias.p=push p",
                "git -c 'alias.p=!git push' p",
                "/usr/lib/git-core/git-push",
                "/usr/bin/git -P push",
                "env -i git -C . push",
                "sh -c 'true; git --no-pager push'",
                "sh -c 'echo $(git -C . push)'",
                "nice -n 5 git -C . push",
                "find . -exec git -C {} push ;",
            ][..],
            &["git log push", "git stash list", "git commit -m push"][..],
        ),
        (
            "Bash(npm publish:*)",
            &["npm --registry x publish", "npm -w a publish"],
            &["npm test"],
        ),
        (
            "Bash(npm install:*)",
            &["npm i x", "npm --prefix x add y"],
            &["npm test"],
        ),
        (
            "Bash(cargo publish:*)",
            &["cargo +nightly publish", "cargo --config x publish"],
            &["cargo test"],
        ),
        ("Bash(docker push:*)", &["docker --context x push y"], &["docker ps"]),
        (
            "Bash(kubectl delete:*)",
            &["kubectl -n x delete pod y"],
            &["kubectl get pod"],
        ),
        ("Bash(gh repo delete:*)", &["gh repo -R a/b delete"], &["gh repo view"]),
        ("Bash(go run:*)", &["go -C x run ."], &["go test"]),
        ("PowerShell(rm:*)", &["rm x"], &["ls"]),
        // What is no rule holds for the whole tool, or for all.
        ("bash(touch:*)", &["touch x", "ls"], &[]),
        ("Bash(touch", &["ls"], &[]),
        ("Bsh(touch:*)", &["ls"], &[]),
    ] {
        let bench = Bench::new(&[]).with_rules(&[rule], &[], all);
        for line in denied {
            assert_eq!(fate(&bench, line).await, "denied", "{rule} · {line}");
            for how in [NETWORK, UNSANDBOXED] {
                assert!(leave(&bench, line, &how).await.is_err(), "{rule} · {line}");
            }
        }
        for line in free {
            assert_eq!(fate(&bench, line).await, "runs", "{rule} · {line}");
        }
        assert!(bench.asked().is_empty(), "{rule}: nobody is asked");
        // The same rule where it asks.
        let bench = Bench::new(&[]).with_rules(&[], &[rule], all);
        for line in denied {
            assert_eq!(fate(&bench, line).await, "asks", "{rule} · {line}");
        }
    }
}

#[tokio::test]
async fn a_rule_about_one_kind_of_run_leaves_the_others() {
    let bench = Bench::new(&[]).with_rules(&["run_shell_unsandboxed"], &[], &["Bash", "run_shell_unsandboxed"]);
    assert!(leave(&bench, "ls", &CLOSED).await.is_ok());
    assert!(leave(&bench, "ls", &UNSANDBOXED).await.is_err());
    let bench = Bench::new(&[]).with_rules(&["run_shell_network(npm:*)"], &[], &["Bash", "run_shell_network"]);
    assert_eq!(fate(&bench, "npm ci").await, "runs", "with the network closed");
    assert!(leave(&bench, "npm ci", &NETWORK).await.is_err());
    assert!(leave(&bench, "cargo fetch", &NETWORK).await.is_ok());
}

#[tokio::test]
async fn the_network_opens_by_an_answer_or_a_rule_of_its_own() {
    let rules = &[
        "Bash(npm:*)",
        "run_shell_network(npm install:*)",
        "run_shell_unsandboxed(npm audit)",
    ];
    let by_rule = |opens_network| {
        Some(Leave {
            asked: false,
            is_answered: false,
            opens_network,
        })
    };
    for (line, how, expected) in [
        ("npm test", CLOSED, by_rule(false)),
        ("npm test", NETWORK, None),
        ("npm install x", CLOSED, by_rule(true)),
        ("npm install x", NETWORK, by_rule(true)),
        ("sh -c 'npm install && npm test'", CLOSED, by_rule(false)),
        ("sh -c 'npm install && npm test'", NETWORK, None),
        ("npm audit", UNSANDBOXED, by_rule(true)),
        ("npm install x", UNSANDBOXED, None),
        ("cargo fetch", CLOSED, None),
    ] {
        let bench = Bench::new(&[]).with_rules(&[], &[], rules);
        assert_eq!(leave(&bench, line, &how).await.ok(), expected, "{line}");
        assert_eq!(bench.asked().len(), usize::from(expected.is_none()), "{line}");
        bench.answer(&["allow"]);
        if expected.is_none() {
            let left = leave(&bench, line, &how).await.unwrap();
            let opens = how.wants_network || !how.is_sandboxed;
            assert_eq!(
                (left.asked, left.is_answered, left.opens_network),
                (true, true, opens),
                "{line}"
            );
            let question = bench.host.asked.lock().unwrap()[0].clone();
            assert_eq!(
                question.detail.contains("use the network"),
                opens,
                "{}",
                question.detail
            );
        }
    }
    // What is kept is for the network, and nothing else.
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    bench.answer(&["allowSession"]);
    leave(&bench, "npm install x", &NETWORK).await.unwrap();
    assert_eq!(
        bench.host.asked.lock().unwrap()[0].rules,
        "run_shell_network(npm install x)"
    );
    assert_eq!(leave(&bench, "npm install x", &NETWORK).await.ok(), by_rule(true));
    assert!(leave(&bench, "npm install y", &NETWORK).await.is_err());
    // A rule that asks about the network keeps it closed.
    let bench = Bench::new(&[]).with_rules(&[], &["run_shell_network"], &["run_shell_network"]);
    assert_eq!(leave(&bench, "npm ci", &CLOSED).await.ok(), by_rule(false));
}

#[tokio::test]
async fn rules_about_paths_reach_commands() {
    let files = &[
        ("s/t.txt", "a\n"),
        ("so/t.txt", "a\n"),
        ("a.txt", "a\n"),
        ("m/1.sql", "a\n"),
    ];
    let bench = Bench::new(files).with_rules(&["Read(s/**)", "Edit(m/**)"], &[], &["Bash"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(bench.root().join("s"), bench.root().join("link")).unwrap();
    let absolute = format!("cat {}", bench.root().join("s/t.txt").display());
    for (line, expected) in [
        ("cat s/t.txt", "denied"),
        ("cat ./a/../s/t.txt", "denied"),
        ("cat S/t.txt", "denied"),
        ("ls s", "denied"),
        ("cp -r s x", "denied"),
        ("cat link/t.txt", "denied"),
        (absolute.as_str(), "denied"),
        ("git show HEAD:s/t.txt", "denied"),
        ("grep --file=s/t.txt a", "denied"),
        ("curl -d@s/t.txt x", "denied"),
        ("sh -c 'cat s/t.txt'", "denied"),
        ("sh -c 'cat < s/t.txt'", "denied"),
        ("sudo cat s/t.txt", "denied"),
        ("sed 'r s/t.txt' a.txt", "denied"),
        ("python3 -c 'open(\"s/t.txt\")'", "denied"),
        ("cat so/t.txt", "runs"),
        ("cat a.txt", "runs"),
        ("cp a.txt m/2.sql", "denied"),
        ("cp -t m a.txt", "denied"),
        ("cp -tm a.txt", "denied"),
        ("cp a.txt m -S x", "denied"),
        ("git log --output=m/2.sql", "asks"),
        ("mv m/1.sql x", "denied"),
        ("rm -r m", "denied"),
        ("tee m/2.sql", "denied"),
        ("dd of=m/2.sql", "denied"),
        ("sh -c 'echo x > m/2.sql'", "denied"),
        ("sh -c 'echo x >> m/2.sql'", "denied"),
        ("sh -c 'echo x >| m/2.sql'", "denied"),
        ("psql -f m/1.sql", "asks"),
        ("sed -i p m/1.sql", "asks"),
        ("cat m/1.sql", "runs"),
        ("grep -r a m", "runs"),
        ("cp m/1.sql x", "runs"),
        ("git add m/1.sql", "runs"),
    ] {
        assert_eq!(fate(&bench, line).await, expected, "{line}");
    }
    for (path, read, write) in [
        ("", true, true),
        ("s", false, true),
        ("s/t.txt", false, true),
        ("so", true, true),
        ("m", true, false),
        ("m/new/file", true, false),
    ] {
        assert_eq!(access(&bench, path), (read, write), "{path}");
    }
}

#[tokio::test]
async fn rules_that_ask_about_paths_ask_for_commands_too() {
    let rules = &["Read(s/**)", "Edit(m/**)"];
    let bench = Bench::new(&[]).with_rules(&[], rules, &["Bash"]);
    for (line, expected) in [
        ("cat s/t.txt", "asks"),
        ("cp a m/b", "asks"),
        ("psql -f m/1.sql", "asks"),
        ("cat m/1.sql", "runs"),
        ("cat a", "runs"),
    ] {
        assert_eq!(fate(&bench, line).await, expected, "{line}");
    }
}

/// A path in the workspace, by the name that it has from everywhere.
#[tokio::test]
async fn absolute_patterns_reach_files_of_the_workspace() {
    let bench = Bench::new(&[("s/t.txt", "a\n"), ("a.txt", "a\n")]);
    let rule = format!("Read(/{}/s/**)", bench.root().display());
    let bench = bench.with_rules(&[&rule], &[], &["Bash"]);
    let read = async |path: &str| {
        bench
            .call("read_file_range", json!({"path": path, "start_line": 1}))
            .await
    };
    assert!(read("s/t.txt").await.is_err() && read("a.txt").await.is_ok());
    assert_eq!(fate(&bench, "cat s/t.txt").await, "denied");
    assert_eq!((access(&bench, "s").0, access(&bench, "a.txt").0), (false, true));
}

#[tokio::test]
async fn rules_about_all_files_close_the_workspace_and_those_of_skills_only_tools() {
    let bench = Bench::new(&[("a.txt", "a\n")]).with_rules(&["Read", "Edit(**)"], &[], &["Bash"]);
    for path in ["", "a.txt", "x/y"] {
        assert_eq!(access(&bench, path), (false, false), "{path}");
    }
    assert_eq!(fate(&bench, "cat a.txt").await, "denied");
    assert_eq!(fate(&bench, "touch b.txt").await, "denied");
    assert_eq!(fate(&bench, "true x").await, "runs");
    let bench = Bench::new(&[("a.txt", "a\n")]).with_rules(&[], &[], &["Bash"]);
    let (turn, permissions) = (&bench.context.turn, &bench.context.permissions);
    let tools = ["Edit", "Read(secret/**)"].map(str::to_owned);
    permissions.disallow_tools(turn, &tools).unwrap();
    assert_eq!(access(&bench, "a.txt"), (true, true));
    assert_eq!(access(&bench, "secret"), (false, true));
    assert_eq!(fate(&bench, "touch b.txt").await, "runs");
    assert_eq!(fate(&bench, "cat secret/x").await, "denied");
}

#[tokio::test]
async fn what_takes_tools_away_and_is_misspelt_takes_all_of_the_tool() {
    for (text, denied, says) in [
        ("Bash(rm", true, Some("all of Bash")),
        ("bash(rm:*)", true, Some("all of Bash")),
        ("terminal", false, Some("names no tool")),
        ("Task", false, None),
        ("*", true, None),
    ] {
        let bench = Bench::new(&[]).with_rules(&[], &[], &["Bash"]);
        let told = bench
            .context
            .permissions
            .disallow_tools(&bench.context.turn, &[text.to_owned()]);
        assert_eq!(told.is_err(), says.is_some(), "{text}: {told:?}");
        assert!(says.is_none_or(|says| told.unwrap_err().contains(says)), "{text}");
        assert_eq!(fate(&bench, "ls").await == "denied", denied, "{text}");
    }
}

fn git(folder: &Path, line: &str, environment: &[(String, String)]) -> bool {
    let status = Command::new("git")
        .args(argv(line))
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", folder.join("none"))
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@b")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@b")
        .envs(environment.iter().cloned())
        .output();
    status.unwrap().status.success()
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_git_takes_for_a_repository_runs_nothing_by_rule() {
    let rules = &[
        "Bash(git status:*)",
        "Bash(git -C lib status)",
        "Bash(git:*)",
        "Bash(make:*)",
    ];
    let bench = Bench::new(&[("README.md", "a\n")]).with_rules(&[], &[], rules);
    git(&bench.root(), "init -q", &[]);
    // The very chain: four files, and one rule.
    let config =
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch ran; false\"\n";
    for (path, content) in [
        ("lib/HEAD", "ref: refs/heads/main\n"),
        ("lib/config", config),
        ("lib/objects/k", ""),
        ("lib/refs/k", ""),
    ] {
        bench
            .text("create_file", json!({"path": path, "content": content}))
            .await;
    }
    assert!(bench.asked().is_empty(), "the names are plain");
    let lib = bench.root().join("lib");
    std::os::unix::fs::symlink(&lib, bench.root().join("li.git")).unwrap();
    let ran = || {
        ["ran", "lib/ran"]
            .map(|path| bench.disk(path))
            .into_iter()
            .flatten()
            .next()
            .is_some()
    };
    // git itself runs the monitor there; not with what a command by rule is given.
    let words = argv("git status");
    assert!(!git(&lib, "status", &git_environment(&words)) && !ran());
    git(&lib, "status", &git_environment(&words)[..0]);
    assert!(ran(), "else this test proves nothing");
    for (cwd, line) in [
        (&lib, "git status"),
        (&lib.join("refs"), "git status"),
        (&lib, "make"),
        (&bench.root(), "git -C lib status"),
        (&bench.root(), "git --git-dir=lib status"),
        (&bench.root(), "git --git-dir lib --work-tree . status"),
        (&bench.root(), "git -C lib/refs/.. log"),
        (&bench.root(), "git push ./lib"),
        (&bench.root(), "git fetch lib"),
        (&bench.root(), "git push --repo=lib"),
        (&bench.root(), "git push li"),
        (&bench.root(), "sh -c 'git -C lib status'"),
    ] {
        let before = bench.asked().len();
        let left = leave_in(&bench, cwd, line, &CLOSED).await;
        assert!(left.is_err() && bench.asked().len() > before, "{line}");
        let question = bench.host.asked.lock().unwrap().last().unwrap().clone();
        assert!(
            question.detail.contains("bare repository") && question.rules.is_empty(),
            "{line}"
        );
    }
    assert_eq!(fate(&bench, "git status").await, "runs", "the repository of the person");
    // Not even a rule for all commands.
    let bench = bench.with_rules(&[], &[], &["Bash"]);
    assert!(leave_in(&bench, &lib, "git status", &CLOSED).await.is_err());
}

#[cfg(unix)]
#[tokio::test]
async fn a_repository_whose_configuration_the_agent_wrote_runs_nothing_by_rule() {
    for (path, content, line, expected) in [
        (".git/config", "[core]\n\tbare = false\n", "make", "asks"),
        (".git/hooks/pre-commit", "x", "git commit", "asks"),
        (".git/info/attributes", "* filter=x\n", "git status", "asks"),
        (".gitattributes", "* filter=x\n", "git status", "asks"),
        (".gitattributes", "* filter=x\n", "make", "runs"),
        ("sub/.gitattributes", "* filter=x\n", "git diff", "asks"),
        ("shared.inc", "[core]\n\tfsmonitor = x\n", "git status", "asks"),
        ("tools/hooks/pre-commit", "x", "git commit", "asks"),
        ("a.txt", "x", "git status", "runs"),
    ] {
        let bench = Bench::new(&[]).with_rules(&[], &[], &["Bash"]);
        git(&bench.root(), "init -q", &[]);
        let config = "[include]\n\tpath = ../shared.inc\n[core]\n\thooksPath = tools/hooks\n";
        write(&bench.root().join(".git/config"), config);
        assert_eq!(fate(&bench, line).await, "runs", "{line}");
        let asked = bench.asked().len();
        bench.answer(&["allow"]);
        if bench.disk(path).is_some() {
            let patch = json!({"patches": [{"op": "replace", "path": path, "content": content}]});
            bench
                .text("read_file_range", json!({"path": path, "start_line": 1}))
                .await;
            bench.text("write_patch", patch).await;
        } else {
            bench
                .text("create_file", json!({"path": path, "content": content}))
                .await;
        }
        assert_eq!(
            bench.asked().len() - asked,
            usize::from(path.contains(".git")),
            "{path}"
        );
        bench.host.answers.lock().unwrap().clear();
        assert_eq!(fate(&bench, line).await, expected, "{path} · {line}");
    }
}

#[cfg(unix)]
#[test]
fn commands_that_only_read_run_no_hooks() {
    use std::os::unix::fs::PermissionsExt;
    for (line, runs_hook) in [("status", false), ("commit -q --allow-empty -m x", true)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        git(path, "init -q", &[]);
        write(&path.join("f"), "a\n");
        git(path, "add f", &[]);
        for hook in ["post-index-change", "post-commit"] {
            let file = path.join(".git/hooks").join(hook);
            write(&file, "#!/bin/sh\ntouch ran\n");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        // So that git looks at the file again, and writes its index.
        write(&path.join("f"), "a\n");
        let words = argv(&format!("git {line}"));
        assert!(git(path, line, &git_environment(&words)), "{line}");
        assert_eq!(path.join("ran").exists(), runs_hook, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn what_git_is_told_reaches_git_that_others_start_and_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), "init -q", &[]);
    let words = argv("make");
    for left_out in ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"] {
        let mut environment = git_environment(&words);
        environment.retain(|(name, _)| name != left_out);
        let told = Command::new("sh")
            .args(["-c", "git config core.fsmonitor; git config safe.bareRepository"])
            .current_dir(folder.path())
            .envs(environment)
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(told.stdout).unwrap(),
            "false\nexplicit\n",
            "without {left_out}"
        );
    }
}

/// What no word of a command line says, the kernel keeps.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn rules_about_paths_hold_inside_of_programs() {
    let script = "cat s/t.txt */t.txt; grep -r hunter .; cp a.txt m/1.sql; mv m m2; cat a.txt";
    let files = &[
        ("s/t.txt", "hunter2\n"),
        ("m/1.sql", "a\n"),
        ("a.txt", "plain\n"),
        ("go.sh", script),
    ];
    let deny = &["Read(s/**)", "Edit(m/**)"];
    for (rules, answer) in [(&["Bash"][..], None), (&[][..], Some("allow"))] {
        let bench = Bench::new(files).with_rules(deny, &[], rules);
        bench.answer(answer.as_slice());
        let said = bench.call("run_shell", json!({"argv": ["sh", "go.sh"]})).await;
        let said = said.map_or_else(|error| error.to_string(), |output| output.text);
        assert!(said.contains("plain") && !said.contains("hunter2"), "{said}");
        assert_eq!(bench.disk("m/1.sql").as_deref(), Some("a\n"), "{said}");
    }
}

#[tokio::test]
async fn what_only_reads_what_people_edit_all_day_asks_nothing() {
    for (argv, asks) in [
        (&["cat", "Cargo.toml"][..], false),
        (&["cat", ".vscode/settings.json"], true),
        (&["git", "add", "Cargo.toml"], false),
        (&["git", "add", ".vscode/settings.json"], true),
        (&["cp", "a", "Cargo.toml"], true),
        (&["cat", ".env"], true),
        (&["git", "add", ".env"], true),
    ] {
        let files = [
            ("Cargo.toml", ""),
            (".vscode/settings.json", "{}"),
            (".env", ""),
            ("a", ""),
        ];
        let bench = Bench::new(&files).with_rules(&[], &[], &["Bash"]);
        // Whether it ends well is no matter.
        let _ = bench.call("run_shell", serde_json::json!({"argv": argv})).await;
        assert_eq!(!bench.asked().is_empty(), asks, "{argv:?}");
    }
}

#[tokio::test]
async fn options_that_run_something_ask_however_they_are_cut_short() {
    for line in [
        "git push --exec=x origin",
        "git push --receive-pac=x origin",
        "git fetch --upload-pac=x origin",
        "git grep -Ox a",
        "tar --checkpoint-act=exec=x -cf a b",
        "sort --compress-prog=x a",
    ] {
        let bench = Bench::new(&[("a", "")]).with_rules(&[], &[], &["Bash(git:*)", "Bash(tar:*)", "Bash(sort:*)"]);
        let argv: Vec<&str> = line.split(' ').collect();
        // Nobody answers.
        let _ = bench.call("run_shell", serde_json::json!({"argv": argv})).await;
        assert!(!bench.asked().is_empty(), "{line}");
    }
}
