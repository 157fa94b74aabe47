//! Several conversations, input while a turn runs, and what outlives the server.

use serde_json::{Value, json};
use skills_tests::{Session, capabilities, trusted};

/// A session whose client is the model: a test decides when it answers, and sees what it was asked.
async fn lending() -> Session {
    lending_with(&[("a.txt", "one\n")], capabilities()).await
}

/// The same with other files, for a client that can do something else.
pub(crate) async fn lending_with(files: &[(&str, &str)], mut capabilities: Value) -> Session {
    capabilities["experimental"]["skillsAgent"]["lm"] = json!({});
    let mut options = trusted();
    options["model"] = json!({"provider": "editor"});
    let mut session = Session::start_with(files, capabilities, options, &[]).await.unwrap();
    session.editor.answer = |method, _| (method == "skills/lm/request").then(|| json!({"accepted": true}));
    session
}

/// Waits until the model is asked; gives the request, and the texts of the last message.
pub(crate) async fn asked(session: &mut Session) -> (Value, Vec<String>) {
    let params = session.editor.wait_for("skills/lm/request").await.unwrap();
    let last = params["messages"].as_array().unwrap().last().unwrap().clone();
    let texts = last["content"].as_array().unwrap().iter();
    let texts = texts.filter_map(|block| block["text"].as_str().map(str::to_owned));
    (params["requestId"].clone(), texts.collect())
}

pub(crate) async fn answer(session: &mut Session, request: &Value, part: Value) {
    let chunk = json!({"requestId": request, "part": part});
    session.editor.notify("skills/lm/chunk", chunk).await.unwrap();
    let end = json!({"requestId": request});
    session.editor.notify("skills/lm/end", end).await.unwrap();
}

pub(crate) async fn say(session: &mut Session, request: &Value, text: &str) {
    answer(session, request, json!({"type": "text", "text": text})).await;
}

pub(crate) async fn prompt(session: &mut Session, text: &str, more: Value) -> Result<Value, anyhow::Error> {
    let mut params = json!({"prompt": [{"type": "text", "text": text}]});
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    session.editor.request("skills/session/prompt", params).await
}

#[tokio::test]
async fn input_while_a_turn_runs_waits_or_steers_or_is_refused() {
    let mut session = lending().await;
    let started = prompt(&mut session, "first", json!({"turnId": "one"})).await.unwrap();
    assert_eq!(started, json!({"turnId": "one", "accepted": "started"}));
    let (request, texts) = asked(&mut session).await;
    assert_eq!(texts.last().unwrap(), "first");

    let queued = prompt(&mut session, "second", json!({"turnId": "two"})).await.unwrap();
    assert_eq!(queued, json!({"turnId": "two", "accepted": "queued"}));
    prompt(&mut session, "third", json!({"turnId": "three"})).await.unwrap();
    let steered = prompt(
        &mut session,
        "mind the tests",
        json!({"delivery": "steer", "expectedTurnId": "one"}),
    );
    assert_eq!(steered.await.unwrap(), json!({"turnId": "one", "accepted": "steered"}));
    let waiting = session.execute("skills.server.queue", json!([])).await.unwrap();
    assert_eq!(waiting["steering"], json!(["mind the tests"]));
    assert_eq!(waiting["followUps"][1]["turnId"], "three");

    let params = json!({"sessionId": session_id(&mut session).await, "turnId": "three"});
    let removed = session
        .editor
        .request("skills/session/dequeue", params.clone())
        .await
        .unwrap();
    assert_eq!(removed, json!({"removed": true}));
    let removed = session.editor.request("skills/session/dequeue", params).await.unwrap();
    assert_eq!(removed, json!({"removed": false}));

    for (text, more, expected) in [
        ("x", json!({"delivery": "reject"}), "turn one is still running"),
        (
            "x",
            json!({"expectedTurnId": "zero"}),
            "the turn that runs now is another one: one",
        ),
        (
            "x",
            json!({"turnId": "two"}),
            "there is a turn two already: every turnId is used once",
        ),
        (
            "/clear",
            json!({}),
            "/clear is not available while the agent is working",
        ),
        ("/model opus", json!({}), "use //model to queue it as text"),
        ("/nothing", json!({}), "there is no skill \"nothing\""),
        ("x", json!({"sessionId": "another"}), "session another is not open"),
    ] {
        let error = prompt(&mut session, text, more).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let help = prompt(&mut session, "/help", json!({})).await.unwrap();
    assert_eq!(help["accepted"], "done");
    for (typed, expected) in [
        ("/bg", "nothing runs in the background"),
        ("/bg cancel", "stopped in the background: 0"),
        ("/bg cancel 7", "stopped in the background: 0"),
    ] {
        let said = prompt(&mut session, typed, json!({})).await.unwrap();
        assert_eq!(said, json!({"accepted": "done", "message": expected}), "{typed}");
    }
    let error = prompt(&mut session, "/bg stop", json!({}))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("/bg cancel NUMBER"), "{error}");

    let call = json!({"type": "tool_call", "callId": "a", "name": "read_file_range",
        "input": {"path": "a.txt", "start_line": 1}});
    answer(&mut session, &request, call).await;
    let (request, texts) = asked(&mut session).await;
    assert_eq!(texts.last().unwrap(), "[steering]\nmind the tests");
    say(&mut session, &request, "done").await;
    assert_eq!(session.turn_end().await.unwrap().0, "end_turn");
    // What waited begins by itself.
    let (request, texts) = asked(&mut session).await;
    assert_eq!(texts.last().unwrap(), "second");
    say(&mut session, &request, "done").await;
    session.turn_end().await.unwrap();
}

