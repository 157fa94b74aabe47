//! OpenAI Chat Completions: what is sent, and what is made of the answers of OpenAI and of servers that are compatible
//! with it in their own ways.

use serde_json::{Value, json};
use skills_agent::model::key::ApiKey;
use skills_agent::model::remote::Remote;
use skills_agent::model::{Block, Effort, Message, Model, Patience, Request, Role, ToolSpec, ToolUse, openai_chat};

use crate::endpoint::{Endpoint, KEY, Reply, request, told};

const JSON: &str = "content-type: application/json\r\n";

fn remote(url: &str, effort: Option<Effort>) -> Remote {
    let key = ApiKey::from_variable("A_KEY", Some(KEY.into()));
    Remote::new(&openai_chat::WIRE, "a-model", effort, url, key).with_patience(Patience {
        retries: 0,
        ..Patience::default()
    })
}

/// A stream of chunks, with `[DONE]` or without.
fn chunks(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn call(call: Value) -> Value {
    delta(json!({"tool_calls": [call]}))
}

/// The result of one answer.
async fn answer(reply: Reply) -> Vec<String> {
    let endpoint = Endpoint::start([reply]).await;
    told(&remote(&endpoint.url, None), request()).await
}

#[tokio::test]
async fn a_request_is_what_the_wire_wants() {
    let endpoint = Endpoint::start([Reply::stream("data: [DONE]\n\n")]).await;
    let tool_call = |id: &str, input| {
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
    let reasoning = |provider: &str, item| Block::Reasoning {
        provider: provider.into(),
        item,
    };
    let message = |role, content| Message { role, content };
    let request = Request {
        system: "You help.".into(),
        messages: vec![
            message(Role::User, vec![Block::Text("hi".into()), Block::Text("you".into())]),
            message(
                Role::Assistant,
                vec![
                    reasoning("openai", json!({"reasoning_content": "hm"})),
                    reasoning("openai-responses", json!({"type": "reasoning"})),
                    Block::Thinking {
                        text: "not this wire's".into(),
                        signature: "s".into(),
                    },
                    tool_call("a", Ok(json!({"x": 1}))),
                    tool_call("b", Err("{\"x\":".into())),
                ],
            ),
            message(
                Role::User,
                vec![result("a", false), result("b", true), Block::Text("go on".into())],
            ),
            message(Role::Assistant, vec![Block::Text("so".into())]),
        ],
        tools: vec![ToolSpec {
            name: "echo",
            description: "d",
            input_schema: json!({"type": "object"}),
        }],
        max_tokens: 100,
    };
    told(&remote(&format!("{}/v1/", endpoint.url), Some(Effort::Max)), request).await;
    let arrived = endpoint.arrived().remove(0);
    assert!(arrived.head.starts_with("post /v1/chat/completions http/1.1\r\n"));
    assert!(
        arrived.head.contains("\r\nauthorization: bearer sk-secret\r\n"),
        "{}",
        arrived.head
    );
    let function = |arguments: &str| json!({"name": "echo", "arguments": arguments});
    assert_eq!(
        arrived.body,
        json!({
            "model": "a-model",
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 100,
            "reasoning_effort": "xhigh",
            "tools": [{"type": "function", "function":
                {"name": "echo", "description": "d", "parameters": {"type": "object"}}}],
            "messages": [
                {"role": "system", "content": "You help."},
                {"role": "user", "content": "hi\n\nyou"},
                {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
                    {"id": "a", "type": "function", "function": function("{\"x\":1}")},
                    {"id": "b", "type": "function", "function": function("{\"INVALID_JSON\":\"{\\\"x\\\":\"}")},
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "out"},
                {"role": "tool", "tool_call_id": "b", "content": "Error: out"},
                {"role": "user", "content": "go on"},
                {"role": "assistant", "content": "so"},
            ],
        })
    );
}

#[tokio::test]
async fn text_reasoning_and_usage_come_as_they_are_streamed() {
    let usage = json!({"choices": [], "usage":
        {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 7}}});
    let stream = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "h"})),
        delta(json!({"reasoning_content": "m", "content": null})),
        delta(json!({"content": "hé"})),
        delta(json!({"content": "llo 😀"})),
        finish("stop"),
        usage,
    ];
    let expected = [
        "ThinkingDelta(\"h\")",
        "ThinkingDelta(\"m\")",
        "delta hé",
        "delta llo 😀",
        "Block(Reasoning { provider: \"openai\", item: Object {\"reasoning_content\": String(\"hm\")} })",
        "text hé\u{6c}lo 😀",
        "EndTurn 3 5",
    ];
    let text = chunks(&stream);
    for end in ["data: [DONE]\n\n", ""] {
        assert_eq!(
            answer(Reply::stream(&format!("{text}{end}"))).await,
            expected,
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn calls_are_told_apart_whatever_the_server_leaves_out() {
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let whole = |id: &str, name: &str, arguments: &str| json!({"index": 0, "id": id, "type": "function", "function": function(name, arguments)});
    let two = ["a one {\"x\":1}", "b two {}"];
    let cases: Vec<(&str, Vec<Value>, &str, Vec<&str>)> = vec![
        (
            "fragments by index, as OpenAI sends them",
            vec![
                call(json!({"index": 0, "id": "a", "type": "function", "function": function("one", "")})),
                call(json!({"index": 0, "function": {"arguments": "{\"x\""}})),
                call(json!({"index": 1, "id": "b", "type": "function", "function": function("two", "")})),
                call(json!({"index": 0, "function": {"arguments": ":1}"}})),
                call(json!({"index": 1, "function": {"arguments": "{}"}})),
            ],
            "tool_calls",
            two.to_vec(),
        ),
        (
            "whole calls in one chunk, the same index, the wrong reason (Ollama)",
            vec![delta(
                json!({"tool_calls": [whole("a", "one", "{\"x\":1}"), whole("b", "two", "{}")]}),
            )],
            "stop",
            two.to_vec(),
        ),
        (
            "whole calls without an index",
            vec![
                call(json!({"id": "a", "function": function("one", "{\"x\":1}")})),
                call(json!({"id": "b", "function": function("two", "")})),
            ],
            "stop",
            two.to_vec(),
        ),
        (
            "no index and no identifier, the same tool twice",
            vec![
                call(json!({"function": function("one", "{\"x\":1}")})),
                call(json!({"function": function("one", "{\"x\":2}")})),
            ],
            "tool_calls",
            vec![" one {\"x\":1}", " one {\"x\":2}"],
        ),
        (
            "the name repeated in each chunk (llama.cpp)",
            vec![
                call(json!({"index": 0, "id": "a", "function": function("one", "{\"x\"")})),
                call(json!({"index": 0, "id": "a", "function": function("one", ":1}")})),
            ],
            "tool_calls",
            vec!["a one {\"x\":1}"],
        ),
        (
            "the name repeated without an identifier",
            vec![
                call(json!({"index": 0, "function": function("one", "")})),
                call(json!({"index": 0, "function": function("one", "{\"x\"")})),
                call(json!({"index": 0, "function": function("one", ":1}")})),
            ],
            "tool_calls",
            vec![" one {\"x\":1}"],
        ),
        (
            "a new identifier in each fragment (vLLM)",
            vec![
                call(json!({"index": 0, "id": "a", "function": function("one", "")})),
                call(json!({"index": 0, "id": "z", "function": {"arguments": "{\"x\":"}})),
                call(json!({"index": 0, "id": "y", "function": {"name": null, "arguments": "1}"}})),
            ],
            "tool_calls",
            vec!["a one {\"x\":1}"],
        ),
        (
            "arguments as an object",
            vec![call(
                json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": {"x": 1}}}),
            )],
            "tool_calls",
            vec!["a one {\"x\":1}"],
        ),
        (
            "arguments that end too early, though the reason says otherwise (vLLM)",
            vec![call(
                json!({"index": 0, "id": "a", "function": function("one", "{\"x\": \"ab")}),
            )],
            "tool_calls",
            vec!["a one no JSON: {\"x\": \"ab"],
        ),
        (
            "a fragment that belongs to nothing",
            vec![
                call(json!({"index": 7, "function": {"arguments": "{}"}})),
                call(json!("no object")),
                call(json!({"index": 0, "id": "a", "function": function("one", "{\"x\":1}")})),
            ],
            "tool_calls",
            vec!["a one {\"x\":1}"],
        ),
    ];
    for (what, mut stream, reason, expected) in cases {
        stream.push(finish(reason));
        let endpoint = Endpoint::start([Reply::stream(&chunks(&stream))]).await;
        let (calls, stop) = calls_and_stop(&remote(&endpoint.url, None)).await;
        assert_eq!(calls, expected, "{what}");
        assert_eq!(stop, "ToolUse", "{what}");
    }
}

/// The calls of an answer, a line each, and why it stopped.
async fn calls_and_stop(model: &dyn Model) -> (Vec<String>, String) {
    use futures_util::StreamExt;
    use skills_agent::model::ModelEvent;
    let events: Vec<_> = model.stream(request()).collect().await;
    let mut calls = Vec::new();
    let mut stop = String::new();
    for event in events {
        match event.unwrap() {
            ModelEvent::Block(Block::ToolUse(call)) => {
                let input = call
                    .input
                    .map_or_else(|text| format!("no JSON: {text}"), |input| input.to_string());
                calls.push(format!("{} {} {input}", call.id, call.name));
            }
            ModelEvent::Stop { reason, .. } => stop = format!("{reason:?}"),
            _ => {}
        }
    }
    (calls, stop)
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning() {
    let text = || delta(json!({"content": "so"}));
    let tool = || call(json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": "{\"x\""}}));
    let cases = [
        (vec![text(), finish("stop")], "EndTurn"),
        (vec![text(), finish("length")], "MaxTokens"),
        (vec![tool(), finish("length")], "MaxTokens"),
        (vec![text(), finish("content_filter")], "Refusal"),
        (vec![delta(json!({"refusal": "I can't"})), finish("stop")], "Refusal"),
        (vec![text(), finish("something_new")], "Other(\"something_new\")"),
    ];
    for (stream, expected) in cases {
        let told = answer(Reply::stream(&chunks(&stream))).await;
        assert!(told.last().unwrap().starts_with(expected), "{told:#?}");
    }
    // No reason at all (vLLM), but an end.
    let told = answer(Reply::stream(&(chunks(&[text()]) + "data: [DONE]\n\n"))).await;
    assert_eq!(told, ["delta so", "text so", "EndTurn 0 0"]);
}

#[tokio::test]
async fn a_broken_stream_is_an_error_after_what_came_before() {
    let cases = [
        ("", "ended in the middle"),
        ("data: {\"choices\":[{\"del", "ended in the middle"),
        (
            "data: \u{0}garbage\n\n",
            "something else than the Chat Completions stream",
        ),
        ("data: {}\n\n", "something else than the Chat Completions stream"),
        ("data: [1]\n\n", "something else than the Chat Completions stream"),
        (
            "data: {\"error\":{\"message\":\"out of memory, sk-secret\",\"type\":\"server_error\"}}\n\n",
            "broke off its answer with server_error: out of memory, ***",
        ),
        (
            "data: {\"error\":\"no slot\"}\n\n",
            "broke off its answer with an error: no slot",
        ),
        (
            "event: error\ndata: {\"message\":\"bad\",\"code\":500}\n\n",
            "broke off its answer with 500: bad",
        ),
    ];
    for (broken, expected) in cases {
        let told = answer(Reply::stream(&(chunks(&[delta(json!({"content": "half"}))]) + broken))).await;
        assert_eq!(told[0], "delta half");
        assert!(
            told.len() == 2 && told[1].starts_with("error: ") && told[1].contains(expected),
            "{told:#?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_taken_whole() {
    let message = json!({"role": "assistant", "content": "so", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "one", "arguments": "{\"x\": \"\\n\"}"}}]});
    let body = json!({"object": "chat.completion", "choices": [{"message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5}});
    let told = answer(Reply::status(200, JSON, &serde_json::to_string_pretty(&body).unwrap())).await;
    assert_eq!(told[0], "delta so");
    assert!(
        told[3].contains("input: Ok(Object {\"x\": String(\"\\n\")})"),
        "{told:#?}"
    );
    assert_eq!(told.last().unwrap(), "ToolUse 3 5");
}

#[tokio::test]
async fn what_a_server_refuses_is_given_up_once_and_for_all() {
    let done = || Reply::stream(&chunks(&[delta(json!({"content": "ok"})), finish("stop")]));
    let whole = || {
        Reply::status(
            200,
            JSON,
            r#"{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}"#,
        )
    };
    let cases: Vec<(u16, &str, Reply, Reply, &str)> = vec![
        (
            500,
            "Cannot use tools with stream",
            whole(),
            whole(),
            "asking for the answer in one piece",
        ),
        (
            400,
            "Unrecognized request argument: stream_options",
            done(),
            done(),
            "asking without a count of tokens",
        ),
        (
            422,
            "[{\"loc\":[\"body\",\"reasoning_effort\"],\"msg\":\"Extra inputs are not permitted\"}]",
            done(),
            done(),
            "asking without an effort",
        ),
        (
            400,
            "This model's maximum context length is 4096 tokens. You requested 32010 (10 in the messages, 32000 in the completion)",
            done(),
            done(),
            "asking without a limit to the answer",
        ),
    ];
    for (status, said, first, second, instead) in cases {
        let body = json!({"error": {"message": said}}).to_string();
        let endpoint = Endpoint::start([Reply::status(status, JSON, &body), first, second]).await;
        let model = remote(&endpoint.url, Some(Effort::Low));
        let told_first = told(&model, request()).await;
        assert!(
            told_first[0].starts_with("retrying: ") && told_first[0].ends_with(instead),
            "{told_first:#?}"
        );
        assert_eq!(told_first[1..], ["delta ok", "text ok", "EndTurn 0 0"]);
        assert_eq!(told(&model, request()).await, told_first[1..]);
        let bodies: Vec<_> = endpoint.arrived().into_iter().map(|arrived| arrived.body).collect();
        assert_ne!(bodies[0], bodies[1]);
        assert_eq!(bodies[1], bodies[2]);
    }
    // A second refusal of the same kind is the answer.
    let refusal = || Reply::status(400, JSON, r#"{"error":{"message":"stream_options is unknown"}}"#);
    let endpoint = Endpoint::start([refusal(), refusal()]).await;
    let told = told(&remote(&endpoint.url, None), request()).await;
    assert!(
        told.len() == 2 && told[1].contains("refused the request (400 stream_options is unknown)"),
        "{told:#?}"
    );
}

#[tokio::test]
async fn what_will_not_pass_says_the_way_out() {
    let error =
        |message: &str, code: &str| json!({"error": {"message": message, "type": code, "code": code}}).to_string();
    let cases = [
        (
            Reply::status(
                429,
                JSON,
                &error("You exceeded your current quota", "insufficient_quota"),
            ),
            "asks for payment, or its quota is used up: check the account of the key from A_KEY",
        ),
        (
            Reply::status(400, JSON, &error("too much", "context_length_exceeded")),
            "the conversation is too long for a-model: begin a new one with /clear",
        ),
        (
            Reply::status(401, JSON, "{\"detail\":\"no sk-secret\"}"),
            "refused the key: check A_KEY, or set model.apiKeyEnv or model.apiKeyCommand (401 no ***)",
        ),
        (
            Reply::status(400, JSON, &error("a-model is not a valid model ID", "")),
            "knows no model a-model",
        ),
        (Reply::status(407, "", ""), "the proxy wants a name and a password"),
        (
            Reply::status(200, "content-type: text/html\r\n", "<html>"),
            "answered with \"text/html\" instead of an event stream",
        ),
        (
            Reply::status(200, JSON, "{\"choices\": [{"),
            "something else than the Chat Completions stream",
        ),
        (
            Reply::status(200, JSON, "{malformed"),
            "something else than the Chat Completions stream",
        ),
    ];
    for (reply, expected) in cases {
        let told = answer(reply).await;
        assert!(
            told.len() == 1 && told[0].contains(expected),
            "{expected:?} in {told:#?}"
        );
        assert!(!told[0].contains(KEY), "{told:#?}");
    }
}
