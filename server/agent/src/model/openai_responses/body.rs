//! The body of a request. Pure.

use serde_json::{Value, json};

use super::PROVIDER;
use crate::model::openai_chat::{effort_word, marked};
use crate::model::wire::Target;
use crate::model::{Block, Message, Request, Role, ToolSpec};

/// The request as OpenAI Responses wants it.
pub(super) fn body(request: &Request, target: &Target<'_>) -> Value {
    let items = request.messages.iter().flat_map(|message| items(message, target));
    let mut body = json!({
        "model": target.name,
        "input": items.collect::<Vec<_>>(),
        "max_output_tokens": request.max_tokens,
        "store": false,
        "stream": true,
    });
    if !request.system.is_empty() {
        body["instructions"] = request.system.as_str().into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if target.is_vendor {
        // What is not stored there can only come back with us.
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if let Some(effort) = target.effort {
        body["reasoning"] = json!({"effort": effort_word(effort), "summary": "auto"});
    }
    body
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": spec.name, "description": spec.description,
        "parameters": spec.input_schema, "strict": false,
    })
}

fn items(message: &Message, target: &Target<'_>) -> Vec<Value> {
    message
        .content
        .iter()
        .filter_map(|block| item(message.role, block, target))
        .collect()
}

fn item(role: Role, block: &Block, target: &Target<'_>) -> Option<Value> {
    Some(match block {
        Block::Text(text) if text.trim().is_empty() => return None,
        Block::Text(text) => {
            let (role, kind) = match role {
                Role::User => ("user", "input_text"),
                Role::Assistant => ("assistant", "output_text"),
            };
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
        }
        // Without its content an item is only a name, of something that the vendor did not store.
        Block::Reasoning { provider, item } if provider == PROVIDER => {
            let is_known = !target.is_vendor || item["encrypted_content"].is_string();
            return is_known.then(|| item.clone());
        }
        // Other wires' own.
        Block::Reasoning { .. } | Block::Thinking { .. } | Block::RedactedThinking { .. } => return None,
        Block::ToolUse(call) => json!({
            "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments().to_string(),
        }),
        Block::ToolResult { id, content, is_error } => {
            json!({"type": "function_call_output", "call_id": id, "output": marked(content, *is_error)})
        }
    })
}
