//! The agent at work in the editor's buffers.

use std::path::Path;

use serde_json::{Value, json};
use skills_agent::host::ApplyError;
use skills_agent::workspace::Workspace;
use skills_ls::edits;
use skills_ls::headless::file_uri;
use skills_tests::{Session, capabilities, trusted, write};

pub const CODE: &str = "src/a.rs";
pub const TEXT: &str = "one\ntwo\nthree\n";

/// A recording of one call of a tool a response, and a last word.
pub fn recording(calls: &[(&str, Value)]) -> String {
    let event = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let start = event(
        "message_start",
        json!({"message": {"usage": {"input_tokens": 1, "output_tokens": 1}}}),
    );
    let stop = |reason: &str| {
        event(
            "message_delta",
            json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
        ) + &event("message_stop", json!({}))
    };
    let block = |block: Value, delta: Value| {
        event("content_block_start", json!({"index": 0, "content_block": block}))
            + &event("content_block_delta", json!({"index": 0, "delta": delta}))
            + &event("content_block_stop", json!({"index": 0}))
    };
    let mut text = String::new();
    for (number, (name, input)) in calls.iter().enumerate() {
        let call = json!({"type": "tool_use", "id": format!("call{number}"), "name": name, "input": {}});
        let arguments = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        text += &format!("=== response\n{start}{}{}", block(call, arguments), stop("tool_use"));
    }
    let done = block(
        json!({"type": "text", "text": ""}),
        json!({"type": "text_delta", "text": "Done."}),
    );
    text + &format!("=== response\n{start}{done}{}", stop("end_turn"))
}

/// A session whose model plays these calls.
pub(crate) async fn session(
    calls: &[(&str, Value)],
    files: &[(&str, &str)],
    options: Value,
) -> (Session, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording.sse");
    write(&path, &recording(calls)).unwrap();
    let variables = [
        ("SKILLS_LS_MODEL_PROVIDER", "replay".to_owned()),
        ("SKILLS_LS_MODEL_NAME", path.to_string_lossy().into_owned()),
    ];
    (
        Session::start_with(files, capabilities(), options, &variables)
            .await
            .unwrap(),
        folder,
    )
}

pub fn replace(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    (
        "replace_range",
        json!({"path": path, "old_string": old, "new_string": new}),
    )
}

pub async fn undo(session: &mut Session) -> String {
    session.execute("skills.server.undoTurn", json!([])).await.unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    message["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_edit_arrives_in_the_unsaved_buffer_and_can_be_taken_back() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], trusted()).await;
    session.open(CODE).await.unwrap();
    let path = session.path(CODE);
    session.editor.replace(&path, "one", "ONE").await.unwrap();
    let started = session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    assert_eq!(started["turnId"].as_str().unwrap().len(), 32);
    assert_eq!(session.turn_end().await.unwrap(), ("end_turn".to_owned(), Value::Null));
    assert_eq!(session.editor.text(&path).unwrap(), "ONE\n2\nthree\n");
    assert_eq!(session.disk(CODE).unwrap(), TEXT);
    assert_eq!(undo(&mut session).await, "skills: took back the turn's edits of 1 file");
    assert_eq!(session.editor.text(&path).unwrap(), "ONE\ntwo\nthree\n");
    let error = session.execute("skills.server.undoTurn", json!([])).await.unwrap_err();
    assert_eq!(error.to_string(), "the agent has made no edits that can be taken back");
}

#[tokio::test]
async fn a_client_is_told_what_a_call_was_given_and_what_it_gave() {
    let read = json!({"path": CODE, "start_line": 2});
    let (mut session, _folder) = session(&[("read_file_range", read.clone())], &[(CODE, TEXT)], trusted()).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let status = |status: &'static str| move |params: &Value| params["update"]["status"] == status;
    let mut next = async |is_wanted| {
        let mut params = session
            .editor
            .wait_until("skills/session/update", is_wanted)
            .await
            .unwrap();
        params["update"].take()
    };
    let began = next(status("in_progress")).await;
    assert_eq!((&began["name"], &began["rawInput"]), (&json!("read_file_range"), &read));
    let ended = next(status("completed")).await;
    let output = ended["rawOutput"].as_str().unwrap();
    assert!(output.contains("two\n") && !output.contains("one"), "{output}");
    assert_eq!(ended["_meta"]["skills"]["truncated"], false);
}

#[tokio::test]
async fn undo_leaves_what_was_typed_since() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], trusted()).await;
    session.open(CODE).await.unwrap();
    let path = session.path(CODE);
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.turn_end().await.unwrap();
    session.editor.replace(&path, "three", "3, typed").await.unwrap();
    undo(&mut session).await;
    assert_eq!(session.editor.text(&path).unwrap(), "one\ntwo\n3, typed\n");
}

