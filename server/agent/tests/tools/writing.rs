use serde_json::json;
use skills_agent::changes::Selection;
use skills_agent::changes::undo::undo_all;
use skills_agent::event::EventKind;

use crate::host::Bench;

#[tokio::test]
async fn an_edit_is_applied_recorded_reported_and_shown() {
    let bench = Bench::new(&[("f.txt", "a\nb\nc\n")]);
    let text = bench
        .text(
            "replace_range",
            json!({"path": "f.txt", "old_string": "a", "new_string": "AA"}),
        )
        .await;
    let diff = "--- before\n+++ after\n@@ -1,3 +1,3 @@\n-a\n+AA\n b\n c";
    assert_eq!(text, format!("edit f.txt (from 6 bytes → 7 bytes)\n{diff}"));
    assert_eq!(bench.disk("f.txt").unwrap(), "AA\nb\nc\n");
    let changes: Vec<_> = bench
        .context
        .changes
        .undecided(&Selection::Turn(bench.context.turn.clone()))
        .into_values()
        .flatten()
        .collect();
    assert_eq!(
        (changes.len(), changes[0].change.before.as_deref()),
        (1, Some("a\nb\nc\n"))
    );
    let events = bench.host.events.lock().unwrap();
    assert!(
        matches!(&events[..], [event] if matches!(&event.kind, EventKind::Changed(change) if *change == changes[0].change))
    );
    assert!(bench.asked().is_empty(), "an edit in a trusted folder goes through");
}

#[tokio::test]
async fn an_open_buffer_is_edited_and_the_disk_is_left_alone() {
    let bench = Bench::new(&[("f.txt", "disk\n")]);
    bench.open("f.txt", "typed\r\nb\r\n");
    bench
        .text(
            "replace_range",
            json!({"path": "./f.txt", "old_string": "typed\nb", "new_string": "x\ny"}),
        )
        .await;
    assert_eq!(
        (bench.buffer("f.txt").as_str(), bench.disk("f.txt").unwrap().as_str()),
        ("x\r\ny\r\n", "disk\n")
    );
}

