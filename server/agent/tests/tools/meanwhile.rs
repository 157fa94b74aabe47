//! What holds while a command runs and others work in the same folder, and when it is stopped.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use skills_agent::event::EventKind;
use skills_agent::process::jobs::JobState;

use crate::host::Bench;

const CONFIG: &str = "[core]\n\tbare = false\n";

/// Every command is allowed by rule; the files are there before.
fn bench() -> Bench {
    let files = [
        ("src/main.rs", "fn main() {}\n"),
        (".env", "KEY=hunter2\n"),
        ("sub/CLAUDE.md", "Be kind.\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", CONFIG),
    ];
    Bench::new(&files).with_rules(&[], &[], &["Bash"])
}

/// A script whose text nobody judges.
fn shell(bench: &Bench, script: &str) -> Value {
    std::fs::write(bench.root().join("go.sh"), script).unwrap();
    json!({"argv": ["sh", "go.sh"], "timeout_ms": 20_000})
}

/// What a command said, whether it ended well or not.
async fn said(bench: &Bench, input: Value) -> String {
    match bench.call("run_shell", input).await {
        Ok(output) => output.text,
        Err(error) => format!("{error:?}"),
    }
}

/// Waits until something is so.
async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), wait).await;
    waited.expect("it does not become so");
}

fn replace(path: &Path, text: &str) {
    let new = path.with_extension("lock");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(new, path).unwrap();
}

/// What the person was told.
fn notes(bench: &Bench) -> Vec<String> {
    let events = bench.host.events.lock().unwrap();
    let notes = events.iter().filter_map(|event| match &event.kind {
        EventKind::Note(note) => Some(note.clone()),
        _ => None,
    });
    notes.collect()
}

#[tokio::test]
async fn what_a_person_replaces_is_held_again() {
    for (path, mine, attack) in [
        (
            ".git/config",
            "[core]\n\tbare = true\n",
            "n=0; while [ -w .git/config ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.01; done; echo won > .git/config",
        ),
        (
            "sub/CLAUDE.md",
            "Be kinder.\n",
            "n=0; while [ -w sub/CLAUDE.md ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.01; done; echo won > sub/CLAUDE.md",
        ),
        (
            ".env",
            "KEY=hunter3\n",
            "n=0; while [ -f .env ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.01; done; tr a-z b-za < .env",
        ),
    ] {
        let bench = bench();
        let script = format!("touch up; while [ ! -e go ]; do sleep 0.01; done; {attack}");
        let root = bench.root();
        let (told, ()) = tokio::join!(said(&bench, shell(&bench, &script)), async {
            until(|| root.join("up").exists()).await;
            replace(&root.join(path), mine);
            std::fs::write(root.join("go"), "").unwrap();
        });
        assert_eq!(bench.disk(path).as_deref(), Some(mine), "{told}");
        assert!(!told.contains("took back") && !told.contains("ivoufs"), "{told}");
    }
}

#[tokio::test]
async fn a_folder_that_a_person_puts_in_anothers_place_is_held() {
    let bench = bench();
    let script = "touch up; while [ ! -e go ]; do sleep 0.01; done; \
        n=0; while [ -w sub/CLAUDE.md ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.01; done; echo won > sub/CLAUDE.md";
    let root = bench.root();
    let ((), told) = tokio::join!(
        async {
            until(|| root.join("up").exists()).await;
            std::fs::rename(root.join("sub"), root.join("old")).unwrap();
            std::fs::create_dir(root.join("sub")).unwrap();
            std::fs::write(root.join("sub/CLAUDE.md"), "Be kind.\n").unwrap();
            std::fs::write(root.join("go"), "").unwrap();
        },
        said(&bench, shell(&bench, script))
    );
    let text = std::fs::read_to_string(root.join("old/CLAUDE.md"))
        .or_else(|_| std::fs::read_to_string(root.join("sub/CLAUDE.md")));
    assert_eq!(text.unwrap(), "Be kind.\n", "{told}");
    assert!(told.contains("Read-only file system"), "{told}");
}

