//! What an editor shows of a skill and lets one follow, in the protocol's terms.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted};

const SKILL: &str = ".claude/skills/deploy/SKILL.md";
const TEXT: &str = "---\nname: deploy\ndescription: Ships 🦀.\n---\n# Deploy\n\n🦀 see [notes](references/a%20b.md), \
                    [end](#the-end) and <https://a.b>.\n\n## The end\n\n!`run $0`\n";

/// The methods that this file is about.
const METHODS: [&str; 5] = [
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
];

/// What any of the methods takes beside the document.
fn anything() -> Value {
    json!({"positions": [{"line": 0, "character": 0}]})
}

async fn ask(session: &mut Session, name: &str, method: &str, mut params: Value) -> Value {
    let uri = file_uri(&session.path(name)).unwrap();
    params["textDocument"] = json!({"uri": uri.as_str()});
    session.editor.request(method, params).await.unwrap()
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let position = |(line, character)| json!({"line": line, "character": character});
    json!({"start": position(start), "end": position(end)})
}

async fn open() -> Session {
    let mut with_trees = capabilities();
    with_trees["textDocument"] = json!({"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}});
    let mut session = Session::start_with(&[(SKILL, TEXT)], with_trees, trusted(), &[])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    session
}

#[tokio::test]
async fn the_outline_is_a_tree_or_a_list() {
    let mut session = open().await;
    let tree = ask(&mut session, SKILL, "textDocument/documentSymbol", json!({})).await;
    let names = |symbols: &Value| -> Vec<Value> {
        symbols
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].clone())
            .collect()
    };
    assert_eq!(names(&tree), ["Frontmatter", "Deploy"]);
    assert_eq!(names(&tree[0]["children"]), ["name", "description"]);
    assert_eq!(names(&tree[1]["children"]), ["The end"]);
    assert_eq!(tree[0]["children"][1]["detail"], "Ships 🦀.");
    assert_eq!(tree[1]["selectionRange"], range((4, 0), (4, 8)));

    let mut session = Session::start(&[(SKILL, TEXT)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let list = ask(&mut session, SKILL, "textDocument/documentSymbol", json!({})).await;
    assert_eq!(
        names(&list),
        ["Frontmatter", "name", "description", "Deploy", "The end"]
    );
    assert_eq!(
        (&list[1]["containerName"], &list[1]["children"]),
        (&json!("Frontmatter"), &Value::Null)
    );
}

#[tokio::test]
async fn sections_fold_and_selections_grow() {
    let mut session = open().await;
    let folds = ask(&mut session, SKILL, "textDocument/foldingRange", json!({})).await;
    let lines: Vec<_> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["startLine"].as_u64().unwrap(), it["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(0, 3), (4, 10), (8, 10)]);

    let positions = json!({"positions": [{"line": 6, "character": 20}, {"line": 99, "character": 0}]});
    let grown = ask(&mut session, SKILL, "textDocument/selectionRange", positions).await;
    assert_eq!(grown.as_array().unwrap().len(), 2, "one answer a position");
    assert_eq!(grown[0]["range"], range((6, 15), (6, 25)));
    assert_eq!(grown[0]["parent"]["range"], range((6, 15), (6, 34)));
    assert_eq!(grown[0]["parent"]["parent"]["range"], range((6, 7), (6, 35)));
}

#[tokio::test]
async fn a_line_is_repaired_when_one_goes_on_to_the_next() {
    let text = "---\nname: deploy\ndescription: Use when: it 🦀 is due\n\n---\n";
    let mut session = Session::start_with(&[(SKILL, text)], capabilities(), trusted(), &[])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    let method = "textDocument/onTypeFormatting";
    let at = |line: u32| json!({"position": {"line": line, "character": 0}, "ch": "\n", "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = ask(&mut session, SKILL, method, at(3)).await;
    let quote = |character| json!({"range": range((2, character), (2, character)), "newText": "\""});
    assert_eq!(edits, json!([quote(13), quote(35)]));
    for line in [0, 2, 4, 99] {
        assert_eq!(ask(&mut session, SKILL, method, at(line)).await, Value::Null);
    }
}

#[tokio::test]
async fn links_lead_beside_the_skill() {
    let mut session = open().await;
    let links = ask(&mut session, SKILL, "textDocument/documentLink", json!({})).await;
    let folder = file_uri(&session.path(".claude/skills/deploy")).unwrap();
    let expected = json!([
        {"range": range((6, 15), (6, 34)), "target": format!("{}/references/a%20b.md", folder.as_str())},
        {"range": range((6, 43), (6, 51)), "target": format!("{}/SKILL.md#L9", folder.as_str())},
        {"range": range((6, 58), (6, 69)), "target": "https://a.b"},
    ]);
    assert_eq!(links, expected);
}

#[tokio::test]
async fn tokens_are_counted_from_one_to_the_next() {
    let mut session = open().await;
    let tokens = ask(&mut session, SKILL, "textDocument/semanticTokens/full", json!({})).await;
    // A command (macro, 2), an argument (parameter, 0), and the rest of the command.
    assert_eq!(tokens["data"], json!([10, 0, 6, 2, 0, 0, 6, 2, 0, 0, 0, 2, 1, 2, 0]));
}

#[tokio::test]
async fn a_skill_that_is_named_in_a_sentence_is_a_token_and_a_word_behind_a_slash_is_none() {
    let other = ".claude/skills/beta/SKILL.md";
    let text = "---\nname: deploy\ndescription: x\n---\nRun /beta and/or /gamma.\n";
    let files = [(SKILL, text), (other, "---\nname: beta\ndescription: x\n---\nx\n")];
    let mut refreshing = capabilities();
    refreshing["workspace"]["semanticTokens"] = json!({"refreshSupport": true});
    let mut session = Session::start_with(&files, refreshing, trusted(), &[]).await.unwrap();
    session.open(SKILL).await.unwrap();
    // As soon as the skills are known.
    session
        .editor
        .wait_for("workspace/semanticTokens/refresh")
        .await
        .unwrap();
    let tokens = ask(&mut session, SKILL, "textDocument/semanticTokens/full", json!({})).await;
    let data: Vec<u64> = serde_json::from_value(tokens["data"].clone()).unwrap();
    assert_eq!((data.len(), &data[..3]), (5, &[4, 5, 4][..]), "{data:?}");
}

#[tokio::test]
async fn other_files_have_none_of_it() {
    let mut session = Session::start(&[("README.md", TEXT)]).await.unwrap();
    session.open("README.md").await.unwrap();
    for method in METHODS {
        assert_eq!(
            ask(&mut session, "README.md", method, anything()).await,
            Value::Null,
            "{method}"
        );
    }
}

#[tokio::test]
async fn every_text_is_answered_while_it_is_typed() {
    let mut session = Session::start(&[]).await.unwrap();
    let texts = [
        "",
        "---",
        "---\nname: x",
        "# ",
        "- ".repeat(50_000).as_str(),
        "[".repeat(50_000).as_str(),
    ]
    .map(str::to_owned);
    for (number, text) in texts.iter().enumerate() {
        let name = format!(".claude/skills/s{number}/SKILL.md");
        session.editor.open(&session.path(&name), "", text).await.unwrap();
        for method in METHODS {
            assert!(
                !ask(&mut session, &name, method, anything()).await.is_null(),
                "{method}"
            );
        }
    }
}

#[tokio::test]
async fn they_are_registered_for_skill_files_where_the_client_can() {
    let mut dynamic = capabilities();
    let can = json!({"dynamicRegistration": true});
    dynamic["textDocument"] = json!({
        "documentSymbol": can, "foldingRange": can, "selectionRange": can, "documentLink": can,
        "semanticTokens": {"dynamicRegistration": true, "requests": {}, "tokenTypes": [], "tokenModifiers": [], "formats": []},
    });
    let mut session = Session::start_with(&[], dynamic, trusted(), &[]).await.unwrap();
    let registered = session.editor.wait_for("client/registerCapability").await.unwrap();
    let registrations = registered["registrations"].as_array().unwrap();
    let methods: Vec<_> = registrations.iter().map(|it| it["method"].as_str().unwrap()).collect();
    let expected: Vec<_> = METHODS.iter().map(|method| method.trim_end_matches("/full")).collect();
    assert_eq!(methods, expected);
    for it in registrations {
        let selector = &it["registerOptions"]["documentSelector"];
        assert_eq!(
            *selector,
            json!([{"pattern": "**/SKILL.md"}, {"pattern": "**/.claude/commands/**/*.md"},
               {"pattern": "**/.{agents,openhands}/skills/*.md"}, {"pattern": "**/.openhands/microagents/*.md"},
               {"language": "skill"}])
        );
    }
    assert_eq!(registrations[4]["registerOptions"]["full"], true);
}

#[tokio::test]
async fn selections_end_where_their_lines_do() {
    // The content of a fence that begins with another line end than the fence has.
    let text = "---\r\nname: deploy\r\ndescription: Ships 🦀.\r\n---\r\n# é🦀\r\n\r\n```\n\r\n\r\n---\r\na\r\n";
    let plain = text.replace("\r\n", "\n");
    let lines: Vec<&str> = plain.split('\n').collect();
    for kind in ["utf-8", "utf-16", "utf-32"] {
        let length = |line: &str| match kind {
            "utf-8" => line.len(),
            "utf-16" => line.encode_utf16().count(),
            _ => line.chars().count(),
        };
        let mut wanted = capabilities();
        wanted["general"]["positionEncodings"] = json!([kind]);
        let mut session = Session::start_with(&[], wanted, trusted(), &[]).await.unwrap();
        session.editor.open(&session.path(SKILL), "", text).await.unwrap();
        for line in 0..lines.len() {
            let positions = json!({"positions": [{"line": line, "character": 9}]});
            let grown = ask(&mut session, SKILL, "textDocument/selectionRange", positions).await;
            let mut step = &grown[0];
            while !step.is_null() {
                for end in [&step["range"]["start"], &step["range"]["end"]] {
                    let at = |key: &str| usize::try_from(end[key].as_u64().unwrap()).unwrap();
                    assert!(
                        at("character") <= length(lines[at("line")]),
                        "{kind}, line {line}: {end}"
                    );
                }
                step = &step["parent"];
            }
        }
    }
}

#[tokio::test]
async fn the_frontmatter_of_a_new_file_is_completed_in_the_line_of_the_cursor() {
    let whole = "---\nname: deploy\n";
    // What is typed, where the cursor is, and what the text begins with once it is taken.
    let cases: [(&str, (u32, u32), Option<&str>); 10] = [
        ("", (0, 0), Some(whole)),
        ("-", (0, 1), Some(whole)),
        ("---", (0, 3), Some(whole)),
        ("---\n", (0, 3), Some(whole)),
        ("---\n", (1, 0), Some(whole)),
        ("---\r\n\r\n", (1, 0), Some("---\r\nname: deploy\n")),
        ("---\n\n  ", (2, 1), Some("---\n\nname: deploy\n")),
        ("\n\n", (1, 0), Some("\n---\nname: deploy\n")),
        ("--\n", (1, 0), None),
        ("\n---", (0, 0), None),
    ];
    for snippets in [false, true] {
        for (typed, (line, character), expected) in cases {
            let mut wanted = capabilities();
            wanted["textDocument"] = json!({"completion": {"completionItem": {"snippetSupport": snippets}}});
            let mut session = Session::start_with(&[], wanted, trusted(), &[]).await.unwrap();
            let path = session.path(SKILL);
            session.editor.open(&path, "", typed).await.unwrap();
            let at = json!({"position": {"line": line, "character": character}});
            let answer = ask(&mut session, SKILL, "textDocument/completion", at).await;
            let item = answer.as_array().unwrap().iter().find(|item| item["label"] == "---");
            let Some(expected) = expected else {
                assert_eq!(item, None, "{typed:?}");
                continue;
            };
            let edit = &item.unwrap_or_else(|| panic!("{typed:?}: {answer}"))["textEdit"];
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            assert!(start["line"] == line && end["line"] == line, "{typed:?}: {edit}");
            let columns = (start["character"].as_u64().unwrap(), end["character"].as_u64().unwrap());
            assert!(
                (columns.0..=columns.1).contains(&u64::from(character)),
                "{typed:?}: {edit}"
            );
            let edits = vec![serde_json::from_value(edit.clone()).unwrap()];
            let uri = file_uri(&path).unwrap();
            session.editor.change(uri.as_str(), edits).await.unwrap();
            let text = session.editor.text(&path).unwrap();
            let text = text.replace("${1:deploy}", "deploy");
            assert!(text.starts_with(expected), "{typed:?}: {text:?}");
            assert_eq!(text.matches("---").count(), 2, "{typed:?}: {text:?}");
        }
    }
}