#[tokio::test]
async fn refused_edits_change_nothing() {
    let bench = Bench::new(&[("f.txt", "a\nb\na\n")]);
    let edit = |old: &str, new: &str| json!({"path": "f.txt", "old_string": old, "new_string": new});
    for (input, expected) in [
        (
            edit("z", "y"),
            "old_string not found; it must match exactly, including whitespace and newlines",
        ),
        (
            edit("a", "x"),
            "old_string appears 2 times; include more surrounding context to make it unique",
        ),
        (
            edit("b", "b"),
            "no changes made to f.txt; replacement produced identical content",
        ),
        (edit("", "y"), "edits[0].old_string must not be empty in f.txt"),
        (
            json!({"path": "none", "old_string": "a", "new_string": "b"}),
            "file not found: none",
        ),
        (
            json!({"path": "f.txt", "old_string": "b"}),
            "missing field `new_string`",
        ),
        (
            json!({"path": "f.txt", "old_string": "b", "new_string": "c", "expected_before_hash": "123"}),
            "does not match expected_before_hash 123",
        ),
    ] {
        let refusal = bench.refusal("replace_range", input).await;
        assert!(refusal.contains(expected), "{refusal}");
    }
    assert_eq!(bench.disk("f.txt").unwrap(), "a\nb\na\n");
    assert!(bench.context.changes.last_turn().is_none() && bench.host.events.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_hash_that_a_read_shows_guards_an_edit() {
    let bench = Bench::new(&[("f.txt", "a\n")]);
    let text = bench
        .text("read_file_range", json!({"path": "f.txt", "start_line": 1}))
        .await;
    let hash = text
        .rsplit("expected_before_hash ")
        .next()
        .unwrap()
        .trim_end_matches(']')
        .to_owned();
    let number = u64::from_str_radix(&hash, 16).unwrap();
    for (guard, old, new) in [
        (json!(hash), "a", "b"),
        (json!(number), "b", "c"),
        (json!(number.to_string()), "b", "c"),
    ] {
        let input = json!({"path": "f.txt", "old_string": old, "new_string": new, "expected_before_hash": guard});
        let fits = bench.disk("f.txt").unwrap() == "a\n";
        assert_eq!(bench.call("replace_range", input).await.is_ok(), fits);
    }
    assert_eq!(bench.disk("f.txt").unwrap(), "b\n");
}

#[tokio::test]
async fn files_are_made_once() {
    let bench = Bench::new(&[]);
    let text = bench
        .text("create_file", json!({"path": "a/b.txt", "content": "x\n"}))
        .await;
    assert!(text.starts_with("create a/b.txt (from 0 bytes → 2 bytes)\n"), "{text}");
    let refusal = bench
        .refusal("create_file", json!({"path": "a/b.txt", "content": "y"}))
        .await;
    assert!(refusal.starts_with("file already exists: a/b.txt"), "{refusal}");
    bench.text("create_file", json!({"path": "empty.txt"})).await;
    assert_eq!(
        (
            bench.disk("a/b.txt").unwrap().as_str(),
            bench.disk("empty.txt").unwrap().as_str()
        ),
        ("x\n", "")
    );
    bench.open("unsaved.txt", "typed");
    let refusal = bench
        .refusal("create_file", json!({"path": "unsaved.txt", "content": "y"}))
        .await;
    assert!(refusal.starts_with("file already exists"), "{refusal}");
}

#[tokio::test]
async fn patches() {
    let bench = Bench::new(&[("f.txt", "one\ntwo\nthree\n"), ("g.txt", "g\n")]);
    let edit =
        |path: &str, old: &str, new: &str| json!({"op": "edit", "path": path, "old_string": old, "new_string": new});
    for (patches, expected) in [
        (json!(null), "'patches' must be an array"),
        (json!([]), "'patches' must contain at least one patch"),
        (
            json!([{"path": "f.txt"}]),
            "patches[0]: missing or non-string 'op' field",
        ),
        (
            json!([{"op": "move", "path": "f.txt"}]),
            "unknown patch op: 'move' (expected create, replace, or edit)",
        ),
        (
            json!([{"op": "create", "path": "n.txt"}]),
            "create requires a 'content' field",
        ),
        (
            json!([{"op": "edit", "path": "f.txt"}]),
            "edit requires an 'old_string' field",
        ),
        (
            json!([edit("f.txt", "one", "1"), edit("g.txt", "g", "G")]),
            "multi-patch calls must target one file",
        ),
        (
            json!([edit("f.txt", "one", "1"), edit("./f.txt", "two", "2")]),
            "multi-patch calls must target one file",
        ),
        (
            json!([edit("f.txt", "one", "1"), {"op": "create", "path": "f.txt", "content": ""}]),
            "multi-patch calls only support edit operations for one file",
        ),
        (
            json!([edit("f.txt", "one", "1"), edit("f.txt", "zero", "0")]),
            "edits[1].old_string not found",
        ),
        (
            json!([edit("f.txt", "one\ntwo", "1"), edit("f.txt", "two", "2")]),
            "edits[0] and edits[1] overlap in f.txt",
        ),
    ] {
        let refusal = bench.refusal("write_patch", json!({"patches": patches})).await;
        assert!(refusal.contains(expected), "{refusal}");
    }
    assert_eq!(bench.refusal("write_patch", json!({})).await, "missing 'patches' field");
    // All are located in the text of before: the second finds no `2` that the first made.
    bench
        .text(
            "write_patch",
            json!({"patches": [edit("f.txt", "three", "3"), edit("f.txt", "one", "three")]}),
        )
        .await;
    assert_eq!(bench.disk("f.txt").unwrap(), "three\ntwo\n3\n");
}

#[tokio::test]
async fn a_file_is_replaced_only_as_it_was_read() {
    let bench = Bench::new(&[("f.txt", "old\n")]);
    let replace = |content: &str| json!({"patches": [{"op": "replace", "path": "f.txt", "content": content}]});
    assert!(
        bench
            .refusal("write_patch", replace("blind"))
            .await
            .contains("was not read yet")
    );
    bench
        .text("read_file_range", json!({"path": "f.txt", "start_line": 1}))
        .await;
    std::fs::write(bench.root().join("f.txt"), "typed meanwhile\n").unwrap();
    assert!(
        bench
            .refusal("write_patch", replace("new\n"))
            .await
            .starts_with("stale file")
    );
    bench
        .text("read_file_range", json!({"path": "f.txt", "start_line": 1}))
        .await;
    bench.text("write_patch", replace("new\n")).await;
    bench.text("write_patch", replace("newer\n")).await;
    assert_eq!(bench.disk("f.txt").unwrap(), "newer\n", "what the model wrote it knows");
    bench
        .text(
            "write_patch",
            json!({"patches": [{"op": "replace", "path": "n.txt", "content": "made"}]}),
        )
        .await;
    assert_eq!(bench.disk("n.txt").unwrap(), "made");
}

#[tokio::test]
async fn a_turn_can_be_taken_back() {
    let bench = Bench::new(&[("f.txt", "a\nb\n")]);
    bench
        .text(
            "replace_range",
            json!({"path": "f.txt", "old_string": "a", "new_string": "A"}),
        )
        .await;
    bench
        .text("create_file", json!({"path": "n.txt", "content": "n\n"}))
        .await;
    std::fs::write(bench.root().join("f.txt"), "A\nb\ntyped\n").unwrap();
    let changes = &bench.context.changes;
    let turn = changes.last_turn().unwrap();
    let mut texts = Vec::new();
    for (path, of_file) in changes.undecided(&Selection::Turn(turn)) {
        let undone = undo_all(&of_file, std::fs::read_to_string(path).ok().as_deref());
        assert!(undone.kept.is_empty());
        texts.push(undone.text);
        for (id, hunks) in undone.taken {
            changes.decide(id, &hunks);
        }
    }
    assert_eq!(texts, [Some("a\nb\ntyped\n".to_owned()), None]);
    assert_eq!(changes.last_turn(), None);
}

#[tokio::test]
async fn an_edit_on_its_way_is_recorded_though_the_turn_is_gone() {
    let bench = Bench::new(&[("f.txt", "a\n")]);
    let (open_gate, gate) = tokio::sync::oneshot::channel();
    *bench.host.gate.lock().unwrap() = Some(gate);
    let call = bench.call(
        "replace_range",
        json!({"path": "f.txt", "old_string": "a", "new_string": "b"}),
    );
    let host = bench.host.clone();
    tokio::select! {
        biased;
        result = call => panic!("the gate is shut: {result:?}"),
        () = async { while host.gate.lock().unwrap().is_some() { tokio::task::yield_now().await } } => {}
    }
    open_gate.send(()).unwrap();
    while bench.host.events.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.disk("f.txt").unwrap(), "b\n");
    assert_eq!(
        bench
            .context
            .changes
            .undecided(&Selection::Turn(bench.context.turn.clone()))
            .len(),
        1
    );
}

#[cfg(unix)]
#[tokio::test]
async fn one_file_under_two_names_is_one_text() {
    let bench = Bench::new(&[("f.txt", "disk\n")]);
    bench.open("f.txt", "typed\n");
    std::os::unix::fs::symlink("f.txt", bench.root().join("link.txt")).unwrap();
    let text = bench
        .text("read_file_range", json!({"path": "link.txt", "start_line": 1}))
        .await;
    assert!(text.starts_with("1: typed\n[f.txt:"), "{text}");
    bench
        .text(
            "replace_range",
            json!({"path": "link.txt", "old_string": "typed", "new_string": "edited"}),
        )
        .await;
    assert_eq!(bench.buffer("f.txt"), "edited\n");
}
