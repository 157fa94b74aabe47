//! Files that are not open, and what happens to the agent's changes.

use serde_json::{Value, json};
use skills_ls::authority::Tokens;
use skills_ls::headless::{Editor, file_uri};
use skills_ls::{attached, edits};
use skills_tests::{Session, capabilities, trusted, write};

use crate::turns::{CODE, TEXT, recording, replace, undo};

const NINE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const EDITED: &str = "1\nTWO\n3\n4\n5\n6\n7\nEIGHT\n9\n";

/// A session whose model plays these calls, with a client that can do these things beside the usual.
async fn session(calls: &[(&str, Value)], text: &str, can: &[&str], options: Value) -> (Session, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording.sse");
    write(&path, &recording(calls)).unwrap();
    let variables = [
        ("SKILLS_LS_MODEL_PROVIDER", "replay".to_owned()),
        ("SKILLS_LS_MODEL_NAME", path.to_string_lossy().into_owned()),
    ];
    let mut client = capabilities();
    for key in can {
        client["experimental"]["skillsAgent"][key] = json!({});
    }
    let session = Session::start_with(&[(CODE, text)], client, options, &variables)
        .await
        .unwrap();
    (session, folder)
}

/// One call that changes two places.
fn two_edits() -> (&'static str, Value) {
    let edit = |old: &str, new: &str| json!({"op": "edit", "path": CODE, "old_string": old, "new_string": new});
    (
        "write_patch",
        json!({"patches": [edit("2", "TWO"), edit("8", "EIGHT")]}),
    )
}

async fn ask(session: &mut Session) {
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    assert_eq!(session.turn_end().await.unwrap(), ("end_turn".to_owned(), Value::Null));
}

/// What a file's code actions say about changes.
async fn offered(session: &mut Session, line: u32) -> Vec<Value> {
    let actions = session.code_actions(CODE, line, 0).await.unwrap();
    let is_about = |action: &Value| action["title"].as_str().unwrap().contains("change");
    actions.into_iter().filter(is_about).collect()
}

#[tokio::test]
async fn a_closed_file_is_edited_and_saved_in_an_editor_that_saves() {
    for (can, setting, in_editor) in [
        (&["save"][..], "editor", true),
        (&["save"], "disk", false),
        (&[], "editor", false),
    ] {
        let mut options = trusted();
        options["edits"] = json!({"closedFiles": setting});
        let (mut session, _folder) = session(&[two_edits()], NINE, can, options).await;
        ask(&mut session).await;
        assert_eq!(session.disk(CODE).unwrap(), EDITED, "{can:?} {setting}");
        let buffer = session.editor.text(&session.path(CODE));
        assert_eq!(buffer.is_ok(), in_editor, "{can:?} {setting}");
        undo(&mut session).await;
        let text = match in_editor {
            true => session.editor.text(&session.path(CODE)).unwrap(),
            false => session.disk(CODE).unwrap(),
        };
        assert_eq!(text, NINE);
    }
}

