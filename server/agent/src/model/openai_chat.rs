//! OpenAI Chat Completions, streamed: the wire that most other servers speak too, each with its own slips.

mod body;
mod decoder;

use serde_json::Value;

pub(super) use body::{effort_word, marked};

use super::wire::{Concession, Wire, remove, remove_everywhere};

/// What `model.provider` calls this wire.
const PROVIDER: &str = "openai";

/// The names under which servers give a model's reasoning.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// The wire of OpenAI Chat Completions and the servers that are compatible with it.
pub static WIRE: Wire = Wire {
    provider: PROVIDER,
    base_url: "https://api.openai.com",
    base_url_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
    model: "gpt-5",
    aliases: &[],
    path: "/v1/chat/completions",
    models_path: "/v1/models",
    key_header: ("authorization", "Bearer "),
    headers: &[],
    body: body::body,
    decoder: || Box::new(decoder::Decoder::default()),
    takes_whole_answers: true,
    concessions: &[
        Concession {
            instead: "asking without a count of tokens",
            is_meant: |said| said.contains("stream_options"),
            give_up: |body, _| remove(body, "stream_options"),
        },
        Concession {
            instead: "asking for the answer in one piece",
            is_meant: |said| said.contains("stream") && said.contains("tool"),
            give_up: |body, _| {
                body["stream"] = false.into();
                remove(body, "stream_options");
            },
        },
        Concession {
            instead: "asking without an effort",
            is_meant: |said| said.contains("reasoning_effort"),
            give_up: |body, _| remove(body, "reasoning_effort"),
        },
        Concession {
            instead: "asking without its earlier reasoning",
            is_meant: |said| REASONING.iter().any(|name| said.contains(name)),
            give_up: |body, _| {
                REASONING
                    .iter()
                    .for_each(|name| remove_everywhere(&mut body["messages"], name))
            },
        },
        // Some count the answer's limit against what the model can read.
        Concession {
            instead: "asking without a limit to the answer",
            is_meant: |said| {
                ["max_tokens", "max_completion_tokens", "in the completion"]
                    .iter()
                    .any(|name| said.contains(name))
            },
            give_up: |body, _| {
                remove(body, "max_tokens");
                remove(body, "max_completion_tokens");
            },
        },
    ],
};

/// The part of an answer that has reasoning, as its name and its text.
fn reasoning(part: &Value) -> Option<(&'static str, &str)> {
    let named = |name| Some((name, part[name].as_str().filter(|text| !text.is_empty())?));
    REASONING.into_iter().find_map(named)
}
