//! Which model is asked: the editor's own, and the person's choice among those of an endpoint.

use serde_json::{Value, json};
use skills_tests::{Session, capabilities, trusted};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A session of a client that lends a model, which is the one that is asked.
async fn lending(accepts: bool) -> Session {
    let mut capabilities = capabilities();
    capabilities["experimental"]["skillsAgent"]["lm"] = json!({});
    let mut options = trusted();
    options["model"] = json!({"provider": "editor"});
    let mut session = Session::start_with(&[("a.txt", "one\n")], capabilities, options, &[])
        .await
        .unwrap();
    session.editor.answer = if accepts {
        |method, _| (method == "skills/lm/request").then(|| json!({"accepted": true}))
    } else {
        |method, _| (method == "skills/lm/request").then(|| json!({"accepted": false}))
    };
    session
}

/// Waits for the next request to the model, and gives its identifier and its last message.
async fn asked(session: &mut Session) -> (Value, Value) {
    let mut params = session.editor.wait_for("skills/lm/request").await.unwrap();
    let last = params["messages"].as_array().unwrap().last().unwrap().clone();
    (params["requestId"].take(), last)
}

async fn tell(session: &mut Session, request: &Value, part: Value) {
    let params = json!({"requestId": request, "part": part});
    session.editor.notify("skills/lm/chunk", params).await.unwrap();
}

async fn end(session: &mut Session, request: &Value) {
    let params = json!({"requestId": request});
    session.editor.notify("skills/lm/end", params).await.unwrap();
}

#[tokio::test]
async fn an_editor_that_lends_its_model_is_asked() {
    let mut session = lending(true).await;
    session
        .execute("skills.server.ask", json!(["what is in a.txt?"]))
        .await
        .unwrap();
    let (first, _) = asked(&mut session).await;
    tell(
        &mut session,
        &json!("guessed"),
        json!({"type": "text", "text": "from nobody"}),
    )
    .await;
    let input = json!({"path": "a.txt", "start_line": 1});
    let call = json!({"type": "tool_call", "callId": "a", "name": "read_file_range", "input": input});
    tell(&mut session, &first, json!({"type": "newer", "x": 1})).await;
    tell(&mut session, &first, call).await;
    end(&mut session, &first).await;
    let (second, result) = asked(&mut session).await;
    assert_ne!(first, second);
    assert_eq!(result["content"][0]["type"], "tool_result");
    assert!(
        result["content"][0]["content"].as_str().unwrap().contains("one"),
        "{result}"
    );
    tell(&mut session, &second, json!({"type": "text", "text": "one"})).await;
    end(&mut session, &second).await;
    assert_eq!(session.turn_end().await.unwrap().0, "end_turn");
}

#[tokio::test]
async fn a_stopped_turn_stops_the_editors_model() {
    let mut session = lending(true).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let (request, _) = asked(&mut session).await;
    session.execute("skills.server.cancel", json!([])).await.unwrap();
    let cancelled = session.editor.wait_for("skills/lm/cancel").await.unwrap();
    assert_eq!(cancelled["requestId"], request);
    // What still comes belongs to nothing.
    tell(&mut session, &request, json!({"type": "text", "text": "late"})).await;
    end(&mut session, &request).await;
    assert_eq!(session.turn_end().await.unwrap().0, "cancelled");
}

#[tokio::test]
async fn an_editor_that_refuses_or_lends_nothing_says_so() {
    let mut session = lending(false).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let (_, message) = session.turn_end().await.unwrap();
    assert!(
        message
            .as_str()
            .unwrap()
            .contains("not allowed, or there is no such model"),
        "{message}"
    );

    let mut session = lending(true).await;
    session.execute("skills.server.ask", json!(["go"])).await.unwrap();
    let (request, _) = asked(&mut session).await;
    let params = json!({"requestId": request, "error": "the quota is used up"});
    session.editor.notify("skills/lm/end", params).await.unwrap();
    let (_, message) = session.turn_end().await.unwrap();
    assert!(message.as_str().unwrap().contains("the quota is used up"), "{message}");

    let mut options = trusted();
    options["model"] = json!({"provider": "editor"});
    let mut session = Session::start_with(&[], capabilities(), options, &[]).await.unwrap();
    let error = session.execute("skills.server.ask", json!(["go"])).await.unwrap_err();
    assert!(error.to_string().contains("this editor lends no model"), "{error}");
}

