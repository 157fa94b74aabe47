//! The body of a request. Pure.

use serde_json::{Value, json};

use crate::model::wire::Target;
use crate::model::{Block, Effort, Message, Request, Role, ToolSpec};

/// How many messages of the person or the tools end in a cache breakpoint. The second finds what the request before
/// wrote, however long the newest message is. With tools and system text these are four, the most that the wire allows.
const CACHED_MESSAGES: usize = 2;

/// The fewest tokens of thinking that the wire takes.
const LEAST_THINKING: u32 = 1024;

/// The request as the Anthropic Messages wire wants it.
///
/// The prefix that stays the same (tools, then system text) ends in a cache breakpoint each, and so do the newest
/// messages of the person or the tools, so that a loop of tool calls reads its own past from the cache.
/// No sampling parameters: newer models refuse them.
pub(super) fn body(request: &Request, target: &Target<'_>) -> Value {
    let mut body = json!({
        "model": target.name,
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
    match target.effort {
        None => {}
        Some(Effort::Budget(tokens)) => {
            let most = request.max_tokens.saturating_sub(1).max(LEAST_THINKING);
            let tokens = tokens.clamp(LEAST_THINKING, most);
            body["thinking"] = json!({"type": "enabled", "budget_tokens": tokens});
        }
        Some(level) => {
            body["thinking"] = json!({"type": "adaptive"});
            body["output_config"] = json!({"effort": level.word()});
        }
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
    let to_value = |message: &Message| {
        let content: Vec<_> = message.content.iter().filter_map(block).collect();
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        // The wire refuses messages without content.
        (!content.is_empty()).then(|| json!({"role": role, "content": content}))
    };
    let mut messages: Vec<_> = messages.iter().filter_map(to_value).collect();
    let newest = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in newest.take(CACHED_MESSAGES) {
        mark(message["content"].as_array_mut().and_then(|content| content.last_mut()));
    }
    messages
}

fn block(block: &Block) -> Option<Value> {
    Some(match block {
        // The wire refuses empty texts.
        Block::Text(text) if text.trim().is_empty() => return None,
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Thinking { text, signature } => json!({"type": "thinking", "thinking": text, "signature": signature}),
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::ToolUse(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments()})
        }
        // Another wire's, of which this one knows nothing.
        Block::Reasoning { .. } => return None,
        Block::ToolResult { id, content, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
    })
}
