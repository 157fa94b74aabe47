//! The body of a request. Pure.

use serde_json::{Map, Value, json};

use super::PROVIDER;
use crate::model::wire::Target;
use crate::model::{Block, Effort, Message, Request, Role};

/// The request as OpenAI Chat Completions wants it. Compatible servers are sent the fields that all of them know.
pub(super) fn body(request: &Request, target: &Target<'_>) -> Value {
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let messages: Vec<_> = system
        .into_iter()
        .chain(request.messages.iter().flat_map(messages))
        .collect();
    // The vendor's newer models refuse the name that all others know.
    let limit = if target.is_vendor {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    let mut body = json!({
        "model": target.name,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
        limit: request.max_tokens,
    });
    if !request.tools.is_empty() {
        let tool = |spec: &crate::model::ToolSpec| {
            let function = json!({"name": spec.name, "description": spec.description, "parameters": spec.input_schema});
            json!({"type": "function", "function": function})
        };
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(effort) = target.effort {
        body["reasoning_effort"] = effort_word(effort).into();
    }
    body
}

/// The vendor's word for an effort: it has none for `max`.
pub(in crate::model) fn effort_word(effort: Effort) -> &'static str {
    match effort.level() {
        Effort::Max => Effort::ExtraHigh.word(),
        level => level.word(),
    }
}

/// One message of ours is one of the wire, but each result of a tool is one of its own, before what the person says.
fn messages(message: &Message) -> Vec<Value> {
    let texts: Vec<_> = message.content.iter().filter_map(text).collect();
    let text = texts.join("\n\n");
    if message.role == Role::User {
        let results = message.content.iter().filter_map(result);
        let said = (!text.is_empty()).then(|| json!({"role": "user", "content": text}));
        return results.chain(said).collect();
    }
    let calls: Vec<_> = message.content.iter().filter_map(call).collect();
    let mut answer = Map::new();
    for block in &message.content {
        if let Block::Reasoning {
            provider,
            item: Value::Object(item),
        } = block
            && provider == PROVIDER
        {
            answer.extend(item.clone());
        }
    }
    if text.is_empty() && calls.is_empty() {
        return Vec::new();
    }
    answer.insert("role".to_owned(), "assistant".into());
    answer.insert(
        "content".to_owned(),
        if text.is_empty() { Value::Null } else { text.into() },
    );
    if !calls.is_empty() {
        answer.insert("tool_calls".to_owned(), calls.into());
    }
    vec![answer.into()]
}

fn text(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

fn call(block: &Block) -> Option<Value> {
    let Block::ToolUse(call) = block else { return None };
    let function = json!({"name": call.name, "arguments": call.arguments().to_string()});
    Some(json!({"id": call.id, "type": "function", "function": function}))
}

fn result(block: &Block) -> Option<Value> {
    match block {
        Block::ToolResult { id, content, is_error } => {
            Some(json!({"role": "tool", "tool_call_id": id, "content": marked(content, *is_error)}))
        }
        _ => None,
    }
}

/// The text of a result. The wire has no field that says whether the call failed.
pub(in crate::model) fn marked(content: &str, is_error: bool) -> String {
    if is_error {
        format!("Error: {content}")
    } else {
        content.to_owned()
    }
}