/// An endpoint that lists two models, and answers everything else with what it was asked for.
pub(crate) async fn endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = Vec::new();
                let asked = loop {
                    let mut buffer = [0; 4096];
                    let count = stream.read(&mut buffer).await.unwrap_or_default();
                    request.extend_from_slice(&buffer[..count]);
                    let text = String::from_utf8_lossy(&request);
                    if text.starts_with("GET ") && text.contains("\r\n\r\n") {
                        break None;
                    }
                    let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
                    if let Some(body) = body.and_then(|body| serde_json::from_str::<Value>(body).ok()) {
                        break Some(body);
                    }
                    if count == 0 {
                        return;
                    }
                };
                let answer = match asked {
                    None => json!({"data": [{"id": "small", "context_length": 8192}, {"id": "large"}]}),
                    Some(body) => {
                        let said = format!("{} {}", body["model"], body["reasoning_effort"]);
                        json!({"choices": [{"message": {"content": said}, "finish_reason": "stop"}],
                            "usage": {"prompt_tokens": 2_000_000, "completion_tokens": 1_000_000}})
                    }
                };
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n";
                // The client may have left already.
                let _ = stream.write_all(format!("{head}{answer}").as_bytes()).await;
            });
        }
    });
    url
}

/// What the model of a turn said it was asked as, and the turn's cost.
async fn turn(session: &mut Session, command: &str, arguments: Value) -> (String, Value) {
    session.execute(command, arguments).await.unwrap();
    let is_chunk = |params: &Value| params["update"]["sessionUpdate"] == "agent_message_chunk";
    let chunk = session
        .editor
        .wait_until("skills/session/update", is_chunk)
        .await
        .unwrap();
    let is_end = |params: &Value| params["update"]["state"] == "idle";
    let mut ended = session
        .editor
        .wait_until("skills/session/update", is_end)
        .await
        .unwrap();
    let said = chunk["update"]["content"]["text"].as_str().unwrap().to_owned();
    (said, ended["update"]["_meta"]["skills"]["cost"].take())
}

#[tokio::test]
async fn the_conversation_the_skill_and_the_turn_choose_the_model() {
    let skill = "---\nname: deep\ndescription: Use for hard things\nmodel: large\neffort: high\n---\nThink.\n";
    let mut options = trusted();
    options["model"] = json!({"provider": "openai", "name": "small", "baseUrl": endpoint().await});
    options["prices"] = json!({"large": {"input": 2, "output": 10}});
    let files = [(".claude/skills/deep/SKILL.md", skill)];
    let mut session = Session::start_with(&files, capabilities(), options, &[]).await.unwrap();
    session.open(".claude/skills/deep/SKILL.md").await.unwrap();

    let listed = session.editor.request("skills/models/list", json!({})).await.unwrap();
    let model =
        |id: &str, is_current: bool| json!({"modelId": id, "name": id, "provider": "openai", "isCurrent": is_current});
    let mut small = model("small", true);
    small["contextWindow"] = json!(8192);
    assert_eq!(listed, json!({"models": [small, model("large", false)]}));

    let ask = "skills.server.ask";
    assert_eq!(
        turn(&mut session, ask, json!(["go"])).await,
        ("\"small\" null".into(), Value::Null)
    );
    let place = json!({"model": "large", "effort": "low"});
    assert_eq!(
        turn(&mut session, ask, json!(["go", place])).await,
        ("\"large\" \"low\"".into(), json!(14.0))
    );
    assert_eq!(
        turn(&mut session, ask, json!(["go"])).await.0,
        "\"small\" null",
        "for that turn alone"
    );
    let chosen = session
        .execute("skills.server.models", json!(["tiny", "medium"]))
        .await
        .unwrap();
    assert!(
        chosen["model"]
            .as_str()
            .unwrap()
            .starts_with("openai tiny (medium) at http://127.0.0.1:"),
        "{chosen}"
    );
    assert_eq!(
        turn(&mut session, ask, json!(["go"])).await.0,
        "\"tiny\" \"medium\"",
        "from now on"
    );
    let run = "skills.server.run";
    assert_eq!(turn(&mut session, run, json!(["deep"])).await.0, "\"large\" \"high\"");
    let error = session
        .execute("skills.server.models", json!([null, "lots"]))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("write low, medium, high"), "{error}");
    session
        .execute("skills.server.models", json!(["default"]))
        .await
        .unwrap();
    assert_eq!(turn(&mut session, ask, json!(["go"])).await.0, "\"small\" \"medium\"");
}