#[tokio::test]
async fn closed_files_are_written_to_the_disk_and_new_ones_made_and_removed() {
    let calls = [
        replace(CODE, "two\n", "2\n"),
        ("create_file", json!({"path": "src/new/b.rs", "content": "fn b() {}\n"})),
    ];
    let (mut session, _folder) = session(&calls, &[(CODE, TEXT)], trusted()).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.turn_end().await.unwrap();
    assert_eq!(session.disk(CODE).unwrap(), "one\n2\nthree\n");
    assert_eq!(session.disk("src/new/b.rs").unwrap(), "fn b() {}\n");
    assert_eq!(
        undo(&mut session).await,
        "skills: took back the turn's edits of 2 files"
    );
    assert_eq!(session.disk(CODE).unwrap(), TEXT);
    assert!(!session.path("src/new/b.rs").exists());
}

#[tokio::test]
async fn nothing_outside_the_workspace_is_touched_and_the_model_is_told() {
    let calls = [
        ("create_file", json!({"path": "../outside.txt", "content": "x"})),
        ("read_file_range", json!({"path": "/etc/passwd", "start_line": 1})),
    ];
    let (mut session, _folder) = session(&calls, &[(CODE, TEXT)], trusted()).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let mut failed = Vec::new();
    let ends = |params: &Value| params["update"]["state"] == "idle";
    loop {
        let params = session.editor.wait_for("skills/session/update").await.unwrap();
        if params["update"]["status"] == "failed" {
            failed.push(
                params["update"]["content"][0]["content"]["text"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
        if ends(&params) {
            break;
        }
    }
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(
        failed.iter().all(|text| text.contains("escapes workspace root")),
        "{failed:?}"
    );
    assert!(!session.outside().join("outside.txt").exists());
}

#[tokio::test]
async fn an_unknown_workspace_asks_once_and_no_means_no() {
    for (answer, text) in [("trust", "one\n2\nthree\n"), ("notNow", TEXT), ("garbage", TEXT)] {
        let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], json!({})).await;
        session.editor.answer = match answer {
            "trust" => |method, params| answer_with(method, params, "trust"),
            "notNow" => |method, params| answer_with(method, params, "notNow"),
            _ => |method, params| answer_with(method, params, "garbage"),
        };
        session.open(CODE).await.unwrap();
        session.execute("skills.server.ask", json!(["go"])).await.unwrap();
        session.turn_end().await.unwrap();
        assert_eq!(session.editor.text(&session.path(CODE)).unwrap(), text, "{answer}");
    }
}

fn answer_with(method: &str, params: &Value, option: &str) -> Option<Value> {
    if method != "skills/permission/request" {
        return None;
    }
    assert!(
        params["title"].as_str().unwrap().starts_with("Trust the folder"),
        "{params}"
    );
    assert_eq!(params["options"][0]["kind"], "reject_once");
    Some(json!({"outcome": {"outcome": "selected", "optionId": option}}))
}

#[tokio::test]
async fn a_client_without_questions_answers_by_code_action() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], json!({})).await;
    session.shared.state().client = std::sync::Arc::new(skills_ls::capabilities::Client {
        agent: skills_ls::capabilities::AgentMessages {
            session_update: true,
            ..Default::default()
        },
        applies_edits: true,
        ..Default::default()
    });
    session.open(CODE).await.unwrap();
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.editor.wait_for("window/showMessage").await.unwrap();
    let actions = session.code_actions(CODE, 0, 0).await.unwrap();
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    // Behind them stands what else can be done, once the skills are found.
    assert_eq!(
        titles[..3],
        [
            "Trust the folder workspace? Not now",
            "Trust the folder workspace? Trust this folder",
            "Stop the agent"
        ]
    );
    let id = actions[1]["command"].as_str().unwrap().to_owned();
    session.execute(&id, actions[1]["arguments"].clone()).await.unwrap();
    session.turn_end().await.unwrap();
    assert_eq!(session.editor.text(&session.path(CODE)).unwrap(), "one\n2\nthree\n");
}

