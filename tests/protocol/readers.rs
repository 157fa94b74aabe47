//! What each system makes of a skill is shown, asked for, and follows what is typed.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::Session;

const SKILL: &str = ".agents/skills/greet/SKILL.md";
const BROKEN: &str = "---\nname: greet\ndescription: Use this: now\n---\n# Greet\n";
const MENDED: &str = "---\nname: greet\ndescription: \"Use this: now\"\n---\n# Greet\n";

async fn readers(session: &mut Session) -> Value {
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let answer = session.editor.request("skills/readers", json!({"uri": uri})).await;
    answer.unwrap()
}

/// The verdict of one system.
fn of<'a>(answer: &'a Value, reader: &str) -> &'a Value {
    let all = answer["readers"].as_array().unwrap();
    all.iter().find(|verdict| verdict["reader"] == reader).unwrap()
}

/// How many of the systems that read the place load the skill, as the answer's rows say.
fn counted(answer: &Value) -> String {
    let all = answer["readers"].as_array().unwrap();
    let here: Vec<_> = all.iter().filter(|verdict| verdict["readsPlace"] == true).collect();
    let load = here.iter().filter(|verdict| verdict["loads"] == true).count();
    format!("Loads in {load} of {} systems that read this folder", here.len())
}

/// Whether every system that reads the place loads the skill.
fn is_loaded_by_all(answer: &Value) -> bool {
    let mut all = answer["readers"].as_array().unwrap().iter();
    all.all(|verdict| verdict["readsPlace"] == false || verdict["loads"] == true)
}

async fn replace(session: &mut Session, text: &str) {
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let edit = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]});
    session.editor.notify("textDocument/didChange", edit).await.unwrap();
}

#[tokio::test]
async fn what_each_system_makes_of_an_open_skill_is_asked_for() {
    let mut session = Session::start(&[(SKILL, BROKEN)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let answer = readers(&mut session).await;
    assert_eq!(answer["summary"], counted(&answer));
    assert!(!is_loaded_by_all(&answer));
    let goose = of(&answer, "goose");
    assert_eq!(goose["outcome"], "not loaded");
    assert_eq!(goose["readsPlace"], true);
    assert!(
        goose["reason"]
            .as_str()
            .unwrap()
            .contains("mapping values are not allowed")
    );
    assert_eq!(of(&answer, "claude")["readsPlace"], false);
    let codex = of(&answer, "codex");
    assert_eq!(
        (&codex["command"], &codex["description"]),
        (&json!("$greet"), &json!("Use this: now"))
    );
    assert_eq!(codex["listing"], "- greet: Use this: now (file: r0/greet/SKILL.md)");

    replace(&mut session, MENDED).await;
    let answer = readers(&mut session).await;
    assert_eq!(answer["summary"], counted(&answer));
    assert!(is_loaded_by_all(&answer));
    assert_eq!(of(&answer, "goose")["listing"], "• greet - Use this: now");

    let other = json!({"uri": "file:///nowhere/SKILL.md"});
    let error = session.editor.request("skills/readers", other).await.unwrap_err();
    assert!(error.to_string().contains("open it first"), "{error}");
}

#[tokio::test]
async fn the_document_of_who_loads_a_skill_follows_what_is_typed() {
    let mut session = Session::start(&[(SKILL, BROKEN)]).await.unwrap();
    session.open(SKILL).await.unwrap();
    let broken = counted(&readers(&mut session).await);
    let actions = session.code_actions(SKILL, 0, 0).await.unwrap();
    let action = actions
        .iter()
        .find(|action| action["title"] == "Show who loads this skill")
        .unwrap();
    let (command, arguments) = (
        action["command"].as_str().unwrap().to_owned(),
        action["arguments"].clone(),
    );
    session.execute(&command, arguments).await.unwrap();
    let shown = session.editor.wait_for("window/showDocument").await.unwrap();
    let path = std::path::PathBuf::from(shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&format!("# Who loads greet\n\n{broken}")), "{text}");
    let is_refused = |line: &str| line.starts_with("| **goose** ") && line.contains(" | not loaded ");
    assert!(text.lines().any(is_refused), "{text}");
    assert!(
        text.contains("Codex:\n\n```text\n- greet: Use this: now (file: r0/greet/SKILL.md)\n```"),
        "{text}"
    );

    session.editor.open(&path, "markdown", &text).await.unwrap();
    replace(&mut session, MENDED).await;
    let mended = counted(&readers(&mut session).await);
    assert_ne!(mended, broken);
    loop {
        session.editor.wait_for("workspace/applyEdit").await.unwrap();
        let text = session.editor.text(&path).unwrap();
        if text.contains(&mended) {
            assert!(
                text.contains("goose:\n\n```text\n• greet - Use this: now\n```"),
                "{text}"
            );
            break;
        }
    }
}