/// An editor follows links, and a command can put one in the place of a folder between the check of a path and its use.
#[cfg(unix)]
#[tokio::test]
async fn no_editor_saves_through_a_link_that_a_command_made() {
    let runs = ("run_shell", json!({"argv": ["sleep", "1000"], "background": true}));
    let mut options = trusted();
    options["edits"] = json!({"closedFiles": "editor"});
    options["permissions"] = json!({"allow": ["Bash(sleep:*)"]});
    let (mut session, _folder) = session(&[runs, two_edits()], NINE, &["save"], options).await;
    ask(&mut session).await;
    assert_eq!(session.disk(CODE).unwrap(), EDITED);
    let path = session.path(CODE);
    assert!(
        session.editor.text(&path).is_err(),
        "while a command runs it is written to the disk"
    );

    session.open(CODE).await.unwrap();
    session.editor.replace(&path, "TWO", "typed").await.unwrap();
    session.code_actions(CODE, 0, 0).await.unwrap();
    let elsewhere = session.outside().join("elsewhere");
    std::fs::rename(path.parent().unwrap(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, path.parent().unwrap()).unwrap();
    let unsaved = {
        let shared = session.shared.clone();
        let mut saving = tokio::spawn(async move { edits::save_all(&shared).await });
        loop {
            tokio::select! {
                unsaved = &mut saving => break unsaved.unwrap(),
                received = session.editor.receive() => received.unwrap(),
            }
        }
    };
    assert_eq!(unsaved.as_slice(), std::slice::from_ref(&path));
    assert_eq!(session.disk(CODE).unwrap(), EDITED);
}

#[tokio::test]
async fn what_a_command_would_not_see_is_saved_or_named() {
    for (can, left) in [(&["save"][..], 0), (&[], 1)] {
        let (mut session, _folder) = session(&[], TEXT, can, trusted()).await;
        session.open(CODE).await.unwrap();
        session.code_actions(CODE, 0, 0).await.unwrap();
        assert!(
            edits::save_all(&session.shared).await.is_empty(),
            "nothing was typed yet"
        );
        let path = session.path(CODE);
        session.editor.replace(&path, "two", "typed").await.unwrap();
        session.code_actions(CODE, 0, 0).await.unwrap();
        let shared = session.shared.clone();
        let mut saving = tokio::spawn(async move { edits::save_all(&shared).await });
        let unsaved = loop {
            tokio::select! {
                unsaved = &mut saving => break unsaved.unwrap(),
                received = session.editor.receive() => received.unwrap(),
            }
        };
        assert_eq!(unsaved, vec![path; left]);
        assert_eq!(session.disk(CODE).unwrap().contains("typed"), left == 0);
    }
}

#[tokio::test]
async fn a_command_sees_what_is_typed_or_the_question_says_what_it_will_not_see() {
    for (can, seen) in [(&["save"][..], true), (&[], false)] {
        let shell = ("run_shell", json!({"argv": ["cat", CODE]}));
        let (mut session, _folder) = session(&[shell], TEXT, can, trusted()).await;
        session.open(CODE).await.unwrap();
        let path = session.path(CODE);
        session.editor.replace(&path, "two", "typed").await.unwrap();
        session.editor.answer = |method, _| {
            let yes = json!({"outcome": {"outcome": "selected", "optionId": "allow"}});
            (method == "skills/permission/request").then_some(yes)
        };
        session.execute("skills.server.ask", json!(["go"])).await.unwrap();
        let question = session.editor.wait_for("skills/permission/request").await.unwrap();
        let names_it = question["description"]
            .as_str()
            .unwrap()
            .contains("unsaved in src/a.rs");
        let is_done = |params: &Value| params["update"]["status"] == "completed";
        let done = session
            .editor
            .wait_until("skills/session/update", is_done)
            .await
            .unwrap();
        assert_eq!(names_it, !seen, "{question}");
        assert_eq!(session.disk(CODE).unwrap().contains("typed"), seen, "{done}");
    }
}

#[tokio::test]
async fn changes_are_shown_kept_and_taken_back_one_by_one() {
    let (mut session, _folder) = session(&[two_edits()], NINE, &[], trusted()).await;
    session.open(CODE).await.unwrap();
    ask(&mut session).await;
    let shown = loop {
        let shown = session.diagnostics(CODE).await.unwrap();
        if !shown.is_empty() {
            break shown;
        }
    };
    let lines: Vec<_> = shown
        .iter()
        .map(|it| it["range"]["start"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 7]);
    assert_eq!(shown[0]["code"], "unreviewed-change");
    assert_eq!(shown[0]["message"], "The agent changed this. Before:\n2");

    // The person goes on; what is shown moves along.
    let path = session.path(CODE);
    session.editor.replace(&path, "1\n", "0\n1\n").await.unwrap();
    let shown = session.diagnostics(CODE).await.unwrap();
    assert_eq!(shown[0]["range"]["start"]["line"], 2);

    assert_eq!(offered(&mut session, 5).await, Vec::<Value>::new());
    let titles = |actions: &[Value]| -> Vec<String> {
        actions
            .iter()
            .map(|action| action["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let here = offered(&mut session, 2).await;
    assert_eq!(
        titles(&here),
        [
            "Keep the agent's change here",
            "Undo the agent's change here",
            "Keep all changes of the agent in this file",
            "Undo all changes of the agent in this file",
        ]
    );
    let kept = session
        .execute("skills.server.keep", here[0]["arguments"].clone())
        .await
        .unwrap();
    assert_eq!(kept, json!({"hunks": 1}));
    let there = offered(&mut session, 8).await;
    session
        .execute("skills.server.undo", there[1]["arguments"].clone())
        .await
        .unwrap();
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    assert_eq!(told["message"], "skills: took back the chosen edits of 1 file");
    let expected = format!("0\n{}", EDITED.replace("EIGHT", "8"));
    assert_eq!(session.editor.text(&path).unwrap(), expected, "what was kept stays");
    while !session.diagnostics(CODE).await.unwrap().is_empty() {}

    for (command, arguments, expected) in [
        (
            "skills.server.undo",
            json!([]),
            "skills: nothing was taken back: no change of the agent is left",
        ),
        (
            "skills.server.undo",
            json!([1]),
            "no change of the agent is left there to take back",
        ),
        (
            "skills.server.keep",
            json!([{"uri": file_uri(&path).unwrap()}]),
            "no change of the agent is left",
        ),
        (
            "skills.server.keep",
            json!([{"turnId": "x"}, [1]]),
            "hunks belong to one change",
        ),
        ("skills.server.keep", json!([true]), "argument 1 must be"),
    ] {
        session.editor.unread();
        let said = match session.execute(command, arguments).await {
            Err(error) => error.to_string(),
            Ok(_) => session.editor.wait_for("window/showMessage").await.unwrap().to_string(),
        };
        assert!(said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn a_client_that_shows_changes_is_told_where_they_stand() {
    let (mut session, _folder) = session(&[two_edits()], NINE, &["changes"], trusted()).await;
    session.open(CODE).await.unwrap();
    ask(&mut session).await;
    let told = session.editor.wait_for("skills/edit/changes").await.unwrap();
    let hunk = |id: u32, line: u32, before: &str| {
        let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}});
        json!({"changeId": 1, "hunkId": id, "range": range, "oldText": before})
    };
    assert_eq!(told["hunks"], json!([hunk(1, 1, "2\n"), hunk(2, 7, "8\n")]));
    session.editor.unread();
    // What the person types above moves them, and what they type over is theirs.
    let path = session.path(CODE);
    session.editor.replace(&path, "1\nTWO", "1\n1.5\nmine").await.unwrap();
    let told = session.editor.wait_for("skills/edit/changes").await.unwrap();
    assert_eq!(told["hunks"], json!([hunk(2, 8, "8\n")]));
    session.editor.unread();
    let params = json!({"changeId": 1, "hunkIds": [2], "action": "keep"});
    session.editor.request("skills/edit/resolve", params).await.unwrap();
    let told = session.editor.wait_for("skills/edit/changes").await.unwrap();
    assert_eq!(told["hunks"], json!([]));
}

#[tokio::test]
async fn a_client_that_shows_changes_resolves_them() {
    let (mut session, _folder) = session(&[two_edits()], NINE, &["changes"], trusted()).await;
    session.open(CODE).await.unwrap();
    ask(&mut session).await;
    let path = session.path(CODE);
    session.editor.replace(&path, "TWO", "typed over").await.unwrap();
    let mut resolve = async |params: Value| session.editor.request("skills/edit/resolve", params).await;
    let undone = resolve(json!({"changeId": 1, "hunkIds": [2], "action": "undo"}))
        .await
        .unwrap();
    assert_eq!(undone, json!({"applied": true, "remaining": [1]}));
    let left = resolve(json!({"changeId": 1, "action": "undo"})).await.unwrap();
    assert_eq!(
        left,
        json!({"applied": false, "remaining": [1], "reason": "the lines were changed since"})
    );
    let kept = resolve(json!({"changeId": 1, "action": "keep"})).await.unwrap();
    assert_eq!(kept, json!({"applied": true, "remaining": []}));
    assert!(resolve(json!({"changeId": 1, "action": "undo"})).await.is_err());
    assert!(resolve(json!({"changeId": 1, "action": "explode"})).await.is_err());
    assert_eq!(session.editor.text(&path).unwrap(), NINE.replace('2', "typed over"));
    let sent = session.editor.unread();
    let is_shown = |(method, params): &(String, Value)| {
        method == "textDocument/publishDiagnostics" && params["diagnostics"] != json!([])
    };
    assert!(!sent.iter().any(is_shown), "such a client shows changes by itself");
}

#[tokio::test]
async fn in_mode_ask_the_edit_is_reviewed_before_it_is_made() {
    fn review(method: &str, params: &Value, accept: &[u64]) -> Option<Value> {
        if method != "skills/edit/review" {
            return None;
        }
        assert_eq!(params["version"], 1);
        assert_eq!(params["hunks"][1]["oldText"], "8\n");
        assert_eq!(params["hunks"][1]["range"]["start"], json!({"line": 7, "character": 0}));
        let decisions: Vec<_> = accept
            .iter()
            .map(|hunk| json!({"hunkId": hunk, "action": "accept"}))
            .collect();
        Some(json!({"decisions": decisions, "message": "not there"}))
    }
    type Answer = fn(&str, &Value) -> Option<Value>;
    let cases: [(Answer, &str); 4] = [
        (|method, params| review(method, params, &[1, 2]), EDITED),
        (
            |method, params| review(method, params, &[1]),
            "1\nTWO\n3\n4\n5\n6\n7\n8\n9\n",
        ),
        (|method, params| review(method, params, &[]), NINE),
        (|_, _| None, NINE),
    ];
    for (answer, expected) in cases {
        let mut options = trusted();
        options["permissions"] = json!({"mode": "ask"});
        let (mut session, _folder) = session(&[two_edits()], NINE, &["review"], options).await;
        session.editor.answer = answer;
        session.open(CODE).await.unwrap();
        ask(&mut session).await;
        assert_eq!(session.editor.text(&session.path(CODE)).unwrap(), expected);
    }
}

/// An edit that an editor shows is shown in a terminal too, and whoever decides first decides.
#[tokio::test]
async fn an_edit_that_is_reviewed_is_decided_in_a_terminal_as_well() {
    for (answer, expected) in [
        (json!(["all"]), EDITED),
        (json!(["change2", "not the other"]), "1\n2\n3\n4\n5\n6\n7\nEIGHT\n9\n"),
        (json!(["reject"]), NINE),
        (json!([]), NINE),
    ] {
        let mut options = trusted();
        options["permissions"] = json!({"mode": "ask"});
        let (mut session, _folder) = session(&[two_edits()], NINE, &["review"], options).await;
        session.open(CODE).await.unwrap();
        let (near, far) = tokio::io::duplex(64 << 10);
        let (shared, tokens) = (session.shared.clone(), Tokens::random());
        let token = tokens.person.clone();
        tokio::spawn(async move { attached::converse(&shared, far, &tokens).await });
        let (reader, writer) = tokio::io::split(near);
        let mut terminal = Editor::new(reader, writer);
        let joined = terminal.request(attached::ATTACH, json!({"token": token})).await;
        joined.unwrap();

        session.execute("skills.server.ask", json!(["go"])).await.unwrap();
        // The editor shows it, and its person thinks.
        let shown = loop {
            let message = session.editor.receive_unanswered().await.unwrap();
            if message["method"] == "skills/edit/review" {
                break message;
            }
            if !message["id"].is_null() && message["method"].is_string() {
                let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": null});
                session.editor.send(reply).await.unwrap();
            }
        };
        let question = terminal.wait_for("skills/permission/request").await.unwrap();
        let description = question["description"].as_str().unwrap();
        assert!(
            description.contains("-2\n+TWO") && description.contains("+EIGHT"),
            "{description}"
        );
        let mut arguments = vec![question["requestId"].clone()];
        arguments.extend(answer.as_array().unwrap().clone());
        let params = json!({"command": "skills.server.answer", "arguments": arguments});
        terminal.request("workspace/executeCommand", params).await.unwrap();
        session.turn_end().await.unwrap();
        assert_eq!(session.editor.text(&session.path(CODE)).unwrap(), expected, "{answer}");
        // What the editor still shows is withdrawn.
        let request = shown["params"]["requestId"].clone();
        let is_it = |params: &Value| params["requestId"] == request;
        session
            .editor
            .wait_until("skills/permission/resolved", is_it)
            .await
            .unwrap();
    }
}

/// The editor tells of the edit and of what was typed in its lines as one new text.
#[tokio::test]
async fn an_edit_that_comes_with_typing_in_one_change_is_known_and_goes_without_it() {
    let (mut session, _folder) = session(&[replace(CODE, "two", "2")], TEXT, &[], trusted()).await;
    session.open(CODE).await.unwrap();
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let request = session.edit_request().await.unwrap();
    let path = session.path(CODE);
    let whole = |version: i32, text: &str| {
        let document = json!({"uri": file_uri(&path).unwrap(), "version": version});
        json!({"textDocument": document, "contentChanges": [{"text": text}]})
    };
    let change = whole(2, "one\nmine: 2\nmore\nthree\n");
    session.editor.notify("textDocument/didChange", change).await.unwrap();
    let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": true}});
    session.editor.send(reply).await.unwrap();
    let ended = |params: &Value| params["update"]["rawOutput"].is_string() || params["update"]["rawOutput"].is_object();
    let update = session.editor.wait_until("skills/session/update", ended).await.unwrap();
    assert_eq!(update["update"]["status"], "completed", "{update}");
    let told = update["update"]["rawOutput"].to_string();
    assert!(told.contains("The person typed in the file at the same time"), "{told}");
    assert!(
        told.contains("-mine: two\\n+mine: 2"),
        "what it is told is its own edit: {told}"
    );
    session.turn_end().await.unwrap();
    session.execute("skills.server.undoTurn", json!([])).await.unwrap();
    let request = session.edit_request().await.unwrap();
    let edits = &request["params"]["edit"]["documentChanges"][0]["edits"];
    let typed = whole(3, "one\nmine: two\nmore\nthree\n");
    session.editor.notify("textDocument/didChange", typed).await.unwrap();
    let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": true}});
    session.editor.send(reply).await.unwrap();
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    assert_eq!(
        told["message"], "skills: took back the turn's edits of 1 file",
        "{edits}"
    );
    assert_eq!(edits[0]["newText"], "two", "{edits}");
}

/// The turn is over, the editor answers late: what it did is recorded, and can be taken back.
#[tokio::test(start_paused = true)]
async fn an_edit_that_arrives_after_its_turn_was_stopped_can_be_taken_back() {
    let (mut session, _folder) = session(&[replace(CODE, "two", "2")], TEXT, &[], trusted()).await;
    session.open(CODE).await.unwrap();
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let request = session.edit_request().await.unwrap();
    session.execute("skills.server.cancel", json!([])).await.unwrap();
    assert_eq!(session.turn_end().await.unwrap().0, "cancelled");
    let undoing = session.execute("skills.server.undoTurn", json!([])).await.unwrap();
    assert!(
        undoing["turnId"].is_string(),
        "it waits for what is on its way: {undoing}"
    );
    let change = &request["params"]["edit"]["documentChanges"][0];
    let edits = serde_json::from_value(change["edits"].clone()).unwrap();
    let uri = change["textDocument"]["uri"].as_str().unwrap();
    session.editor.change(uri, edits).await.unwrap();
    let path = session.path(CODE);
    assert_eq!(session.editor.text(&path).unwrap(), "one\n2\nthree\n");
    let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": true}});
    session.editor.send(reply).await.unwrap();
    let told = session.editor.wait_for("window/showMessage").await.unwrap();
    assert_eq!(told["message"], "skills: took back the turn's edits of 1 file");
    assert_eq!(session.editor.text(&path).unwrap(), TEXT);
}
