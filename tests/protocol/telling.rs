//! What clients tell beside the standard, and are told: where the person looks, and previews that follow their skill.

use serde_json::{Value, json};
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted, write};

const SKILL: &str = ".agents/skills/greet/SKILL.md";
const TEXT: &str = "---\nname: greet\ndescription: Greets.\nreferences: [tone.md]\n---\nSay hello.\n";
const DID_FOCUS: &str = "skills/textDocument/didFocus";

/// What the client's model is given for a prompt that names no document.
async fn given(session: &mut Session) -> String {
    session
        .execute("skills.server.ask", json!(["explain this"]))
        .await
        .unwrap();
    let params = session.editor.wait_for("skills/lm/request").await.unwrap();
    let end = json!({"requestId": params["requestId"]});
    let part = json!({"requestId": params["requestId"], "part": {"type": "text", "text": "ok"}});
    session.editor.notify("skills/lm/chunk", part).await.unwrap();
    session.editor.notify("skills/lm/end", end).await.unwrap();
    session.turn_end().await.unwrap();
    params["messages"].as_array().unwrap().last().unwrap().to_string()
}

#[tokio::test]
async fn a_prompt_that_names_no_document_is_about_the_one_that_the_person_looks_at() {
    let mut can = capabilities();
    can["experimental"]["skillsAgent"]["lm"] = json!({});
    let mut options = trusted();
    options["model"] = json!({"provider": "editor"});
    let files = [("src/a.rs", "one\ntwo\n"), ("src/b.rs", "x\n")];
    let mut session = Session::start_with(&files, can, options, &[]).await.unwrap();
    session.editor.answer = |method, _| (method == "skills/lm/request").then(|| json!({"accepted": true}));
    for file in ["src/a.rs", "src/b.rs"] {
        session.open(file).await.unwrap();
    }
    let uri = |session: &Session, file: &str| file_uri(&session.path(file)).unwrap();
    assert!(
        !given(&mut session).await.contains("looking at"),
        "nobody said where they look"
    );

    let selection = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    let focus = json!({"textDocument": {"uri": uri(&session, "src/a.rs")}, "selection": selection});
    session.editor.notify(DID_FOCUS, focus).await.unwrap();
    let text = given(&mut session).await;
    assert!(
        text.contains("looking at src/a.rs, with lines 1 to 2 selected"),
        "{text}"
    );

    // A transcript is where they write.
    let elsewhere = file_uri(&session.outside().join("state/transcript.md")).unwrap();
    let focus = json!({"textDocument": {"uri": elsewhere}});
    session.editor.notify(DID_FOCUS, focus).await.unwrap();
    assert!(given(&mut session).await.contains("looking at src/a.rs"));

    let focus = json!({"textDocument": {"uri": uri(&session, "src/b.rs")}});
    session.editor.notify(DID_FOCUS, focus).await.unwrap();
    assert!(given(&mut session).await.contains("looking at src/b.rs."));
    session
        .editor
        .notify(DID_FOCUS, json!({"textDocument": null}))
        .await
        .unwrap();
    assert!(!given(&mut session).await.contains("looking at"));

    let focus = json!({"textDocument": {"uri": uri(&session, "src/b.rs")}});
    session.editor.notify(DID_FOCUS, focus).await.unwrap();
    let closed = session.path("src/b.rs");
    session.editor.close(&closed).await.unwrap();
    assert!(
        !given(&mut session).await.contains("looking at"),
        "nothing is looked at that is closed"
    );
}

async fn previewing(files: &[(&str, &str)]) -> Session {
    let mut can = capabilities();
    can["experimental"]["skillsAgent"]["preview"] = json!({});
    Session::start_with(files, can, trusted(), &[]).await.unwrap()
}

async fn preview(session: &mut Session, query: Value) -> String {
    let answer = session.editor.request("skills/preview", query).await.unwrap();
    answer["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn who_shows_a_preview_is_told_once_when_it_would_be_another() {
    let reference = ".agents/skills/greet/tone.md";
    let mut session = previewing(&[(SKILL, TEXT), (reference, "Be kind.\n"), ("a.txt", "")]).await;
    session
        .until("the skill", |state| state.catalog.get("greet").is_some())
        .await;
    let path = session.path(SKILL);
    let uri = file_uri(&path).unwrap();
    let changed = |params: &Value| params["uri"] == uri.as_str();

    // By name, changed on the disk.
    preview(&mut session, json!({"name": "greet"})).await;
    write(&path, &TEXT.replace("hello", "good day")).unwrap();
    session
        .editor
        .wait_until("skills/preview/didChange", changed)
        .await
        .unwrap();
    assert!(
        preview(&mut session, json!({"name": "greet"}))
            .await
            .contains("good day")
    );

    // A file that comes with it.
    write(&session.path(reference), "Be brief.\n").unwrap();
    session
        .editor
        .wait_until("skills/preview/didChange", changed)
        .await
        .unwrap();
    assert!(
        preview(&mut session, json!({"name": "greet"}))
            .await
            .contains("Be brief.")
    );

    // A document, typed in.
    session.open(SKILL).await.unwrap();
    preview(&mut session, json!({"uri": uri})).await;
    session.editor.replace(&path, "good day", "good evening").await.unwrap();
    session
        .editor
        .replace(&path, "good evening", "good night")
        .await
        .unwrap();
    session
        .editor
        .wait_until("skills/preview/didChange", changed)
        .await
        .unwrap();
    assert!(preview(&mut session, json!({"uri": uri})).await.contains("good night"));
    let told = session.editor.unread();
    let told = told
        .iter()
        .filter(|(method, _)| method == "skills/preview/didChange")
        .count();
    assert_eq!(told, 0, "once, whatever is typed before it is asked for again");

    // Typing elsewhere says nothing.
    session.open("a.txt").await.unwrap();
    let other = session.path("a.txt");
    session.editor.replace(&other, "", "x").await.unwrap();
    assert!(preview(&mut session, json!({"uri": uri})).await.contains("good night"));
    let told = session.editor.unread();
    assert!(!told.iter().any(|(method, _)| method == "skills/preview/didChange"));
}

#[tokio::test]
async fn a_preview_that_the_server_shows_follows_its_skill() {
    let mut session = previewing(&[(SKILL, TEXT)]).await;
    session.open(SKILL).await.unwrap();
    let path = session.path(SKILL);
    let query = json!([{"uri": file_uri(&path).unwrap()}]);
    session.execute("skills.server.preview", query).await.unwrap();
    let shown = session.editor.wait_for("window/showDocument").await.unwrap();
    let file = std::path::PathBuf::from(shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    session.editor.open(&file, "markdown", &text).await.unwrap();
    for (old, new) in [("hello", "good day"), ("good day", "good night")] {
        session.editor.replace(&path, old, new).await.unwrap();
        let is_there = |params: &Value| params["edit"].to_string().contains(new.split(' ').next_back().unwrap());
        session
            .editor
            .wait_until("workspace/applyEdit", is_there)
            .await
            .unwrap();
    }
    assert!(session.editor.text(&file).unwrap().contains("Say good night."));
}