#[tokio::test]
async fn a_turn_that_waits_for_a_person_can_be_stopped() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], json!({})).await;
    session.shared.state().client = std::sync::Arc::new(skills_ls::capabilities::Client {
        agent: skills_ls::capabilities::AgentMessages {
            session_update: true,
            ..Default::default()
        },
        ..Default::default()
    });
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.editor.wait_for("window/showMessage").await.unwrap();
    assert_eq!(
        session.execute("skills.server.cancel", json!([])).await.unwrap(),
        json!({"cancelled": true})
    );
    assert_eq!(session.turn_end().await.unwrap().0, "cancelled");
    assert_eq!(session.disk(CODE).unwrap(), TEXT);
    assert_eq!(
        session.execute("skills.server.cancel", json!([])).await.unwrap(),
        json!({"cancelled": false})
    );
}

#[tokio::test]
async fn the_transcript_is_a_file_and_grows_by_edits_while_it_is_open() {
    let (mut session, _folder) = session(&[], &[(CODE, TEXT)], trusted()).await;
    session
        .execute("skills.server.ask", json!(["first question"]))
        .await
        .unwrap();
    session.turn_end().await.unwrap();
    session
        .execute("skills.server.openTranscript", json!([]))
        .await
        .unwrap();
    let sessions = session.outside().join("state/sessions");
    let shown = session.editor.wait_for("window/showDocument").await.unwrap();
    let file = only_file(&sessions);
    assert_eq!(shown["uri"], file_uri(&file).unwrap().as_str());
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("first question") && text.contains("Done."), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            std::fs::metadata(&sessions).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }
    session.editor.open(&file, "markdown", &text).await.unwrap();
    session
        .editor
        .replace(&file, "Done.", "Done. My own note.")
        .await
        .unwrap();
    // The recording is over: the turn fails, and says so in the transcript.
    session
        .execute("skills.server.ask", json!(["second question"]))
        .await
        .unwrap();
    let (_, message) = session.turn_end().await.unwrap();
    assert!(message.as_str().unwrap().contains("recording"), "{message}");
    while !session.editor.text(&file).unwrap().contains(message.as_str().unwrap()) {
        session.editor.receive().await.unwrap();
    }
    let text = session.editor.text(&file).unwrap();
    assert!(
        text.contains("Done. My own note.") && text.contains("second question"),
        "{text}"
    );
}

#[tokio::test]
async fn where_no_file_can_be_opened_the_person_is_told_which_one_is_the_transcript() {
    let mut opens_nothing = capabilities();
    opens_nothing["window"]["showDocument"] = json!({"support": false});
    let mut session = Session::start_with(&[(CODE, TEXT)], opens_nothing, trusted(), &[])
        .await
        .unwrap();
    session
        .execute("skills.server.openTranscript", json!([]))
        .await
        .unwrap();
    let message = session.editor.wait_for("window/showMessage").await.unwrap();
    let message = message["message"].as_str().unwrap();
    let path = message.strip_prefix("skills: open ").unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("## Prompt"), "there is a place to write to: {text}");
}

