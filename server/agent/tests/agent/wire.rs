//! What the stream of Anthropic Messages means, event by event, through recordings.

use futures_util::StreamExt;
use serde_json::{Value, json};
use skills_agent::model::replay::Replay;
use skills_agent::model::{Block, Model, ModelEvent, Request, StopReason, ToolUse, Usage};

async fn decode(events: &[Value]) -> Vec<Result<ModelEvent, String>> {
    let stream: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"]))
        .collect();
    play(&stream).await
}

async fn play(stream: &str) -> Vec<Result<ModelEvent, String>> {
    let model = Replay::new(&format!("=== 1\n{stream}")).unwrap();
    let request = Request {
        system: String::new(),
        messages: vec![],
        tools: vec![],
        max_tokens: 1,
    };
    model
        .stream(request)
        .map(|event| event.map_err(|error| error.message))
        .collect()
        .await
}

fn start(index: u32, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u32, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(index: u32) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stop(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}})
}

fn stopped(reason: StopReason) -> ModelEvent {
    ModelEvent::Stop {
        reason,
        usage: Usage {
            output: 9,
            ..Usage::default()
        },
    }
}

fn call(input: Result<Value, &str>) -> ModelEvent {
    let input = input.map_err(str::to_owned);
    ModelEvent::Block(Block::ToolUse(ToolUse {
        id: "a".into(),
        name: "t".into(),
        input,
    }))
}

#[tokio::test]
async fn blocks_are_kept_whole_and_what_is_unknown_is_skipped() {
    let events = decode(&[
        json!({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage":
            {"input_tokens": 5, "cache_creation_input_tokens": 6, "cache_read_input_tokens": 7, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "h"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "m"})),
        delta(0, json!({"type": "signature_delta", "signature": "si"})),
        delta(0, json!({"type": "signature_delta", "signature": "g"})),
        end(0),
        start(1, json!({"type": "redacted_thinking", "data": "xyz"})),
        end(1),
        start(2, json!({"type": "hologram", "depth": 3})),
        delta(2, json!({"type": "hologram_delta", "depth": 4})),
        end(2),
        start(3, json!({"type": "text", "text": ""})),
        delta(3, json!({"type": "text_delta", "text": "he"})),
        delta(3, json!({"type": "citations_delta", "citation": {}})),
        delta(3, json!({"type": "text_delta", "text": "llo"})),
        delta(9, json!({"type": "text_delta", "text": "nowhere"})),
        end(3),
        end(9),
        json!({"type": "brand_new", "x": [1]}),
        stop("end_turn"),
        json!({"type": "message_stop"}),
        start(4, json!({"type": "text", "text": "after the end"})),
    ])
    .await;
    let expected = [
        ModelEvent::ThinkingDelta("h".into()),
        ModelEvent::ThinkingDelta("m".into()),
        ModelEvent::Block(Block::Thinking {
            text: "hm".into(),
            signature: "sig".into(),
        }),
        ModelEvent::Block(Block::RedactedThinking { data: "xyz".into() }),
        ModelEvent::TextDelta("he".into()),
        ModelEvent::TextDelta("llo".into()),
        ModelEvent::Block(Block::Text("hello".into())),
        ModelEvent::Stop {
            reason: StopReason::EndTurn,
            usage: Usage {
                input: 5,
                cache_write: 6,
                cache_read: 7,
                output: 9,
            },
        },
    ];
    assert_eq!(events, expected.map(Ok));
}

#[tokio::test]
async fn the_arguments_of_a_call_are_read_at_its_end() {
    let cases: [(&[&str], Result<Value, &str>); 8] = [
        (&[], Ok(json!({}))),
        (&[""], Ok(json!({}))),
        (&["", "{\"a\":", " \"é", "\"}"], Ok(json!({"a": "é"}))),
        (&["{}"], Ok(json!({}))),
        (&["{\"a\": 1"], Err("{\"a\": 1")),
        (&["[1]"], Err("[1]")),
        (&["null"], Err("null")),
        (&["{} {}"], Err("{} {}")),
    ];
    for (fragments, expected) in cases {
        let mut events = vec![start(
            0,
            json!({"type": "tool_use", "id": "a", "name": "t", "input": {}}),
        )];
        events.extend(
            fragments
                .iter()
                .map(|f| delta(0, json!({"type": "input_json_delta", "partial_json": f}))),
        );
        events.extend([end(0), stop("tool_use")]);
        let expected = [
            ModelEvent::ToolStarted { name: "t".into() },
            call(expected),
            stopped(StopReason::ToolUse),
        ];
        assert_eq!(decode(&events).await, expected.map(Ok), "{fragments:?}");
    }
    let whole = [
        start(
            0,
            json!({"type": "tool_use", "id": "a", "name": "t", "input": {"a": 1}}),
        ),
        stop("tool_use"),
    ];
    assert_eq!(
        decode(&whole).await[1],
        Ok(call(Ok(json!({"a": 1})))),
        "whole at the start and never closed"
    );
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning() {
    let cases = [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::MaxTokens),
        ("pause_turn", StopReason::Pause),
        ("refusal", StopReason::Refusal),
        ("model_context_window_exceeded", StopReason::ContextFull),
        ("something_new", StopReason::Other("something_new".into())),
    ];
    for (reason, expected) in cases {
        assert_eq!(decode(&[stop(reason)]).await, [Ok(stopped(expected))], "{reason}");
    }
}

#[tokio::test]
async fn a_broken_stream_is_an_error_after_what_came_before() {
    let text = format!("data: {}\n\n", start(0, json!({"type": "text", "text": "half"})));
    let cases = [
        ("", "ended in the middle"),
        ("data: {\"type\":\"message_stop\"}\n\n", "ended in the middle"),
        (
            "data: \u{0}\u{1}garbage\n\n",
            "something else than the Anthropic Messages stream",
        ),
        ("data: [1]\n\n", "something else than the Anthropic Messages stream"),
        ("data: {}\n\n", "something else than the Anthropic Messages stream"),
    ];
    for (broken, expected) in cases {
        let events = play(&format!("{text}{broken}")).await;
        assert_eq!(events[0], Ok(ModelEvent::TextDelta("half".into())));
        assert_eq!(events.len(), 2);
        assert!(events[1].as_ref().unwrap_err().contains(expected), "{events:?}");
    }
    assert!(Replay::new("data: {}\n\n").is_err_and(|error| error.message.contains("holds no response")));
}
