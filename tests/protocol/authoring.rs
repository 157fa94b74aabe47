//! A skill is checked, completed, explained and repaired while it is typed.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted};

const SKILL: &str = ".claude/skills/deploy/SKILL.md";
const BROKEN: &str = "---\nname: deploy\ndescription: Use when: deploying 🦀 now\n---\n# Deploy\n";

#[tokio::test]
async fn a_finding_comes_with_every_version_and_its_fix_makes_it_go() {
    let mut session = Session::start(&[(SKILL, BROKEN)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let found = session.diagnostics(SKILL).await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["code"], &found[0]["source"]),
        (&json!("unquoted-colon"), &json!("skills-ls"))
    );
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    let actions = session.code_actions(SKILL, 2, 0).await.unwrap();
    let fix = actions.iter().find(|action| action["isPreferred"] == true).unwrap();
    assert_eq!((&fix["kind"], &fix["diagnostics"]), (&json!("quickfix"), &json!(found)));
    session.take(fix).await.unwrap();
    assert_eq!(session.diagnostics(SKILL).await.unwrap(), Vec::<Value>::new());
    let text = session.editor.text(&session.path(SKILL)).unwrap();
    assert_eq!(
        text,
        "---\nname: deploy\ndescription: \"Use when: deploying 🦀 now\"\n---\n# Deploy\n"
    );
    session.editor.close(&session.path(SKILL)).await.unwrap();
    assert_eq!(session.diagnostics(SKILL).await.unwrap(), Vec::<Value>::new());
}

#[tokio::test]
async fn fields_are_completed_and_explained() {
    let mut session = Session::start(&[(SKILL, "---\nname: deploy\ndesc\n---\n")])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let at = |line: u32, character: u32| json!({"textDocument": {"uri": uri.as_str()}, "position": {"line": line, "character": character}});
    let items = session
        .editor
        .request("textDocument/completion", at(2, 4))
        .await
        .unwrap();
    let item = items
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["label"] == "description")
        .unwrap();
    assert_eq!(
        item["textEdit"]["range"],
        json!({"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 4}})
    );
    assert!(item["documentation"]["value"].as_str().unwrap().len() > 20);
    let hover = session.editor.request("textDocument/hover", at(1, 1)).await.unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("name"), "{hover}");
}

#[tokio::test]
async fn other_files_are_left_alone() {
    let mut session = Session::start(&[("README.md", BROKEN), ("a.rs", "fn main() {}\n")])
        .await
        .unwrap();
    for name in ["README.md", "a.rs"] {
        session.open(name).await.unwrap();
        let uri = file_uri(&session.path(name)).unwrap();
        let params = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 1}});
        assert_eq!(
            session
                .editor
                .request("textDocument/completion", params.clone())
                .await
                .unwrap(),
            Value::Null
        );
        assert_eq!(
            session.editor.request("textDocument/hover", params).await.unwrap(),
            Value::Null
        );
    }
    let pushed = session
        .editor
        .unread()
        .into_iter()
        .filter(|(method, _)| method.ends_with("publishDiagnostics"));
    assert_eq!(pushed.count(), 0);
}

#[tokio::test]
async fn a_client_that_pulls_is_not_pushed_to() {
    let mut pulling = capabilities();
    pulling["textDocument"] = json!({"diagnostic": {"dynamicRegistration": false}});
    let mut session = Session::start_with(&[(SKILL, BROKEN)], pulling, trusted(), &[])
        .await
        .unwrap();
    session.open(SKILL).await.unwrap();
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let mut params = json!({"textDocument": {"uri": uri}});
    let report = session
        .editor
        .request("textDocument/diagnostic", params.clone())
        .await
        .unwrap();
    assert_eq!(
        (&report["kind"], &report["items"][0]["code"]),
        (&json!("full"), &json!("unquoted-colon"))
    );
    params["previousResultId"] = report["resultId"].clone();
    let report = session.editor.request("textDocument/diagnostic", params).await.unwrap();
    assert_eq!(report["kind"], "unchanged");
    let pushed = session
        .editor
        .unread()
        .into_iter()
        .filter(|(method, _)| method.ends_with("publishDiagnostics"));
    assert_eq!(pushed.count(), 0);
}

#[tokio::test]
async fn hostile_texts_are_answered() {
    let bomb: String = (1..60)
        .map(|n| format!("k{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1))
        .collect();
    let nested = format!("a: {}\n", "[".repeat(100_000));
    let long = format!("description: {}\n", "x ".repeat(1 << 20));
    let cases = [bomb, nested, long, "\u{0}\u{feff}\u{202e}: - ? ! @\n".to_owned()];
    let mut session = Session::start(&[]).await.unwrap();
    for (number, frontmatter) in cases.iter().enumerate() {
        let name = format!(".claude/skills/s{number}/SKILL.md");
        let text = format!("---\n{frontmatter}---\nbody\n");
        let path = session.path(&name);
        session.editor.open(&path, "", &text).await.unwrap();
        session.diagnostics(&name).await.unwrap();
        session.editor.replace(&path, "body", "text").await.unwrap();
        session.diagnostics(&name).await.unwrap();
    }
}