#[tokio::test]
async fn a_prompt_is_written_in_the_transcript_below_the_skills_and_sent_from_there() {
    let skill = format!(
        "---\nname: greet\ndescription: Greets. Use when greeting.\nargument-hint: \"[tone]\"\npaths: {CODE}\n---\nGreet.\n"
    );
    let files = [(CODE, TEXT), (".claude/skills/greet/SKILL.md", skill.as_str())];
    let (mut session, _folder) = session(&[], &files, trusted()).await;
    session.open(CODE).await.unwrap();
    session.editor.wait_for("skills/active").await.unwrap();
    session
        .execute("skills.server.openTranscript", json!([]))
        .await
        .unwrap();
    session.editor.wait_for("window/showDocument").await.unwrap();
    let file = only_file(&session.outside().join("state/sessions"));
    let text = std::fs::read_to_string(&file).unwrap();
    let listed = format!("\n## Skills\n\n- `greet` is active: `{CODE}`\n- `debug`: `Finds");
    assert!(text.contains(&listed), "{text}");
    assert!(text.ends_with("\n## Prompt\n\n"), "{text}");
    let uri = file_uri(&file).unwrap();
    session.editor.open(&file, "markdown", &text).await.unwrap();
    let send = json!([{"uri": uri.as_str()}]);
    let refused = session.execute("skills.server.send", send.clone()).await.unwrap_err();
    assert!(refused.to_string().contains("nothing is written"), "{refused}");
    session
        .editor
        .replace(&file, "\n## Prompt\n\n", "\n## Prompt\n\n/gre")
        .await
        .unwrap();
    let last = u32::try_from(text.lines().count()).unwrap();
    let params = json!({"textDocument": {"uri": uri.as_str()}, "position": {"line": last, "character": 4}});
    let calls = session.editor.request("textDocument/completion", params).await.unwrap();
    let greet = calls.as_array().unwrap().iter().find(|call| call["label"] == "/greet");
    let greet = greet.unwrap();
    assert_eq!([&greet["textEdit"]["newText"], &greet["detail"]], ["/greet ", "[tone]"]);
    assert_eq!(greet["textEdit"]["range"]["start"]["character"], 0);
    session
        .editor
        .replace(&file, "\n## Prompt\n\n/gre", "\n## Prompt\n\nMend the greeting.")
        .await
        .unwrap();
    let params = json!({
        "textDocument": {"uri": uri.as_str()},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "context": {"diagnostics": []},
    });
    let actions = session.editor.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(actions[0]["title"], "Send to the agent");
    assert_eq!(actions[0]["arguments"], send);
    session.execute("skills.server.send", send).await.unwrap();
    session.turn_end().await.unwrap();
    while !session.editor.text(&file).unwrap().ends_with("\n## Prompt\n\n") {
        session.editor.receive().await.unwrap();
    }
    let text = session.editor.text(&file).unwrap();
    assert!(text.contains("\n> Mend the greeting.\n"), "{text}");
    assert_eq!(text.matches("\n## Prompt\n").count(), 2, "{text}");
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // The session's log lies beside its transcript.
    let files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_reported_and_costs_no_edit() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], trusted()).await;
    session.open(CODE).await.unwrap();
    let path = session.path(CODE);
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.turn_end().await.unwrap();
    session.editor.replace(&path, "2", "typed over").await.unwrap();
    session.editor.unread();
    session.execute("skills.server.undoTurn", json!([])).await.unwrap();
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    let told = told["message"].as_str().unwrap();
    assert_eq!(told, "skills: nothing was taken back: the lines were changed since");
    assert_eq!(session.editor.text(&path).unwrap(), "one\ntyped over\nthree\n");
    let sent = session.editor.unread();
    assert!(
        sent.iter().all(|(method, _)| method != "workspace/applyEdit"),
        "{sent:?}"
    );
}

