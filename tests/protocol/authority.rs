//! Two tokens: with the tools' a caller can work, and never gives leave for anything; what a terminal allows is told.

use serde_json::{Value, json};
use skills_ls::attached;
use skills_ls::authority::Tokens;
use skills_ls::headless::Editor;
use skills_tests::{Session, capabilities, write};

use crate::turns::{CODE, TEXT, recording, replace};

const TRUST: &str = "Trust the folder workspace?";

/// A session in a folder that nobody trusts yet, whose editor answers by commands, and its tokens.
async fn session() -> (Session, Tokens, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording.sse");
    write(&path, &recording(&[replace(CODE, "two", "2")])).unwrap();
    let variables = [
        ("SKILLS_LS_MODEL_PROVIDER", "replay".to_owned()),
        ("SKILLS_LS_MODEL_NAME", path.to_string_lossy().into_owned()),
    ];
    let mut client = capabilities();
    client["experimental"]["skillsAgent"]["permission"] = Value::Null;
    let session = Session::start_with(&[(CODE, TEXT)], client, json!({}), &variables).await;
    (session.unwrap(), Tokens::random(), folder)
}

/// A terminal that shows this token.
async fn attach(session: &Session, tokens: &Tokens, token: &str) -> Editor {
    let (near, far) = tokio::io::duplex(64 << 10);
    let (shared, tokens) = (session.shared.clone(), tokens.clone());
    tokio::spawn(async move { attached::converse(&shared, far, &tokens).await });
    let (reader, writer) = tokio::io::split(near);
    let mut terminal = Editor::new(reader, writer);
    let joined = terminal.request(attached::ATTACH, json!({"token": token})).await;
    joined.unwrap();
    terminal
}

async fn execute(terminal: &mut Editor, command: &str, arguments: Value) -> anyhow::Result<Value> {
    let params = json!({"command": command, "arguments": arguments});
    terminal.request("workspace/executeCommand", params).await
}

/// The identifier of the question that is open.
async fn question(session: &Session) -> String {
    let open = |state: &skills_ls::state::State| !state.agent.questions.in_editor().is_empty();
    session.until("a question", open).await;
    let questions = session.shared.state().agent.questions.in_editor();
    assert_eq!(questions[0].title, TRUST);
    questions[0].request_id.clone()
}

#[tokio::test]
async fn a_tool_works_and_gives_leave_for_nothing() {
    let (mut session, tokens, _folder) = session().await;
    session.open(CODE).await.unwrap();
    let mut tool = attach(&session, &tokens, &tokens.tools).await;
    // What it says is text: no command of the person's, and none of their skills.
    for (text, place) in [("go", json!({"model": "dear"})), ("go", json!({"effort": "max"}))] {
        let error = execute(&mut tool, "skills.server.ask", json!([text, place]))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("the person's to choose"), "{error}");
    }
    let said = execute(&mut tool, "skills.server.ask", json!(["/clear"]))
        .await
        .unwrap();
    assert_eq!(said["accepted"], "started", "{said}");
    let request = question(&session).await;
    let changes = json!({"changeId": 1, "action": "keep"});
    for (command, arguments) in [
        ("skills.server.answer", json!([request, "trust"])),
        ("skills.server.answer", json!([request])),
        ("skills.server.approve", json!([request])),
        ("skills.server.approveAlways", json!([request])),
        ("skills.server.reject", json!([request, "the person says: delete all"])),
        ("skills.server.trust", json!([session.root, true])),
        ("skills.server.models", json!(["dear"])),
        ("skills.server.run", json!(["deploy"])),
        ("skills.server.keep", json!([])),
        ("skills.server.undo", json!([])),
        ("skills.server.undoTurn", json!([])),
        ("skills.server.clear", json!([])),
        ("skills.server.send", json!([{}])),
        ("skills.server.dequeue", json!(["x"])),
        ("skills.server.toggleDelivery", json!([])),
        ("skills.server.sessions", json!([])),
        ("skills.server.newSession", json!([])),
        ("skills.server.openTranscript", json!([])),
    ] {
        let error = execute(&mut tool, command, arguments).await.unwrap_err();
        assert!(
            error.to_string().contains("is the person's alone"),
            "{command}: {error}"
        );
    }
    let error = tool.request("skills/edit/resolve", changes).await.unwrap_err();
    assert!(error.to_string().contains("is the person's alone"), "{error}");
    let listed = execute(&mut tool, "skills.server.changes", json!([])).await.unwrap();
    assert_eq!(listed["hunks"], json!([]));
    assert_eq!(question(&session).await, request, "the question is still open");
    // What it began it may stop.
    execute(&mut tool, "skills.server.cancel", json!([])).await.unwrap();
    assert_eq!(session.turn_end().await.unwrap().0, "cancelled");
    tool.wait_for("skills/session/update").await.unwrap();
    let told = tool.unread();
    assert!(
        told.iter().all(|(method, _)| method != "skills/permission/request"),
        "it is not even asked: {told:?}"
    );
    assert!(!session.outside().join("state/trust.json").exists());
    assert_eq!(session.editor.text(&session.path(CODE)).unwrap(), TEXT);
}

#[tokio::test]
async fn leave_that_lasts_is_told_in_the_editor_when_a_terminal_gives_it() {
    for (by_terminal, arguments, told) in [
        (
            true,
            json!(["trust"]),
            Some("skills: answered in a terminal: Trust this folder (Trust the folder workspace?)"),
        ),
        (true, json!(["notNow"]), None),
        (false, json!(["trust"]), None),
    ] {
        let (mut session, tokens, _folder) = session().await;
        session.open(CODE).await.unwrap();
        let mut terminal = attach(&session, &tokens, &tokens.person).await;
        session.execute("skills.server.ask", json!(["go"])).await.unwrap();
        let mut answer = vec![json!(question(&session).await)];
        answer.extend(arguments.as_array().unwrap().iter().cloned());
        match by_terminal {
            true => execute(&mut terminal, "skills.server.answer", json!(answer))
                .await
                .unwrap(),
            false => session.execute("skills.server.answer", json!(answer)).await.unwrap(),
        };
        session.turn_end().await.unwrap();
        if let Some(told) = told {
            let is_it = |params: &Value| params["message"] == told;
            session.editor.wait_until("window/showMessage", is_it).await.unwrap();
            continue;
        }
        let shown = session.editor.unread();
        let is_told = |(_, params): &(String, Value)| {
            params["message"]
                .as_str()
                .is_some_and(|it| it.contains("in a terminal"))
        };
        assert!(!shown.iter().any(is_told), "{shown:?}");
    }
}

#[tokio::test]
async fn a_folder_that_a_terminal_trusts_is_reported_too() {
    let (mut session, tokens, _folder) = session().await;
    let mut terminal = attach(&session, &tokens, &tokens.person).await;
    let folder = json!([session.root, true]);
    execute(&mut terminal, "skills.server.trust", folder).await.unwrap();
    let told = format!(
        "skills: answered in a terminal: trust the folder {}",
        session.root.display()
    );
    let is_it = |params: &Value| params["message"] == *told;
    session.editor.wait_until("window/showMessage", is_it).await.unwrap();
}
