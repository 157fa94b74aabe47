//! The server's text is the client's, whatever is typed and however positions are counted.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ropey::Rope;
use serde_json::json;
use skills_ls::analysis::Analysis;
use skills_ls::framing::encode;
use skills_ls::headless::file_uri;
use skills_ls::position::Encoding;
use skills_ls::to_proto;
use skills_tests::{Session, capabilities, trusted};
use tower_lsp::ls_types::TextEdit;

/// What is typed: ordinary text, several bytes, surrogate pairs, every line end, and what must not end a line.
const TYPED: &str = "[a-z :#-]{0,6}|é|🦀|技能|\r\n|\n|\r|\u{2028}|\u{85}|---\n|name: x\n|";

#[tokio::test]
async fn three_thousand_edits_with_requests_between_them() {
    for kind in ["utf-8", "utf-16", "utf-32"] {
        let encoding = match kind {
            "utf-8" => Encoding::Utf8,
            "utf-16" => Encoding::Utf16,
            _ => Encoding::Utf32,
        };
        let mut wanted = capabilities();
        wanted["general"]["positionEncodings"] = json!([kind]);
        let mut session = Session::start_with(&[], wanted, trusted(), &[]).await.unwrap();
        let path = session.path("skills/x/SKILL.md");
        let uri = file_uri(&path).unwrap();
        session.editor.open(&path, "", "---\nname: x\n---\n").await.unwrap();
        let mut runner = TestRunner::deterministic();
        let strategy = (0.0..1.0f64, 0..12usize, TYPED);
        for step in 0..1000 {
            let text = session.editor.text(&path).unwrap();
            let rope = Rope::from_str(&text);
            let (at, length, typed) = strategy.new_tree(&mut runner).unwrap().current();
            // Any two characters may be the ends of a change; the text stays short enough to be compared each time.
            let length = if text.len() > 2000 { 500 } else { length };
            let start = (at * rope.len_chars() as f64) as usize;
            let end = (start + length).min(rope.len_chars());
            let range = encoding.range(&rope, rope.char_to_byte(start)..rope.char_to_byte(end));
            session
                .editor
                .change(uri.as_str(), vec![TextEdit { range, new_text: typed }])
                .await
                .unwrap();
            let expected = session.editor.text(&path).unwrap();
            // A request between edits sees exactly the edits before it, and so do the findings that came before it.
            let position = json!({"line": 1, "character": 0});
            let params = json!({"textDocument": {"uri": uri.as_str()}, "position": position});
            session.editor.request("textDocument/hover", params).await.unwrap();
            let state = session.shared.state();
            let (seen, client) = (state.documents.get(&uri).unwrap().clone(), state.client.clone());
            drop(state);
            assert_eq!(
                (&**seen.text(), seen.version),
                (expected.as_str(), step + 2),
                "{kind}, edit {step}"
            );
            let mut told = session
                .editor
                .unread()
                .into_iter()
                .filter(|(method, _)| method.ends_with("publishDiagnostics"));
            let (_, told) = told.next_back().unwrap();
            let analysis = Analysis::of(expected.into(), &seen.slash_path());
            let findings = analysis
                .findings
                .iter()
                .map(|finding| to_proto::diagnostic(&seen, &client, finding));
            assert_eq!(told["version"], seen.version);
            assert_eq!(
                told["diagnostics"],
                json!(findings.collect::<Vec<_>>()),
                "{kind}, edit {step}"
            );
        }
    }
}

#[tokio::test]
async fn half_a_surrogate_pair_costs_no_change() {
    let mut session = Session::start(&[]).await.unwrap();
    let path = session.path("a.txt");
    session.editor.open(&path, "", "abc\n").await.unwrap();
    let change = json!({
        "textDocument": {"uri": file_uri(&path).unwrap(), "version": 2},
        "contentChanges": [{"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}}, "text": "@"}],
    });
    let message = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change});
    // JavaScript writes what it has; the escaped backslash begins no escape.
    let body = message.to_string().replace('@', r"\ud83d\\ud83d\ud83d\ude00");
    session.editor.send_bytes(&encode(body.as_bytes())).await.unwrap();
    session.editor.request("skills/active", json!({})).await.unwrap();
    let text = session
        .shared
        .state()
        .documents
        .of_path(&path)
        .map(|document| document.text().clone());
    assert_eq!(text.as_deref(), Some("a\u{fffd}\\ud83d😀bc\n"));
}
