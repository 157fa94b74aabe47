//! What the client of Anthropic Messages sends, and what it makes of an endpoint's moods.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use skills_agent::model::anthropic;
use skills_agent::model::key::ApiKey;
use skills_agent::model::remote::Remote;
use skills_agent::model::{Block, Effort, Message, Model, ModelEvent, Patience, Request, Role, ToolSpec, ToolUse};

use crate::endpoint::{Endpoint, KEY, Reply, request, told};

/// A whole answer, as short as the wire allows.
const ANSWER: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\n",
    "event: content_block_start\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"hello\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: message_delta\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":5}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

/// The beginning of an answer.
const HALF: &str = concat!(
    "event: content_block_start\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"half\"}}\n\n",
);

fn model(url: &str) -> Remote {
    remote(url, ApiKey::from_variable("A_KEY", Some(KEY.into())))
}

fn remote(url: &str, key: ApiKey) -> Remote {
    Remote::new(&anthropic::WIRE, "a-model", None, url, key).with_patience(Patience {
        backoff: Duration::ZERO,
        ..Patience::default()
    })
}

#[tokio::test]
async fn a_request_is_what_the_wire_wants() {
    let endpoint = Endpoint::start([Reply::stream(ANSWER)]).await;
    let call = |id: &str, input| {
        Block::ToolUse(ToolUse {
            id: id.into(),
            name: "echo".into(),
            input,
        })
    };
    let result = |id: &str, is_error| Block::ToolResult {
        id: id.into(),
        content: "out".into(),
        is_error,
    };
    let request = Request {
        system: "You help.".into(),
        messages: vec![
            Message {
                role: Role::User,
                content: vec![Block::Text("hi".into()), Block::Text(" ".into())],
            },
            Message {
                role: Role::Assistant,
                content: vec![
                    Block::Thinking {
                        text: "hm".into(),
                        signature: "sig".into(),
                    },
                    Block::RedactedThinking { data: "xyz".into() },
                    Block::Text("so".into()),
                    call("a", Ok(json!({"x": 1}))),
                    call("b", Err("{\"x\":".into())),
                ],
            },
            Message {
                role: Role::User,
                content: vec![result("a", false), result("b", true)],
            },
        ],
        tools: ["echo", "find"]
            .map(|name| ToolSpec {
                name,
                description: "d",
                input_schema: json!({}),
            })
            .to_vec(),
        max_tokens: 100,
    };
    for base_url in [
        &endpoint.url,
        &format!("{}/", endpoint.url),
        &format!("{}/v1/", endpoint.url),
    ] {
        assert_eq!(
            model(base_url).label(),
            format!("anthropic a-model at {}", endpoint.url)
        );
    }
    let told = told(&model(&format!("{}/v1/", endpoint.url)), request).await;
    assert_eq!(told, ["delta hello", "text hello", "EndTurn 3 5"]);

    let arrived = endpoint.arrived().remove(0);
    let ephemeral = json!({"type": "ephemeral"});
    assert_eq!(
        arrived.body,
        json!({
            "model": "a-model",
            "max_tokens": 100,
            "stream": true,
            "system": [{"type": "text", "text": "You help.", "cache_control": ephemeral}],
            "tools": [
                {"name": "echo", "description": "d", "input_schema": {}},
                {"name": "find", "description": "d", "input_schema": {}, "cache_control": ephemeral},
            ],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": ephemeral}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "sig"},
                    {"type": "redacted_thinking", "data": "xyz"},
                    {"type": "text", "text": "so"},
                    {"type": "tool_use", "id": "a", "name": "echo", "input": {"x": 1}},
                    {"type": "tool_use", "id": "b", "name": "echo", "input": {"INVALID_JSON": "{\"x\":"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "out"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "out", "is_error": true,
                     "cache_control": ephemeral},
                ]},
            ],
        })
    );
    assert!(
        arrived.head.starts_with("post /v1/messages http/1.1\r\n"),
        "{}",
        arrived.head
    );
    for header in [
        "x-api-key: sk-secret",
        "anthropic-version: 2023-06-01",
        "content-type: application/json",
    ] {
        assert!(
            arrived.head.contains(&format!("\r\n{header}")),
            "{header} in {}",
            arrived.head
        );
    }
}