#[tokio::test]
async fn the_models_are_shown_to_choose_from() {
    let mut capabilities = capabilities();
    capabilities["window"]["showMessage"] = json!({});
    let mut options = trusted();
    options["model"] = json!({"provider": "openai", "name": "small", "baseUrl": endpoint().await});
    let mut session = Session::start_with(&[], capabilities, options, &[]).await.unwrap();
    session.editor.answer =
        |method, params| (method == "window/showMessageRequest").then(|| params["actions"][1].clone());
    session.execute("skills.server.models", json!([])).await.unwrap();
    let shown = session.editor.wait_for("window/showMessageRequest").await.unwrap();
    assert_eq!(shown["actions"], json!([{"title": "small"}, {"title": "large"}]));
    let listed = loop {
        let listed = session.editor.request("skills/models/list", json!({})).await.unwrap();
        if listed["models"][0]["isCurrent"] == false {
            break listed;
        }
    };
    assert_eq!(listed["models"][1]["isCurrent"], true);
}

#[tokio::test]
async fn models_that_cannot_be_listed_are_an_error_that_says_why() {
    let mut options = trusted();
    options["model"] = json!({"provider": "anthropic", "baseUrl": "http://127.0.0.1:1"});
    let mut session = Session::start_with(&[], capabilities(), options, &[]).await.unwrap();
    let error = session
        .editor
        .request("skills/models/list", json!({}))
        .await
        .unwrap_err();
    assert!(
        error.to_string().starts_with("can't reach http://127.0.0.1:1: "),
        "{error}"
    );
}

#[tokio::test]
async fn what_answers_is_told_at_first_and_whenever_it_is_another() {
    async fn model(session: &mut Session, name: &str) -> Value {
        let is_it = |params: &Value| params["model"]["name"] == name;
        let mut status = session.editor.wait_until("skills/agent/status", is_it).await.unwrap();
        status["model"].take()
    }
    async fn configure(session: &mut Session, model: Value) {
        let params = json!({"settings": {"skills": {"model": model}}});
        let method = "workspace/didChangeConfiguration";
        session.editor.notify(method, params).await.unwrap();
    }
    let mut session = Session::start(&[]).await.unwrap();
    let first = session.editor.wait_for("skills/agent/status").await.unwrap();
    assert_eq!((&first["kind"], &first["busy"]), (&json!("Warning"), &json!(false)));
    let problem = first["model"]["problem"].as_str().unwrap();
    assert!(
        problem.contains("set the environment variable ANTHROPIC_API_KEY"),
        "{problem}"
    );

    // One on this machine needs no key.
    configure(&mut session, json!({"name": "small", "baseUrl": "http://127.0.0.1:9"})).await;
    let small = json!({"name": "small", "label": "anthropic small at http://127.0.0.1:9"});
    assert_eq!(model(&mut session, "small").await, small);

    configure(&mut session, json!({"provider": "editor"})).await;
    let none = model(&mut session, "").await;
    assert!(none["problem"].as_str().unwrap().contains("lends no model"), "{none}");

    let opened = session.editor.request("skills/session/new", json!({})).await.unwrap();
    let choice = json!({"sessionId": opened["sessionId"], "configId": "model", "value": "openai:large"});
    let method = "skills/session/setConfigOption";
    session.editor.request(method, choice).await.unwrap();
    let large = model(&mut session, "large").await;
    assert!(large["problem"].as_str().unwrap().contains("OPENAI_API_KEY"), "{large}");
}
