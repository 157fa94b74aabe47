//! A recorded model.

use serde_json::{Value, json};

/// A recording: an edit of `notes.txt`, then a last word.
pub fn edit() -> String {
    edit_after("")
}

/// The same, with words before the edit.
pub fn edit_after(words: &str) -> String {
    let event = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let block = |block: Value, delta: Value| {
        [
            event("content_block_start", json!({"index": 0, "content_block": block})),
            event("content_block_delta", json!({"index": 0, "delta": delta})),
            event("content_block_stop", json!({"index": 0})),
        ]
        .concat()
    };
    let text = |text: &str| match text {
        "" => String::new(),
        text => block(
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
        ),
    };
    let response = |blocks: String, reason: &str| {
        let usage = json!({"message": {"usage": {"input_tokens": 1, "output_tokens": 1}}});
        let stop = json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}});
        [
            "=== response\n".to_owned(),
            event("message_start", usage),
            blocks,
            event("message_delta", stop),
            event("message_stop", json!({})),
        ]
        .concat()
    };
    let input = json!({"path": "notes.txt", "old_string": "one", "new_string": "two"}).to_string();
    let call = json!({"type": "tool_use", "id": "a", "name": "replace_range", "input": {}});
    let call = block(call, json!({"type": "input_json_delta", "partial_json": input}));
    response(text(words) + &call, "tool_use") + &response(text("Shipped."), "end_turn")
}
