//! The body of a request. Pure.

use serde_json::{Map, Value, json};

use crate::model::{Block, Message, Request, Role, ToolSpec};

/// The request as the Anthropic Messages wire wants it, for the model called `name`.
///
/// The prefix that stays the same (tools, then system text) ends in a cache breakpoint each, and the newest
/// message of the person or the tools in a third, so that a loop of tool calls reads its own past from the cache.
/// No sampling parameters: newer models refuse them.
pub(super) fn body(request: &Request, name: &str) -> Value {
    let mut body = json!({
        "model": name,
        "max_tokens": request.max_tokens,
        "stream": true,
        "messages": messages(&request.messages),
    });
    if !request.tools.is_empty() {
        let mut tools: Vec<_> = request.tools.iter().map(tool).collect();
        mark(tools.last_mut());
        body["tools"] = tools.into();
    }
    if !request.system.is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        mark(Some(&mut system));
        body["system"] = json!([system]);
    }
    body
}

fn mark(block: Option<&mut Value>) {
    if let Some(block) = block {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "input_schema": spec.input_schema})
}

fn messages(messages: &[Message]) -> Vec<Value> {
    let last = messages.len().saturating_sub(1);
    let to_value = |(index, message): (usize, &Message)| {
        let mut content: Vec<_> = message.content.iter().filter_map(block).collect();
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        if index == last && message.role == Role::User {
            mark(content.last_mut());
        }
        // The wire refuses messages without content.
        (!content.is_empty()).then(|| json!({"role": role, "content": content}))
    };
    messages.iter().enumerate().filter_map(to_value).collect()
}

fn block(block: &Block) -> Option<Value> {
    Some(match block {
        // The wire refuses empty texts.
        Block::Text(text) if text.trim().is_empty() => return None,
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Thinking { text, signature } => json!({"type": "thinking", "thinking": text, "signature": signature}),
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::ToolUse(call) => {
            // The wire wants an object: the text that was none goes back inside one, so that the model sees its slip.
            let input = match &call.input {
                Ok(input) => input.clone(),
                Err(text) => Value::Object(Map::from_iter([("INVALID_JSON".to_owned(), text.clone().into())])),
            };
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
        }
        Block::ToolResult { id, content, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
    })
}
