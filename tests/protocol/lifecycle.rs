//! How a connection begins and ends, and what is announced in between.

use serde_json::{Value, json};
use skills_agent::permission::Mode;
use skills_ls::pump::Ended;
use skills_tests::{Session, capabilities, trusted};

#[tokio::test]
async fn the_server_announces_what_every_client_needs() {
    let session = Session::start(&[]).await;
    assert!(session.is_ok());
    let mut session = session.unwrap();
    session.editor.shut_down().await.unwrap();
    assert_eq!(session.ended.await.unwrap(), Ended::Orderly);
}

#[tokio::test]
async fn features_are_registered_for_skill_files_where_the_client_can() {
    let mut dynamic = capabilities();
    let can = json!({"dynamicRegistration": true});
    dynamic["textDocument"] = json!({"completion": can, "hover": can, "diagnostic": can});
    dynamic["workspace"]["didChangeWatchedFiles"] = can;
    let mut session = Session::start_with(&[], dynamic, trusted(), &[]).await.unwrap();
    session.editor.answer = |method, _| (method == "skills/unused").then_some(Value::Null);
    let registered = session.editor.wait_for("client/registerCapability").await.unwrap();
    let methods: Vec<_> = registered["registrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["method"].clone())
        .collect();
    assert_eq!(
        methods,
        [
            "textDocument/completion",
            "textDocument/hover",
            "textDocument/diagnostic",
            "workspace/didChangeWatchedFiles"
        ]
    );
    let selector = &registered["registrations"][0]["registerOptions"]["documentSelector"];
    assert_eq!(
        *selector,
        json!([{"pattern": "**/SKILL.md"}, {"pattern": "**/.claude/commands/**/*.md"},
               {"pattern": "**/.{agents,openhands}/skills/*.md"}, {"pattern": "**/.openhands/microagents/*.md"},
               {"language": "skill"}, {"pattern": "**/skills/**/agents/openai.yaml"}, {"pattern": "**/plugin.json"},
               {"pattern": "**/mcp.json"}, {"pattern": "**/.claude/agents/**/*.md"}])
    );
}

#[tokio::test]
async fn edits_of_a_document_that_was_never_opened_are_refused_with_words() {
    let mut session = Session::start(&[]).await.unwrap();
    let document = json!({"uri": "file:///nowhere/a%20b.md", "version": 2});
    let params = json!({"textDocument": document, "contentChanges": [{"text": "x"}]});
    session.editor.notify("textDocument/didChange", params).await.unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    assert!(
        message["message"].as_str().unwrap().contains("never opened"),
        "{message}"
    );
}

#[tokio::test]
async fn an_editor_may_rename_a_file_before_it_closes_the_document() {
    let mut session = Session::start(&[("old/notes.md", "old\n")]).await.unwrap();
    session.open("old/notes.md").await.unwrap();
    std::fs::rename(session.path("old"), session.path("new")).unwrap();
    let change = |uri: Value| {
        let document = json!({"uri": uri, "version": 2});
        json!({"textDocument": document, "contentChanges": [{"text": "x"}]})
    };
    let renamed = format!("file://{}", session.path("new/notes.md").display());
    for uri in [json!(renamed), json!("file:///nowhere/other.md")] {
        session
            .editor
            .notify("textDocument/didChange", change(uri))
            .await
            .unwrap();
    }
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    assert!(message["message"].as_str().unwrap().contains("other.md"), "{message}");
}

#[tokio::test]
async fn wrong_settings_are_named() {
    let wrong = json!({"trust": {"workspace": true}, "modle": {"name": "x"}});
    let mut session = Session::start_with(&[], capabilities(), wrong, &[]).await.unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    assert_eq!(message["message"], "skills.modle.name is no setting of skills-ls");
    let settings = json!({"settings": {"skills": {"permissions": {"mode": "yolo"}}}});
    session
        .editor
        .notify("workspace/didChangeConfiguration", settings)
        .await
        .unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    let expected = "skills.permissions.mode is \"yolo\"; it must be acceptEdits, ask or readOnly; until then edits ask";
    assert_eq!(message["message"], expected);
    // What came with `initialize` still counts where the later settings say nothing.
    assert_eq!(session.shared.state().settings.trust_workspace, Some(true));
}

#[tokio::test]
async fn wrong_options_are_named_at_the_start() {
    let options = json!({"permissions": {"mode": "readonly"}});
    let mut session = Session::start_with(&[], capabilities(), options, &[]).await.unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    assert!(message["message"].as_str().unwrap().contains("readonly"), "{message}");
}

#[tokio::test]
async fn settings_of_others_change_nothing() {
    let options = json!({"permissions": {"mode": "readOnly"}, "trust": {"workspace": true}});
    let mut session = Session::start_with(&[], capabilities(), options, &[]).await.unwrap();
    // What is told at first.
    session.editor.wait_for("skills/agent/status").await.unwrap();
    for settings in [
        json!({}),
        json!([]),
        json!(5),
        json!(null),
        json!({"lua": {"hint": true}}),
        json!({"skills": null}),
    ] {
        let params = json!({"settings": settings});
        session
            .editor
            .notify("workspace/didChangeConfiguration", params)
            .await
            .unwrap();
    }
    session.editor.request("skills/active", json!({})).await.unwrap();
    assert_eq!(session.editor.unread(), []);
    let state = session.shared.state();
    assert_eq!(state.settings.permission_mode, Mode::ReadOnly);
    assert_eq!(state.settings.trust_workspace, Some(true));
}

#[tokio::test]
async fn unknown_commands_and_wrong_arguments_say_what_is_expected() {
    let mut session = Session::start(&[]).await.unwrap();
    for (command, arguments, expected) in [
        (
            "skills.server.fly",
            json!([]),
            "skills.server.fly is no command of this server; it has skills.server.ask,",
        ),
        (
            "skills.server.ask",
            json!([5]),
            "skills.server.ask: argument 1 must be the prompt, a text",
        ),
        ("skills.server.ask", json!([" "]), "the prompt is empty"),
        ("skills.server.run", json!(["no-such-skill"]), "no-such-skill"),
        (
            "skills.server.undoTurn",
            json!([]),
            "the agent has made no edits that can be taken back",
        ),
        (
            "skills.server.approve",
            json!(["guess"]),
            "this question is not open any more",
        ),
        (
            "skills.server.trust",
            json!(["/", true]),
            "/ is no folder of this workspace",
        ),
    ] {
        let error = session.execute(command, arguments).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
