use serde_json::{Value, json};
use skills_agent::event::TurnId;
use skills_agent::permission::{Mode, TrustStore};

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
async fn a_broken_record_is_told_in_the_question() {
    let bench = Bench::with(FILES, Mode::AcceptEdits, None);
    write(&bench.outside("state/trust.json"), "{ broken");
    bench.refusal("replace_range", edit("f.txt")).await;
    assert!(bench.host.asked.lock().unwrap()[0].detail.contains("can't be read"));
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