#[tokio::test]
async fn what_is_made_again_is_told() {
    let bench = bench();
    let script = "touch up; while [ ! -e go ]; do sleep 0.01; done; echo won > sub/CLAUDE.md; touch made; \
        while [ ! -e end ]; do sleep 0.01; done";
    let root = bench.root();
    let (told, ()) = tokio::join!(said(&bench, shell(&bench, script)), async {
        until(|| root.join("up").exists()).await;
        std::fs::remove_file(root.join("sub/CLAUDE.md")).unwrap();
        // Its supervisor sees that while the command waits.
        tokio::time::sleep(Duration::from_millis(50)).await;
        std::fs::write(root.join("go"), "").unwrap();
        let told = || notes(&bench).iter().any(|note| note.contains("sub/CLAUDE.md"));
        until(|| root.join("made").exists() || told()).await;
        std::fs::write(root.join("end"), "").unwrap();
    });
    assert!(told.contains("sub/CLAUDE.md") && told.contains("look at it"), "{told}");
}

#[tokio::test]
async fn who_waits_for_the_moment_keeps_no_handle() {
    let mine = "[core]\n\tbare = true\n";
    let script = "$| = 1; open my $u, '>', 'up'; my $n = 0; \
        until (open F, '+<', '.git/config') { exit if -e 'end' } \
        open my $o, '>', 'open'; while (! -e 'end') { select undef, undef, undef, .01 } \
        print F 'won'; close F;";
    let bench = bench();
    let root = bench.root();
    std::fs::write(root.join("go.pl"), script).unwrap();
    let command = json!({"argv": ["perl", "go.pl"], "timeout_ms": 20_000});
    let (told, ()) = tokio::join!(said(&bench, command), async {
        until(|| root.join("up").exists()).await;
        replace(&root.join(".git/config"), mine);
        // One that it can't open any more says nothing; one that has it is ended.
        tokio::time::sleep(Duration::from_millis(300)).await;
        std::fs::write(root.join("end"), "").unwrap();
    });
    assert_eq!(bench.disk(".git/config").as_deref(), Some(mine), "{told}");
}

#[tokio::test]
async fn what_a_background_command_makes_is_taken_back_while_it_runs() {
    let bench = bench();
    let script = "cp src/main.rs AGENTS.md; mkdir .vscode; cp src/main.rs .vscode/tasks.json; \
        while [ -e AGENTS.md ] || [ -e .vscode/tasks.json ]; do sleep 0.01; done; touch seen; exec sleep 1000";
    let mut input = shell(&bench, script);
    input["background"] = json!(true);
    let holders = std::sync::Arc::strong_count(&bench.host);
    bench.text("run_shell", input).await;
    // A turn ends when nobody has its host any more.
    assert_eq!(std::sync::Arc::strong_count(&bench.host), holders);
    until(|| bench.root().join("seen").exists()).await;
    assert_eq!(bench.shell.jobs.list()[0].state, JobState::Running);
    // What is gone is told right afterwards.
    until(|| notes(&bench).iter().any(|note| note.starts_with("took back AGENTS.md"))).await;
}

/// Whatever a command changes so that others run it, or nobody sees it, is put back while it runs.
#[tokio::test]
async fn what_a_background_command_changes_is_put_back_while_it_runs() {
    const TODO: &str = ".git/rebase-merge/git-rebase-todo";
    for (is_asked, attack, lasts) in [
        (
            false,
            "chmod 311 sub; mkdir sub/.git; cp src/main.rs sub/.git/config",
            "[ $(stat -c %a sub) = 311 ] || [ -e sub/.git/config ]",
        ),
        (false, "rm AGENTS.md; cp src/main.rs AGENTS.md", "[ ! -L AGENTS.md ]"),
        (
            false,
            &*format!("mkdir -p .git/rebase-merge; echo exec touch ran > {TODO}"),
            &*format!("[ -e {TODO} ]"),
        ),
        (true, "mkdir gen; cp src/main.rs gen/a.rs", "[ -e gen/a.rs ]"),
    ] {
        let allow: &[&str] = if is_asked { &[] } else { &["Bash"] };
        let bench = bench().with_rules(&["Edit(gen/**)"], &[], allow);
        std::os::unix::fs::symlink("sub/CLAUDE.md", bench.root().join("AGENTS.md")).unwrap();
        if is_asked {
            bench.answer(&["allow"]);
        }
        let script = format!("{attack}; while {lasts}; do sleep 0.01; done; touch seen; exec sleep 1000");
        let mut input = shell(&bench, &script);
        input["background"] = json!(true);
        bench.text("run_shell", input).await;
        until(|| bench.root().join("seen").exists()).await;
        until(|| notes(&bench).iter().any(|note| note.starts_with("took back"))).await;
        let state = bench.shell.jobs.list()[0].state;
        assert_eq!(state, JobState::Running, "{attack}: {:?}", notes(&bench));
    }
}

