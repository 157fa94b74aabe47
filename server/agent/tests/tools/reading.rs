use serde_json::json;

use crate::host::Bench;

const READ: &str = "read_file_range";

#[tokio::test]
async fn ranges() {
    let bench = Bench::new(&[
        ("f.txt", "a\nb\nc\n"),
        ("crlf.txt", "\u{feff}a\r\nb\r\n"),
        ("long.txt", &"x\n".repeat(50)),
    ]);
    for (path, start, end, expected) in [
        (
            "f.txt",
            0,
            Some(1),
            "1: a\n[f.txt:1-1 of 3 lines; expected_before_hash ",
        ),
        ("f.txt", 2, None, "2: b\n3: c\n[f.txt:2-3 of 3 lines"),
        ("f.txt", 3, Some(1), "3: c\n["),
        ("crlf.txt", 1, None, "1: a\n2: b\n["),
    ] {
        let text = bench
            .text(READ, json!({"path": path, "start_line": start, "end_line": end}))
            .await;
        assert!(text.starts_with(expected), "{text}");
    }
    let text = bench.text(READ, json!({"path": "long.txt", "start_line": 1})).await;
    assert_eq!(text.lines().count(), 22, "21 lines and the note");
    let refusal = bench.refusal(READ, json!({"path": "f.txt", "start_line": 9})).await;
    assert!(
        refusal.starts_with("no lines in range 9-29; f.txt has 3 lines"),
        "{refusal}"
    );
    let refusal = bench.refusal(READ, json!({"path": "../x", "start_line": 1})).await;
    assert_eq!(refusal, "path escapes workspace root: ../x");
}

#[tokio::test]
async fn an_unsaved_text_is_what_is_read() {
    let bench = Bench::new(&[("f.txt", "disk\n")]);
    bench.open("f.txt", "typed\n");
    bench.open("new.txt", "only here\n");
    for (path, expected) in [("f.txt", "1: typed\n"), ("new.txt", "1: only here\n")] {
        assert!(
            bench
                .text(READ, json!({"path": path, "start_line": 1}))
                .await
                .starts_with(expected)
        );
    }
    let seen = bench.context.ledger.seen(&bench.root().join("f.txt"));
    assert_eq!(seen.as_deref(), Some("typed\n"), "the ledger knows what the model saw");
}

#[tokio::test]
async fn outputs_have_caps() {
    let bench = Bench::new(&[
        ("wide.txt", &"é".repeat(600)),
        ("big.txt", &format!("{}\n", "y".repeat(500)).repeat(1000)),
    ]);
    let text = bench.text(READ, json!({"path": "wide.txt", "start_line": 1})).await;
    assert!(text.starts_with(&format!("1: {}...\n", "é".repeat(509))), "{text}");
    let output = bench
        .call(READ, json!({"path": "big.txt", "start_line": 1, "end_line": 1000}))
        .await
        .unwrap();
    assert!(output.truncated && output.text.len() < 66_000 && output.text.contains("cut at 65536 bytes"));
}

#[tokio::test]
async fn wrong_arguments_are_answered_with_what_is_expected() {
    let bench = Bench::new(&[("f.txt", "a\n")]);
    let expected = "expected {end_line?: integer, path: string, start_line: integer}";
    for (input, what) in [
        (json!({"path": "f.txt"}), "missing field `start_line`"),
        (
            json!({"path": 1, "start_line": 1}),
            "invalid type: integer `1`, expected a string",
        ),
        (
            json!({"path": "f.txt", "start_line": "one"}),
            "invalid type: string \"one\"",
        ),
        (
            json!({"path": "f.txt", "start_line": -1}),
            "invalid value: integer `-1`",
        ),
        (
            json!({"path": "f.txt", "start_line": 1, "lines": 3}),
            "unknown field `lines`",
        ),
        (json!([1, 2]), "invalid"),
        (json!(null), "invalid type: null"),
    ] {
        let refusal = bench.refusal(READ, input).await;
        assert!(refusal.contains(what) && refusal.ends_with(expected), "{refusal}");
    }
    for tool in skills_agent::tools::all(&Default::default()).iter() {
        let name = tool.spec().name;
        let input = if name == "write_patch" {
            json!({})
        } else {
            json!("nonsense")
        };
        assert!(!bench.refusal(name, input.clone()).await.is_empty());
        // Whatever comes is shown on one line.
        assert!(!tool.summary(&input).contains('\n'));
    }
}

#[test]
fn the_tools_are_sorted_and_say_what_they_take() {
    let tools = skills_agent::tools::all(&Default::default());
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name).collect();
    assert!(names.is_sorted());
    for tool in tools.iter() {
        let schema = tool.spec().input_schema;
        let known = schema["properties"].as_object().unwrap();
        let required = schema["required"].as_array().into_iter().flatten();
        assert!(
            required
                .into_iter()
                .all(|name| known.contains_key(name.as_str().unwrap())),
            "{}",
            tool.spec().name
        );
    }
}