#[tokio::test]
async fn a_long_conversation_keeps_to_the_four_breakpoints_of_the_wire() {
    let endpoint = Endpoint::start([Reply::stream(ANSWER)]).await;
    let message = |n| Message {
        role: if n % 2 == 0 { Role::User } else { Role::Assistant },
        content: vec![Block::Text(format!("message {n}"))],
    };
    let request = Request {
        system: "You help.".into(),
        messages: (0..10).map(message).collect(),
        tools: vec![ToolSpec {
            name: "echo",
            description: "d",
            input_schema: json!({}),
        }],
        max_tokens: 100,
    };
    told(&model(&endpoint.url), request).await;
    let body = endpoint.arrived().remove(0).body;
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    let marked: Vec<_> = (0..10)
        .filter(|n| !body["messages"][n]["content"][0]["cache_control"].is_null())
        .collect();
    assert_eq!(marked, [6, 8], "the newest of the person or the tools");
}

#[tokio::test]
async fn an_effort_is_asked_for_and_given_up_where_the_model_has_none() {
    let refusal = |said: &str| {
        let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}});
        Reply::status(400, "", &body.to_string())
    };
    let fields = |body: &serde_json::Value| {
        let fields = ["max_tokens", "thinking", "output_config"];
        json!(fields.map(|field| body[field].clone()))
    };
    let key = || ApiKey::from_variable("A_KEY", Some(KEY.into()));
    let asked = |effort, replies: Vec<Reply>| async move {
        let endpoint = Endpoint::start(replies).await;
        let model = Remote::new(&anthropic::WIRE, "a-model", Effort::of(effort), &endpoint.url, key());
        let request = Request {
            max_tokens: 32_000,
            ..request()
        };
        let told = told(&model, request).await;
        assert_eq!(told.last().unwrap(), "EndTurn 3 5", "{told:#?}");
        let bodies: Vec<_> = endpoint.arrived().iter().map(|arrived| fields(&arrived.body)).collect();
        bodies
    };
    let (adaptive, xhigh) = (json!({"type": "adaptive"}), json!({"effort": "xhigh"}));
    let enabled = |tokens: u32| json!({"type": "enabled", "budget_tokens": tokens});
    let ok = || Reply::stream(ANSWER);
    assert_eq!(asked("xhigh", vec![ok()]).await, [json!([32_000, adaptive, xhigh])]);
    assert_eq!(asked("2000", vec![ok()]).await, [json!([32_000, enabled(2000), null])]);
    assert_eq!(asked("5", vec![ok()]).await, [json!([32_000, enabled(1024), null])]);
    assert_eq!(
        asked("64000", vec![ok()]).await,
        [json!([32_000, enabled(31_999), null])]
    );
    let replies = vec![
        refusal("adaptive thinking is not supported on this model"),
        refusal("This model does not support the effort parameter."),
        refusal("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for a-model"),
        ok(),
    ];
    assert_eq!(
        asked("xhigh", replies).await,
        [
            json!([32_000, adaptive, xhigh]),
            json!([32_000, null, xhigh]),
            json!([32_000, null, null]),
            json!([8192, null, null]),
        ]
    );
}