#[tokio::test]
async fn a_command_that_makes_it_again_is_stopped() {
    let bench = bench();
    let mut input = shell(
        &bench,
        "while :; do [ -e AGENTS.md ] || cp src/main.rs AGENTS.md; sleep 0.01; done",
    );
    input["background"] = json!(true);
    bench.text("run_shell", input).await;
    until(|| bench.shell.jobs.list()[0].state != JobState::Running).await;
    assert_eq!(bench.disk("AGENTS.md"), None);
    let notes = notes(&bench);
    assert!(
        notes.iter().any(|note| note.starts_with("stopped the command")),
        "{notes:?}"
    );
}

#[tokio::test]
async fn what_others_make_meanwhile_stays() {
    let bench = bench();
    let script = "touch up; while [ -e x/AGENTS.md ] || [ ! -e y ]; do sleep 0.01; done; touch seen; exec sleep 1000";
    let mut input = shell(&bench, script);
    input["background"] = json!(true);
    bench.text("run_shell", input).await;
    until(|| bench.root().join("up").exists()).await;
    // One was saved in the editor, one comes from a tool that asked; the third one is the command's, as far as anyone knows.
    bench.save("GEMINI.md", "mine");
    bench.answer(&["allow"]);
    bench
        .text("create_file", json!({"path": "CLAUDE.md", "content": "asked\n"}))
        .await;
    crate::host::write(&bench.root().join("x/AGENTS.md"), "won");
    std::fs::write(bench.root().join("y"), "").unwrap();
    until(|| bench.root().join("seen").exists()).await;
    assert_eq!(bench.shell.jobs.cancel(None), 1);
    assert_eq!(bench.disk("GEMINI.md").as_deref(), Some("mine"));
    assert_eq!(bench.disk("CLAUDE.md").as_deref(), Some("asked\n"));
}

#[tokio::test]
async fn a_repository_stays_in_its_place() {
    for text in [
        "mv .git AWAY/x; mkdir .git; echo won > .git/config",
        "mv .git old; mkdir .git; echo won > .git/config",
        "p=$PWD; cd /tmp; mv $p/.. AWAY/x; mkdir -p $p/.git; echo won > $p/.git/config",
        "rm -rf .git; mkdir -p .git; echo won > .git/config",
        "perl -e 'rename \".git\", \"AWAY/x\"'; mkdir .git; echo won > .git/config",
    ] {
        let (bench, away) = (bench(), tempfile::tempdir().unwrap());
        let told = said(
            &bench,
            shell(&bench, &text.replace("AWAY", &away.path().display().to_string())),
        )
        .await;
        assert_eq!(bench.disk(".git/config").as_deref(), Some(CONFIG), "{text}: {told}");
    }
}

#[tokio::test]
async fn a_folder_comes_back_from_wherever_it_was_moved() {
    for text in [
        "mkdir -p $(yes d | head -60 | tr '\\n' /); mv sub $(yes d | head -60 | tr '\\n' /)",
        "perl -e 'for (1..60) { mkdir \"d\" x 100; rename \"$ENV{W}/sub\", \"d\" x 100 . \"/sub\" if $_ == 60; chdir \"d\" x 100 }'",
    ] {
        let bench = bench();
        let root = bench.root().display().to_string();
        let text = format!("export W={root}; {text}; mkdir sub; cp src/main.rs sub/CLAUDE.md");
        let told = said(&bench, shell(&bench, &text)).await;
        assert_eq!(
            bench.disk("sub/CLAUDE.md").as_deref(),
            Some("Be kind.\n"),
            "{text}: {told}"
        );
    }
}

/// Whether it wanted that, or was stopped before it put another one there.
#[tokio::test]
async fn a_folder_that_was_only_moved_comes_back_too() {
    for text in ["mv sub gone", "mkdir deep; mv sub deep/gone; cd deep; mv gone x"] {
        let bench = bench();
        let told = said(&bench, shell(&bench, text)).await;
        assert_eq!(
            bench.disk("sub/CLAUDE.md").as_deref(),
            Some("Be kind.\n"),
            "{text}: {told}"
        );
        assert!(told.contains("took back sub,"), "{told}");
    }
}

