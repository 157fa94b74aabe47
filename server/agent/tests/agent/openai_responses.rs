//! OpenAI Responses: what is sent, and what its events mean.

use serde_json::{Value, json};
use skills_agent::model::key::ApiKey;
use skills_agent::model::remote::Remote;
use skills_agent::model::{Block, Effort, Message, Patience, Request, Role, ToolSpec, ToolUse, openai_responses};

use crate::endpoint::{Endpoint, KEY, Reply, request, told};

fn remote(url: &str, effort: Option<Effort>) -> Remote {
    let key = ApiKey::from_variable("A_KEY", Some(KEY.into()));
    Remote::new(&openai_responses::WIRE, "a-model", effort, url, key).with_patience(Patience {
        retries: 0,
        ..Patience::default()
    })
}

fn events(events: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", name(event)))
        .collect()
}

async fn answer(stream: &[Value]) -> Vec<String> {
    let endpoint = Endpoint::start([Reply::stream(&events(stream))]).await;
    told(&remote(&endpoint.url, None), request()).await
}

fn event(kind: &str, mut fields: Value) -> Value {
    fields["type"] = format!("response.{kind}").into();
    fields
}

fn completed(mut response: Value) -> Value {
    response["usage"] = json!({"input_tokens": 10, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 7}});
    event("completed", json!({"response": response}))
}

#[tokio::test]
async fn a_request_is_what_the_wire_wants() {
    let endpoint = Endpoint::start([Reply::stream(&events(&[completed(json!({}))]))]).await;
    let reasoning = |provider: &str, item| Block::Reasoning {
        provider: provider.into(),
        item,
    };
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let request = Request {
        system: "You help.".into(),
        messages: vec![
            Message {
                role: Role::User,
                content: vec![Block::Text("hi".into())],
            },
            Message {
                role: Role::Assistant,
                content: vec![
                    reasoning("openai-responses", item.clone()),
                    reasoning("openai", json!({"reasoning_content": "hm"})),
                    Block::RedactedThinking { data: "x".into() },
                    Block::Text("so".into()),
                    Block::ToolUse(ToolUse {
                        id: "call_a".into(),
                        name: "echo".into(),
                        input: Ok(json!({"x": 1})),
                    }),
                ],
            },
            Message {
                role: Role::User,
                content: vec![Block::ToolResult {
                    id: "call_a".into(),
                    content: "out".into(),
                    is_error: true,
                }],
            },
        ],
        tools: vec![ToolSpec {
            name: "echo",
            description: "d",
            input_schema: json!({"type": "object"}),
        }],
        max_tokens: 100,
    };
    told(&remote(&endpoint.url, Effort::of("12000")), request).await;
    let arrived = endpoint.arrived().remove(0);
    assert!(arrived.head.starts_with("post /v1/responses http/1.1\r\n"));
    assert_eq!(
        arrived.body,
        json!({
            "model": "a-model",
            "instructions": "You help.",
            "max_output_tokens": 100,
            "store": false,
            "stream": true,
            "reasoning": {"effort": "medium", "summary": "auto"},
            "tools": [{"type": "function", "name": "echo", "description": "d", "parameters": {"type": "object"},
                "strict": false}],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                item,
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
                {"type": "function_call", "call_id": "call_a", "name": "echo", "arguments": "{\"x\":1}"},
                {"type": "function_call_output", "call_id": "call_a", "output": "Error: out"},
            ],
        })
    );
}