#[tokio::test]
async fn thinking_that_another_model_signed_is_left_behind() {
    let body = json!({"error": {"message": "messages.1.content.0: Invalid `signature` in `thinking` block"}});
    let endpoint = Endpoint::start([Reply::status(400, "", &body.to_string()), Reply::stream(ANSWER)]).await;
    let thinking = Block::Thinking {
        text: "hm".into(),
        signature: "another's".into(),
    };
    let mut request = request();
    request.messages.push(Message {
        role: Role::Assistant,
        content: vec![thinking, Block::Text("so".into())],
    });
    let told = told(&model(&endpoint.url), request).await;
    assert!(told[0].ends_with("asking without its earlier thinking"), "{told:#?}");
    let content = endpoint.arrived()[1].body["messages"][1]["content"].clone();
    assert_eq!(content, json!([{"type": "text", "text": "so"}]));
}

#[tokio::test]
async fn what_may_pass_is_tried_again_from_the_start() {
    let error = |kind: &str| {
        format!(
            "{HALF}event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":\"m\"}}}}\n\n"
        )
    };
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    let chunked = "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n";
    let cases = [
        (
            Reply::status(429, "retry-after: 0\r\n", body),
            "a-model",
            "rate limit for the key from A_KEY (429 slow down)",
        ),
        (
            Reply::status(408, "retry-after: 0\r\n", ""),
            "",
            "can't answer now (408)",
        ),
        (
            Reply::status(503, "retry-after: 0\r\n", "<html>\nno</html>"),
            "",
            "can't answer now (503 <html> no</html>)",
        ),
        (Reply::status(529, "retry-after: 0\r\n", ""), "", "is overloaded (529)"),
        (Reply::nothing(), "", "can't reach http://127.0.0.1:"),
        (Reply::stream(""), "", "ended in the middle of its answer"),
        (Reply::stream(HALF), "half", "ended in the middle of its answer"),
        (
            Reply::stream(&format!("{HALF}data: {{\"type\":\"message_st")),
            "half",
            "ended in the middle of its answer",
        ),
        (
            Reply::status(200, chunked, &format!("{:x}\r\n{HALF}\r\n5\r\nda", HALF.len())),
            "half",
            "the connection to the model broke",
        ),
        (
            Reply::stream(&error("overloaded_error")),
            "half",
            "broke off its answer with overloaded_error: m",
        ),
    ];
    for (reply, shown, reason) in cases {
        let endpoint = Endpoint::start([reply, Reply::stream(ANSWER)]).await;
        let told = told(&model(&endpoint.url), request()).await;
        let retrying = told
            .iter()
            .position(|line| line.starts_with("retrying: ") && line.contains(reason));
        let retrying = retrying.unwrap_or_else(|| panic!("no retry because {reason:?} in {told:#?}"));
        assert_eq!(
            told[..retrying].iter().any(|line| line == "delta half"),
            shown == "half",
            "{told:#?}"
        );
        assert_eq!(told[retrying + 1..], ["delta hello", "text hello", "EndTurn 3 5"]);
    }
}

