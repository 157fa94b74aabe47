//! Agents that start the server for their own edits: they send no settings and no folders, and may only ever open.

use serde_json::{Value, json};
use skills_ls::headless::{Editor, file_uri};
use skills_tests::{Session, write};

const SKILL: &str = ".agents/skills/greet/SKILL.md";
const BROKEN: &str = "---\nname: greet\ndescription: Use this: now\n---\n# Greet\n";
const MENDED: &str = "---\nname: greet\ndescription: \"Use this: now\"\n---\n# Greet\n";

/// A server that was told about nothing.
async fn start() -> Session {
    let mut session = Session::start(&[]).await.unwrap();
    let (client, server) = tokio::io::duplex(64 << 10);
    let environment = skills_ls::environment::Environment::new(
        session.outside().join("other home"),
        session.outside().join("other state"),
        [],
        skills_tests::launcher().unwrap(),
    );
    let (service, socket, death) = skills_ls::server::service(environment);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(server);
        skills_ls::pump::serve(reader, writer, service, socket, death.wait()).await
    });
    let (reader, writer) = tokio::io::split(client);
    session.editor = Editor::new(reader, writer);
    let params = json!({"processId": null, "rootUri": null, "capabilities": {}});
    session.editor.request("initialize", params).await.unwrap();
    session.editor.notify("initialized", json!({})).await.unwrap();
    session
}

/// Opens a file, which may be open, and gives what is found in it at once.
async fn found(session: &mut Session, text: &str, version: i32) -> Vec<Value> {
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let document = json!({"uri": uri, "languageId": "markdown", "version": version, "text": text});
    let params = json!({"textDocument": document});
    session.editor.notify("textDocument/didOpen", params).await.unwrap();
    session.diagnostics(SKILL).await.unwrap()
}

#[tokio::test]
async fn a_host_that_only_opens_files_is_told_what_a_model_can_act_on() {
    let mut session = start().await;
    write(&session.path(SKILL), BROKEN).unwrap();
    let diagnostics = found(&mut session, BROKEN, 1).await;
    let error = diagnostics.iter().find(|it| it["severity"] == 1).unwrap();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("quote the value"), "{message}");
    let here = message.lines().find(|line| line.contains(", which read this folder"));
    assert!(
        here.unwrap()
            .starts_with("not loaded by OpenHands, thndrs, Copilot CLI"),
        "{message}"
    );
    // Programs have it as data, and people who point at it as a list.
    let readers = error["data"]["readers"].as_array().unwrap();
    let pi = readers.iter().find(|it| it["reader"] == "pi").unwrap();
    assert_eq!(
        (&pi["fate"], &pi["readsFolder"]),
        (&json!("refused"), &json!(true)),
        "{pi}"
    );
    let uri = file_uri(&session.path(SKILL)).unwrap();
    let params = json!({"textDocument": {"uri": uri}, "position": error["range"]["start"]});
    let hover = session.editor.request("textDocument/hover", params).await.unwrap();
    let told = hover["contents"]["value"].as_str().unwrap();
    assert!(told.contains("- not loaded by OpenHands, thndrs"), "{told}");

    // It writes behind the server's back, and opens what is open.
    write(&session.path(SKILL), MENDED).unwrap();
    let diagnostics = found(&mut session, MENDED, 2).await;
    assert!(diagnostics.iter().all(|it| it["severity"] != 1), "{diagnostics:#?}");
}
