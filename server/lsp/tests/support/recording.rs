//! A recorded model.

use serde_json::{Value, json};

/// A recording: an edit of `notes.txt`, then a last word.
pub fn edit() -> String {
    let event = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let response = |block: Value, delta: Value, reason: &str| {
        let usage = json!({"message": {"usage": {"input_tokens": 1, "output_tokens": 1}}});
        let stop = json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}});
        [
            "=== response\n".to_owned(),
            event("message_start", usage),
            event("content_block_start", json!({"index": 0, "content_block": block})),
            event("content_block_delta", json!({"index": 0, "delta": delta})),
            event("content_block_stop", json!({"index": 0})),
            event("message_delta", stop),
            event("message_stop", json!({})),
        ]
        .concat()
    };
    let input = json!({"path": "notes.txt", "old_string": "one", "new_string": "two"}).to_string();
    let call = json!({"type": "tool_use", "id": "a", "name": "replace_range", "input": {}});
    response(
        call,
        json!({"type": "input_json_delta", "partial_json": input}),
        "tool_use",
    ) + &response(
        json!({"type": "text", "text": ""}),
        json!({"type": "text_delta", "text": "Shipped."}),
        "end_turn",
    )
}
