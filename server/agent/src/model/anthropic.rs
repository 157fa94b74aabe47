//! Anthropic Messages, streamed. Servers that speak the same wire work by their base URL.

mod body;
mod decoder;

pub(super) use decoder::Decoder;

use serde_json::Value;

use super::wire::{Concession, Wire, remove, remove_everywhere};

/// The wire of Anthropic Messages, version 2023-06-01.
pub static WIRE: Wire = Wire {
    provider: "anthropic",
    base_url: "https://api.anthropic.com",
    base_url_variable: "ANTHROPIC_BASE_URL",
    key_variable: "ANTHROPIC_API_KEY",
    model: "claude-sonnet-4-5",
    aliases: &[
        ("fable", "claude-fable-5-1"),
        ("opus", "claude-opus-5"),
        ("sonnet", "claude-sonnet-5"),
        ("haiku", "claude-haiku-4-5"),
    ],
    path: "/v1/messages",
    models_path: "/v1/models?limit=1000",
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body: body::body,
    decoder: || Box::new(Decoder::default()),
    takes_whole_answers: false,
    concessions: &[
        Concession {
            instead: "asking for a shorter answer",
            is_meant: |said| said.contains("max_tokens") && most_tokens(said).is_some(),
            give_up: |body, said| {
                if let Some(most) = most_tokens(said).filter(|most| body["max_tokens"].as_u64() > Some(*most)) {
                    body["max_tokens"] = most.into();
                }
            },
        },
        // Of another model, or signed by another server.
        Concession {
            instead: "asking without its earlier thinking",
            is_meant: |said| said.contains("signature") || said.contains("thinking block"),
            give_up: |body, _| forget_thinking(body),
        },
        Concession {
            instead: "asking without thinking",
            is_meant: |said| said.contains("adaptive") || said.contains("thinking"),
            give_up: |body, _| remove(body, "thinking"),
        },
        Concession {
            instead: "asking without an effort",
            is_meant: |said| said.contains("effort") || said.contains("output_config"),
            give_up: |body, _| remove(body, "output_config"),
        },
        Concession {
            instead: "asking without a cache",
            is_meant: |said| said.contains("cache_control"),
            give_up: |body, _| remove_everywhere(body, "cache_control"),
        },
    ],
};

/// Takes the thinking out of the conversation, and the messages that held nothing else.
fn forget_thinking(body: &mut Value) {
    let Some(messages) = body["messages"].as_array_mut() else {
        return;
    };
    let is_thinking = |block: &Value| block["type"] == "thinking" || block["type"] == "redacted_thinking";
    messages.retain_mut(|message| {
        let Some(content) = message["content"].as_array_mut() else {
            return true;
        };
        content.retain(|block| !is_thinking(block));
        !content.is_empty()
    });
}

/// The limit in `max_tokens: 32000 > 8192, which is the maximum …`.
fn most_tokens(said: &str) -> Option<u64> {
    let limit = said.split_once("> ")?.1;
    let end = limit
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(limit.len());
    limit[..end].parse().ok().filter(|limit| *limit > 0)
}
