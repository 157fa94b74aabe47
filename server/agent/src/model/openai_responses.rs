//! OpenAI Responses, streamed. Nothing is stored at the endpoint: each request carries the whole conversation.

mod body;
mod decoder;

use super::wire::{Concession, Wire, remove};

/// What `model.provider` calls this wire.
const PROVIDER: &str = "openai-responses";

/// The wire of OpenAI Responses.
pub static WIRE: Wire = Wire {
    provider: PROVIDER,
    base_url: super::openai_chat::WIRE.base_url,
    base_url_variable: super::openai_chat::WIRE.base_url_variable,
    key_variable: super::openai_chat::WIRE.key_variable,
    model: super::openai_chat::WIRE.model,
    aliases: &[],
    path: "/v1/responses",
    models_path: "/v1/models",
    key_header: super::openai_chat::WIRE.key_header,
    headers: &[],
    body: body::body,
    decoder: || Box::new(decoder::Decoder::default()),
    takes_whole_answers: false,
    concessions: &[
        Concession {
            instead: "asking without reasoning to send back",
            is_meant: |said| said.contains("encrypted") || said.contains("include"),
            give_up: |body, _| remove(body, "include"),
        },
        Concession {
            instead: "asking without a summary of the reasoning",
            is_meant: |said| said.contains("summar"),
            give_up: |body, _| remove(&mut body["reasoning"], "summary"),
        },
        Concession {
            instead: "asking without an effort",
            is_meant: |said| said.contains("reasoning"),
            give_up: |body, _| remove(body, "reasoning"),
        },
        Concession {
            instead: "asking without a limit to the answer",
            is_meant: |said| said.contains("max_output_tokens"),
            give_up: |body, _| remove(body, "max_output_tokens"),
        },
    ],
};