async fn session_id(session: &mut Session) -> String {
    let listed = session.editor.request("skills/session/list", json!({})).await.unwrap();
    listed["sessions"][0]["sessionId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn stopping_a_turn_drops_steering_and_keeps_what_waits_until_it_is_cleared() {
    let mut session = lending().await;
    session.execute("skills.server.ask", json!(["first"])).await.unwrap();
    asked(&mut session).await;
    let toggled = session
        .execute("skills.server.toggleDelivery", json!([]))
        .await
        .unwrap();
    assert_eq!(toggled, json!({"delivery": "steer"}));
    let steered = session.execute("skills.server.ask", json!(["now"])).await.unwrap();
    assert_eq!(steered["accepted"], "steered");
    session
        .execute("skills.server.toggleDelivery", json!([]))
        .await
        .unwrap();
    session
        .execute("skills.server.ask", json!(["//clear after this run"]))
        .await
        .unwrap();
    let error = session.execute("skills.server.clear", json!([])).await.unwrap_err();
    assert!(error.to_string().contains("is still running"), "{error}");
    session.execute("skills.server.cancel", json!([])).await.unwrap();
    assert_eq!(session.turn_end().await.unwrap().0, "cancelled");
    let waiting = session.execute("skills.server.queue", json!([])).await.unwrap();
    assert_eq!(waiting["steering"], json!([]));
    assert_eq!(waiting["followUps"][0]["text"], "/clear after this run");
    session.execute("skills.server.clear", json!([])).await.unwrap();
    let waiting = session.execute("skills.server.queue", json!([])).await.unwrap();
    assert_eq!(waiting["followUps"], json!([]));

    session.execute("skills.server.ask", json!(["anew"])).await.unwrap();
    let (request, texts) = asked(&mut session).await;
    assert_eq!(texts.last().unwrap(), "anew");
    assert!(!texts.contains(&"first".to_owned()), "nothing of before is left");
    say(&mut session, &request, "done").await;
    session.turn_end().await.unwrap();
}

#[tokio::test]
async fn sessions_run_side_by_side_and_are_closed_resumed_forked_and_deleted() {
    let mut session = lending().await;
    let first = session_id(&mut session).await;
    prompt(&mut session, "first", json!({"turnId": "one"})).await.unwrap();
    let (request_of_first, _) = asked(&mut session).await;
    let second = session.editor.request("skills/session/new", json!({})).await.unwrap();
    let second = second["sessionId"].as_str().unwrap().to_owned();
    prompt(&mut session, "second", json!({"turnId": "two"})).await.unwrap();
    let (request_of_second, texts) = asked(&mut session).await;
    assert_eq!(texts.last().unwrap(), "second");
    assert!(!texts.contains(&"first".to_owned()));
    say(&mut session, &request_of_second, "two").await;
    let (_, message) = session.turn_end().await.unwrap();
    assert_eq!(message, Value::Null);
    say(&mut session, &request_of_first, "one").await;
    session.turn_end().await.unwrap();

    let close = json!({"sessionId": first});
    session
        .editor
        .request("skills/session/close", close.clone())
        .await
        .unwrap();
    let listed = session.editor.request("skills/session/list", json!({})).await.unwrap();
    let listed: Vec<_> = listed["sessions"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&listed[0]["sessionId"], &listed[0]["state"]),
        (&json!(second), &json!("idle"))
    );
    assert_eq!(
        (&listed[1]["title"], &listed[1]["state"]),
        (&json!("first"), &json!("closed"))
    );

    session.editor.unread();
    let resume = json!({"sessionId": first, "replayFrom": {"type": "start"}});
    let resumed = session.editor.request("skills/session/resume", resume).await.unwrap();
    let told = session.editor.unread();
    let told: Vec<_> = told
        .iter()
        .filter(|(method, _)| method == "skills/session/update")
        .collect();
    let sequence: Vec<_> = told.iter().filter_map(|(_, update)| update["seq"].as_u64()).collect();
    assert_eq!(sequence, (1..=resumed["lastSeq"].as_u64().unwrap()).collect::<Vec<_>>());
    assert_eq!(told[0].1["update"]["content"][0]["text"], "first");
    assert_eq!(told.last().unwrap().1["update"]["stopReason"], "end_turn");

    let forked = session
        .editor
        .request("skills/session/fork", close.clone())
        .await
        .unwrap();
    assert_ne!(forked["sessionId"], json!(first));
    prompt(&mut session, "go on", json!({})).await.unwrap();
    let params = session.editor.wait_for("skills/lm/request").await.unwrap();
    assert_eq!(params["messages"].as_array().unwrap().len(), 3, "{params}");
    say(&mut session, &params["requestId"], "three").await;
    session.turn_end().await.unwrap();

    session
        .editor
        .request("skills/session/delete", close.clone())
        .await
        .unwrap();
    let error = session
        .editor
        .request("skills/session/resume", close)
        .await
        .unwrap_err();
    assert!(!error.to_string().is_empty());
    let hostile = json!({"sessionId": "../../../../etc/passwd"});
    let error = session
        .editor
        .request("skills/session/resume", hostile)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("is no session"), "{error}");
}