#[tokio::test]
async fn what_will_not_pass_says_the_way_out() {
    let body = |message: &str| format!(r#"{{"type":"error","error":{{"type":"x","message":"{message}"}}}}"#);
    let cases = [
        (
            Reply::status(401, "", &body("invalid sk-secret")),
            "refused the key: check A_KEY, or set model.apiKeyEnv or model.apiKeyCommand (401 invalid ***)",
        ),
        (
            Reply::status(403, "", ""),
            "choose another model.name or another key (403)",
        ),
        (
            Reply::status(404, "", &body("model: a-model")),
            "knows no model a-model: check model.name and model.baseUrl (404 model: a-model)",
        ),
        (
            Reply::status(400, "", &body("prompt is too long: 9 tokens > 8")),
            "begin a new one with /clear, or read less at once (400 prompt is too long: 9 tokens > 8)",
        ),
        (
            Reply::status(400, "", &body("tools: bad")),
            "refused the request (400 tools: bad)",
        ),
        (Reply::status(413, "", ""), "begin a new conversation with /clear"),
        (
            Reply::status(302, "location: http://127.0.0.1:1/\r\n", ""),
            "set model.baseUrl to its own address (302)",
        ),
        (
            Reply::status(429, "retry-after: 840\r\n", ""),
            "rate limit for the key from A_KEY (429); the endpoint asks to wait 14 minutes",
        ),
        (
            Reply::status(200, "content-type: text/html\r\n", "<html>"),
            "answered with \"text/html\" instead of an event stream; check model.baseUrl",
        ),
        (
            Reply::stream("data: <html>\n\n"),
            "something else than the Anthropic Messages stream",
        ),
        (
            Reply::stream("data: {\"type\":\"content_block_start\"}\n\n"),
            "something else than the Anthropic Messages stream",
        ),
        (
            Reply::stream(
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"m\"}}\n\n",
            ),
            "invalid_request_error: m",
        ),
        (
            Reply::stream(
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"x\",\"message\":\"key sk-secret\"}}\n\n",
            ),
            "x: key ***",
        ),
    ];
    for (reply, expected) in cases {
        let endpoint = Endpoint::start([reply]).await;
        let told = told(&model(&endpoint.url), request()).await;
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(
            told[0].starts_with("error: ") && told[0].contains(expected),
            "{expected:?} in {told:#?}"
        );
        assert!(!told[0].contains(KEY), "{told:#?}");
        assert_eq!(endpoint.arrived().len(), 1);
    }
    let overloaded = || Reply::status(529, "retry-after: 0\r\n", "");
    let endpoint = Endpoint::start([overloaded(), overloaded(), overloaded()]).await;
    let told = told(&model(&endpoint.url), request()).await;
    assert!(told[2].contains("is overloaded (529) (3 attempts)"), "{told:#?}");
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_says_why() {
    let key = |value: &str| ApiKey::from_variable("A_KEY", Some(value.into()));
    let endpoint = |url, key| {
        remote(url, key).with_patience(Patience {
            retries: 0,
            ..Patience::default()
        })
    };
    let cases = [
        (
            endpoint("http://nowhere.invalid", ApiKey::from_variable("A_KEY", None)),
            "set the environment variable A_KEY",
        ),
        (
            endpoint("http://127.0.0.1:1", key("a\nb")),
            "holds characters that no key has",
        ),
        (
            endpoint("http://127.0.0.1:1", key("k")),
            "can't reach http://127.0.0.1:1: ",
        ),
        (
            endpoint("no url", key("k")),
            "relative URL without a base; check the network and model.baseUrl",
        ),
        (endpoint("ftp://x", key("k")), "; check the network and model.baseUrl"),
    ];
    for (model, expected) in cases {
        let told = told(&model, request()).await;
        assert!(
            told.len() == 1 && told[0].contains(expected),
            "{expected:?} in {told:#?}"
        );
    }
}

#[tokio::test]
async fn a_silent_endpoint_is_left_and_asked_again() {
    let replies = [Reply::stream(HALF).hanging(), Reply::stream(ANSWER).hanging()];
    let endpoint = Endpoint::start(replies).await;
    let key = ApiKey::from_variable("A_KEY", Some(KEY.into()));
    let patience = Patience {
        idle: Duration::from_secs(1),
        backoff: Duration::ZERO,
        ..Patience::default()
    };
    let told = told(&remote(&endpoint.url, key).with_patience(patience), request()).await;
    assert!(
        told[1].starts_with("retrying: the model endpoint was silent for 1 s"),
        "{told:#?}"
    );
    assert_eq!(
        told[2..],
        ["delta hello", "text hello", "EndTurn 3 5"],
        "though the connection stays open"
    );
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let endpoint = Endpoint::start([Reply::stream(HALF).hanging()]).await;
    let key = ApiKey::from_variable("A_KEY", Some(KEY.into()));
    let model = remote(&endpoint.url, key);
    let mut events = model.stream(request());
    assert_eq!(
        events.next().await.unwrap().unwrap(),
        ModelEvent::TextDelta("half".into())
    );
    drop(events);
    endpoint.left.notified().await;
}