#[tokio::test]
async fn a_new_file_that_was_never_saved_is_written_and_emptied_in_its_buffer() {
    let calls = [
        ("create_file", json!({"path": "src/new.rs", "content": "fn a() {}\n"})),
        replace("src/new.rs", "a()", "b()"),
    ];
    let (mut session, _folder) = session(&calls, &[(CODE, TEXT)], trusted()).await;
    let path = session.path("src/new.rs");
    session.editor.open(&path, "rust", "").await.unwrap();
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.turn_end().await.unwrap();
    assert_eq!(session.editor.text(&path).unwrap(), "fn b() {}\n");
    assert!(!path.exists(), "what is not saved yet is the person's to save");
    assert_eq!(undo(&mut session).await, "skills: took back the turn's edits of 1 file");
    assert_eq!(session.editor.text(&path).unwrap(), "");
}

#[tokio::test]
async fn the_buffer_that_was_opened_last_stands_for_a_file_with_two_names() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], trusted()).await;
    let link = session.outside().join("link");
    std::os::unix::fs::symlink(&session.root, &link).unwrap();
    // Many older names: whichever comes first by chance would be one of them.
    for number in 0..20 {
        let other = session.outside().join(format!("link{number}"));
        std::os::unix::fs::symlink(&session.root, &other).unwrap();
        session
            .editor
            .open(&other.join(CODE), "", "older\ntwo\n")
            .await
            .unwrap();
    }
    session.editor.open(&link.join(CODE), "", TEXT).await.unwrap();
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    session.turn_end().await.unwrap();
    assert_eq!(session.editor.text(&link.join(CODE)).unwrap(), "one\n2\nthree\n");
}

#[tokio::test]
async fn an_edit_does_not_follow_a_link_that_was_put_in_the_files_place_since_it_was_checked() {
    let mut session = Session::start(&[(CODE, TEXT)]).await.unwrap();
    let outside = session.outside().join("outside.rs");
    write(&outside, TEXT).unwrap();
    session.editor.open(&outside, "", TEXT).await.unwrap();
    session.code_actions(CODE, 0, 0).await.unwrap();
    let workspace = std::sync::Arc::new(Workspace::open(std::slice::from_ref(&session.root)).unwrap());
    let checked = workspace.resolve(CODE).unwrap().path;
    std::fs::remove_file(&checked).unwrap();
    std::os::unix::fs::symlink(&outside, &checked).unwrap();
    let plan = |_: Option<&str>| Ok(Some("written outside".to_owned()));
    let refused = edits::apply(&session.shared, &workspace, &checked, "test", &plan).await;
    assert!(matches!(refused, Err(ApplyError::Stale(_))), "{refused:?}");
    assert_eq!(session.editor.text(&outside).unwrap(), TEXT);
}

/// The proof of an edit counts also where the next message makes it history: the edit is recorded and can be undone.
#[tokio::test]
async fn an_edit_is_proven_by_each_text_and_not_only_by_the_last() {
    let (mut session, _folder) = session(&[replace(CODE, "two\n", "2\n")], &[(CODE, TEXT)], trusted()).await;
    session.open(CODE).await.unwrap();
    let path = session.path(CODE);
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    // An editor that applies, then closes the buffer unsaved, and only then answers, all in one write.
    let request = session.edit_request().await.unwrap();
    let uri = file_uri(&path).unwrap();
    let changed = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "one\n2\nthree\n"}]});
    let bytes: Vec<u8> = [
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": changed}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}),
        json!({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": true}}),
    ]
    .iter()
    .flat_map(|message| skills_ls::framing::encode(message.to_string().as_bytes()))
    .collect();
    session.editor.send_bytes(&bytes).await.unwrap();
    let mut recorded = false;
    loop {
        let update = session.editor.wait_for("skills/session/update").await.unwrap()["update"].take();
        recorded |= update["_meta"]["skills"]["changeId"].is_number();
        if update["state"] == "idle" {
            break;
        }
    }
    assert!(recorded, "the edit is recorded");
}