#[tokio::test]
async fn a_session_has_its_own_model_effort_and_mode() {
    let mut session = lending().await;
    let id = session_id(&mut session).await;
    let set = |config: &str, value: Value| json!({"sessionId": id, "configId": config, "value": value});
    let answer = session
        .editor
        .request("skills/session/setConfigOption", set("mode", json!("readOnly")));
    let answer = answer.await.unwrap();
    assert_eq!(answer["configOptions"][2]["currentValue"], "readOnly");
    for (config, value, expected) in [
        ("mode", json!("yolo"), "acceptEdits, ask or readOnly"),
        ("mode", json!(1), "must be a text"),
        ("color", json!("red"), "there are model, thought_level and mode"),
    ] {
        let error = session
            .editor
            .request("skills/session/setConfigOption", set(config, value))
            .await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Every client learns of a choice, whichever way it was made.
    let chosen = json!({"command": "skills.server.models", "arguments": ["editor:gpt", "high"]});
    session
        .editor
        .request("workspace/executeCommand", chosen)
        .await
        .unwrap();
    let tells = |params: &Value| params["update"]["configOptions"][0]["currentValue"] == "editor:gpt";
    let told = session.editor.wait_until("skills/session/update", tells).await.unwrap();
    assert_eq!(told["sessionId"], id.as_str());
    assert_eq!(told["update"]["sessionUpdate"], "config_option_update");
    let values = told["update"]["configOptions"].as_array().unwrap().iter();
    let values: Vec<_> = values.map(|option| option["currentValue"].as_str().unwrap()).collect();
    assert_eq!(values, ["editor:gpt", "high", "readOnly"]);

    let other = session.editor.request("skills/session/new", json!({})).await.unwrap();
    let options = other["configOptions"].as_array().unwrap().iter();
    let values: Vec<_> = options.map(|option| option["currentValue"].as_str().unwrap()).collect();
    assert_eq!(
        values,
        ["default", "default", "acceptEdits"],
        "the choice was the first session's"
    );
}