#[tokio::test]
async fn a_command_that_is_stopped_makes_nothing_afterwards() {
    // It holds no pipe, so nobody notices by one that it is gone.
    let script = "exec > /dev/null 2>&1; touch up; while :; do cp src/main.rs AGENTS.md; done";
    for _ in 0..5 {
        let mut bench = bench();
        bench.context.cancel = tokio_util::sync::CancellationToken::new();
        let root = bench.root();
        let (told, ()) = tokio::join!(said(&bench, shell(&bench, script)), async {
            until(|| root.join("up").exists()).await;
            bench.context.cancel.cancel();
        });
        assert_eq!(bench.disk("AGENTS.md"), None, "{told}");
    }
}

/// While it runs its files are the person's, and not new.
#[tokio::test]
async fn what_moves_with_its_folder_is_not_taken_for_new() {
    let bench = bench();
    // What is new is gone when somebody looked.
    let text = "mv sub gone; echo new > AGENTS.md; while test -e AGENTS.md; do sleep 0.05; done";
    std::fs::create_dir_all(bench.root().join("sub/.vscode")).unwrap();
    std::fs::write(bench.root().join("sub/.vscode/tasks.json"), "mine").unwrap();
    let told = said(&bench, shell(&bench, text)).await;
    assert_eq!(bench.disk("sub/.vscode/tasks.json").as_deref(), Some("mine"), "{told}");
    assert_eq!(bench.disk("sub/CLAUDE.md").as_deref(), Some("Be kind.\n"), "{told}");
    assert!(!told.contains("gone/"), "{told}");
}

/// Nobody looks after one that is elsewhere, whatever its path looks like.
#[tokio::test]
async fn a_repository_elsewhere_is_no_submodule() {
    let (bench, away) = (bench(), tempfile::tempdir().unwrap());
    let module = away.path().join(".git/modules/x");
    let text = format!(
        "mkdir -p {0}/objects {0}/refs; echo x > {0}/HEAD; mkdir new; echo gitdir: {0} > new/.git",
        module.display()
    );
    let told = said(&bench, shell(&bench, &text)).await;
    assert_eq!(bench.disk("new/.git"), None, "{told}");
    assert!(module.join("HEAD").exists(), "{told}");
}

/// Until another command was looked at that runs already, what it made is there: no word about what was there before.
#[tokio::test]
async fn what_a_running_command_made_is_not_the_next_ones_to_restore() {
    let bench = bench();
    let root = bench.root();
    // No command is looked at while a tool writes.
    let (open, gate) = tokio::sync::oneshot::channel();
    *bench.host.gate.lock().unwrap() = Some(gate);
    bench.answer(&["allow"]);
    let one = "ln -s src .vscode; mkdir -p .git/rebase-merge; echo exec touch won > .git/rebase-merge/git-rebase-todo; \
        touch made; while [ -L .vscode ]; do sleep 0.01; done; touch gone; exec sleep 1000";
    std::fs::write(root.join("one.sh"), one).unwrap();
    let two = "touch up; while [ ! -e gone ]; do sleep 0.01; done";
    let writing = bench.call("create_file", json!({"path": "x.txt", "content": "x\n"}));
    let (written, told) = tokio::join!(writing, async {
        until(|| bench.context.changes.is_pending(&bench.context.turn)).await;
        let one = json!({"argv": ["sh", "one.sh"], "background": true});
        bench.text("run_shell", one).await;
        until(|| root.join("made").exists()).await;
        let (told, ()) = tokio::join!(said(&bench, shell(&bench, two)), async {
            until(|| root.join("up").exists()).await;
            open.send(()).unwrap();
        });
        told
    });
    written.unwrap();
    assert!(root.join(".vscode").symlink_metadata().is_err(), "{told}");
    assert_eq!(bench.disk(".git/rebase-merge/git-rebase-todo"), None, "{told}");
}

/// An editor shows what a command writes, and says when the person saves.
#[tokio::test]
async fn what_a_command_writes_in_an_open_file_is_its_work() {
    let bench = bench();
    bench.open("AGENTS.md", "fn main() {}\n");
    bench.save("GEMINI.md", "");
    bench.open("GEMINI.md", "mine");
    std::fs::remove_file(bench.root().join("GEMINI.md")).unwrap();
    let told = said(
        &bench,
        shell(&bench, "cp src/main.rs AGENTS.md; cp src/main.rs GEMINI.md"),
    )
    .await;
    assert_eq!(bench.disk("AGENTS.md"), None, "{told}");
    assert_eq!(bench.disk("GEMINI.md"), None, "{told}");
}