#[tokio::test]
async fn items_are_kept_whole_and_what_is_unknown_is_skipped() {
    let text = json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "hello"}]});
    let call =
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "one", "arguments": "{\"x\":1}"});
    let told = answer(&[
        event("created", json!({"response": {"status": "in_progress"}})),
        event(
            "output_item.added",
            json!({"output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}}),
        ),
        event(
            "reasoning_summary_part.added",
            json!({"output_index": 0, "summary_index": 0}),
        ),
        event(
            "reasoning_summary_text.delta",
            json!({"output_index": 0, "delta": "hm"}),
        ),
        event(
            "reasoning_summary_part.added",
            json!({"output_index": 0, "summary_index": 1}),
        ),
        event(
            "output_item.done",
            json!({"output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}}),
        ),
        event(
            "output_item.added",
            json!({"output_index": 1, "item": {"type": "message"}}),
        ),
        event("output_text.delta", json!({"output_index": 1, "delta": "hel"})),
        event("output_text.delta", json!({"output_index": 1, "delta": "lo"})),
        event("output_text.done", json!({"output_index": 1, "text": "hello"})),
        event("output_item.done", json!({"output_index": 1, "item": text})),
        event(
            "output_item.added",
            json!({"output_index": 2, "item": {"type": "hologram"}}),
        ),
        event("hologram.delta", json!({"output_index": 2, "delta": "?"})),
        event(
            "output_item.done",
            json!({"output_index": 2, "item": {"type": "hologram"}}),
        ),
        event(
            "output_item.added",
            json!({"output_index": 3, "item": {"type": "function_call", "name": "one"}}),
        ),
        event(
            "function_call_arguments.delta",
            json!({"output_index": 3, "delta": "{\"x\":1}"}),
        ),
        event("output_item.done", json!({"output_index": 3, "item": call})),
        completed(json!({"status": "completed", "output": [text, call]})),
        event(
            "output_text.delta",
            json!({"output_index": 9, "delta": "after the end"}),
        ),
    ])
    .await;
    let expected = [
        "ThinkingDelta(\"hm\")",
        "ThinkingDelta(\"\\n\\n\")",
        "Block(Reasoning { provider: \"openai-responses\", item: Object {\"id\": String(\"rs_1\"), \"type\": String(\"reasoning\")} })",
        "delta hel",
        "delta lo",
        "text hello",
        "ToolStarted { name: \"one\" }",
        "Block(ToolUse(ToolUse { id: \"call_1\", name: \"one\", input: Ok(Object {\"x\": Number(1)}) }))",
        "ToolUse 3 5",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn servers_that_tell_less_are_understood() {
    let call = "Block(ToolUse(ToolUse { id: \"call_1\", name: \"one\", input: Ok(Object {}) }))";
    let item = json!({"type": "function_call", "call_id": "call_1", "name": "one"});
    let only_streamed = [
        event("output_item.added", json!({"output_index": 0, "item": item})),
        event(
            "function_call_arguments.delta",
            json!({"output_index": 0, "delta": "{"}),
        ),
        event(
            "function_call_arguments.delta",
            json!({"output_index": 0, "delta": "}"}),
        ),
        completed(json!({})),
    ];
    assert_eq!(answer(&only_streamed).await[1..], [call, "ToolUse 3 5"]);
    let only_at_the_end = [completed(json!({"output": [item]}))];
    assert_eq!(answer(&only_at_the_end).await, [call, "ToolUse 3 5"]);
    let only_text = [
        event("output_text.delta", json!({"delta": "hello"})),
        completed(json!({"output": []})),
    ];
    assert_eq!(answer(&only_text).await, ["delta hello", "text hello", "EndTurn 3 5"]);
}

#[tokio::test]
async fn every_end_has_its_meaning() {
    let incomplete = |reason: &str| {
        event(
            "incomplete",
            json!({"response": {"status": "incomplete", "incomplete_details": {"reason": reason}}}),
        )
    };
    let failed = |code: &str| {
        event(
            "failed",
            json!({"response": {"error": {"code": code, "message": "m sk-secret"}}}),
        )
    };
    let cases = [
        (completed(json!({"status": "completed"})), "EndTurn 3 5"),
        (incomplete("max_output_tokens"), "MaxTokens 0 0"),
        (incomplete("content_filter"), "Refusal 0 0"),
        (incomplete("newer"), "Other(\"newer\") 0 0"),
        (
            failed("server_error"),
            "error: the model endpoint broke off its answer with server_error: m ***",
        ),
        (
            failed("invalid_prompt"),
            "error: the model endpoint broke off its answer with invalid_prompt: m ***",
        ),
        (
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}),
            "error: the model endpoint broke off its answer with rate_limit_exceeded: slow down",
        ),
        (
            json!({"type": "error", "message": "odd"}),
            "error: the model endpoint broke off its answer with an error: odd",
        ),
        (
            json!({"error": {"message": "odd"}}),
            "error: the model endpoint broke off its answer with an error: odd",
        ),
        (
            json!({"choices": []}),
            "error: the endpoint sent something else than the Responses stream",
        ),
    ];
    for (end, expected) in cases {
        let told = answer(std::slice::from_ref(&end)).await;
        assert!(
            told.len() == 1 && told[0].starts_with(expected),
            "{expected:?} in {told:#?}"
        );
    }
    assert!(answer(&[]).await[0].contains("ended in the middle"));
    let refused = [
        event("refusal.delta", json!({"output_index": 0, "delta": "I can't"})),
        completed(json!({})),
    ];
    assert_eq!(answer(&refused).await, ["delta I can't", "text I can't", "Refusal 3 5"]);
}

#[tokio::test]
async fn what_a_model_without_reasoning_refuses_is_given_up() {
    let refusal = |said: &str| {
        let body = json!({"error": {"message": said, "code": "unsupported_parameter"}}).to_string();
        Reply::status(400, "content-type: application/json\r\n", &body)
    };
    let replies = [
        refusal("Your organization must be verified to generate reasoning summaries: 'reasoning.summary'"),
        refusal("Unsupported parameter: 'reasoning.effort' is not supported with this model."),
        Reply::stream(&events(&[completed(json!({}))])),
    ];
    let endpoint = Endpoint::start(replies).await;
    let told = told(&remote(&endpoint.url, Some(Effort::High)), request()).await;
    assert_eq!(told[2], "EndTurn 3 5");
    let reasoning: Vec<_> = endpoint
        .arrived()
        .iter()
        .map(|arrived| arrived.body["reasoning"].clone())
        .collect();
    assert_eq!(
        reasoning,
        [
            json!({"effort": "high", "summary": "auto"}),
            json!({"effort": "high"}),
            Value::Null
        ]
    );
}