/// Somebody else's file becomes a pipe, which nobody waits for.
#[tokio::test]
async fn a_pipe_in_the_place_of_a_tools_file_is_taken_back() {
    let bench = bench();
    let script = "touch up; while [ ! -e CLAUDE.md ]; do sleep 0.01; done; rm CLAUDE.md; mkfifo CLAUDE.md; touch piped; \
        while [ -p CLAUDE.md ]; do sleep 0.01; done; touch gone; exec sleep 1000";
    let mut input = shell(&bench, script);
    input["background"] = json!(true);
    bench.text("run_shell", input).await;
    until(|| bench.root().join("up").exists()).await;
    bench.answer(&["allow"]);
    let made = json!({"path": "CLAUDE.md", "content": "asked\n"});
    bench.text("create_file", made).await;
    until(|| bench.root().join("gone").exists()).await;
}

/// Whoever has a folder away for a moment, as another command starts, finds what is in it held there too.
#[tokio::test]
async fn what_moves_as_a_command_starts_is_held() {
    let mover = "open F, '>', 'up'; for (1..400) { rename 'sub', 'sub2'; select undef, undef, undef, .012; \
        rename 'sub2', 'sub'; select undef, undef, undef, .012 }";
    let attack = "$| = 1; for (1..100) { \
        if (open F, '<', 'sub/.env') { $_ = <F>; print 'read ', unpack('H*', $_), \"\\n\" if $_ } \
        if (open F, '>', 'sub/CLAUDE.md') { print F 'won'; close F; print \"wrote\\n\"; exit } \
        select undef, undef, undef, .0005 }";
    let bench = bench();
    let root = bench.root();
    std::fs::write(root.join("sub/.env"), "KEY=hunter2\n").unwrap();
    for (name, text) in [("mover.pl", mover), ("attack.pl", attack)] {
        std::fs::write(root.join(name), text).unwrap();
    }
    for _ in 0..12 {
        let away = root.join("sub2").exists();
        assert!(!away || root.join("sub").exists() || std::fs::rename(root.join("sub2"), root.join("sub")).is_ok());
        let _ = std::fs::remove_file(root.join("up"));
        bench
            .text("run_shell", json!({"argv": ["perl", "mover.pl"], "background": true}))
            .await;
        until(|| root.join("up").exists()).await;
        let told = said(&bench, json!({"argv": ["perl", "attack.pl"], "timeout_ms": 20_000})).await;
        assert!(!told.contains("read ") && !told.contains("wrote"), "{told}");
        bench.shell.jobs.cancel(None);
        until(|| bench.shell.jobs.list().iter().all(|job| job.state != JobState::Running)).await;
    }
}

/// A folder that is held, and that a person puts another one in the place of, is held whatever handles there are.
#[tokio::test]
async fn who_waits_for_the_moment_keeps_no_folder() {
    for way in ["chdir '.vscode'", "opendir(D, '.vscode') and chdir(*D)"] {
        let script = format!(
            "my @old = stat '.vscode'; select undef, undef, undef, .1; open F, '>', 'up'; close F; my $end = time + 20; \
             while (time < $end) {{ my @new = stat '.vscode'; \
                if (@new && $new[1] != $old[1]) {{ {way}; last }} }} \
             select undef, undef, undef, .5; \
             if (open F, '>', 'settings.json') {{ print F 'won'; close F }} \
             open F, '>', '../done' or open F, '>', 'done';"
        );
        let bench = bench();
        let root = bench.root();
        crate::host::write(&root.join(".vscode/settings.json"), "mine");
        crate::host::write(&root.join("new/settings.json"), "mine");
        std::fs::write(root.join("go.pl"), script).unwrap();
        let command = json!({"argv": ["perl", "go.pl"], "timeout_ms": 30_000});
        let (told, ()) = tokio::join!(said(&bench, command), async {
            until(|| root.join("up").exists()).await;
            std::fs::rename(root.join(".vscode"), root.join("old")).unwrap();
            std::fs::rename(root.join("new"), root.join(".vscode")).unwrap();
        });
        assert_eq!(
            bench.disk(".vscode/settings.json").as_deref().unwrap_or("mine"),
            "mine",
            "{way}: {told}"
        );
        assert_eq!(
            bench.disk("old/settings.json").as_deref().unwrap_or("mine"),
            "mine",
            "{way}: {told}"
        );
    }
}
