//! The Responses stream: its events in, ours out. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use super::PROVIDER;
use crate::model::refusal;
use crate::model::retry::{self, Failure};
use crate::model::sse::SseEvent;
use crate::model::{Block, ModelEvent, StopReason, ToolUse, Usage};

/// The wire's name in messages.
const INTERFACE: &str = "Responses";

/// Decodes one response.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// What was streamed of an item that is not done, by its place.
    open: BTreeMap<u64, Open>,
    /// Whether any item was done before the end.
    has_items: bool,
    has_calls: bool,
    refused: bool,
}

/// What was streamed of one item.
#[derive(Debug, Default)]
struct Open {
    item: Value,
    text: String,
    arguments: String,
}

impl retry::Decoder for Decoder {
    fn decode(&mut self, event: &SseEvent) -> Result<Vec<ModelEvent>, Failure> {
        let data = event.data.trim();
        // Some compatible servers end as the older wire does.
        if data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let event: Value =
            serde_json::from_str(data).map_err(|error| Failure::no_such_stream(INTERFACE, &error, data))?;
        let Some(kind) = event["type"].as_str() else {
            return Err(match refusal::words(&event) {
                Some((message, code)) if !event["error"].is_null() => Failure::broken_off(&code, &message),
                _ => Failure::no_such_stream(INTERFACE, &"it has no type", data),
            });
        };
        let delta = event["delta"].as_str().unwrap_or_default();
        let place = event["output_index"].as_u64().unwrap_or_default();
        Ok(match kind {
            "response.output_item.added" => self.add(place, event["item"].clone()),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.refused |= kind == "response.refusal.delta";
                self.open.entry(place).or_default().text.push_str(delta);
                told(delta, ModelEvent::TextDelta)
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                told(delta, ModelEvent::ThinkingDelta)
            }
            "response.reasoning_summary_part.added" if event["summary_index"].as_u64() > Some(0) => {
                told("\n\n", ModelEvent::ThinkingDelta)
            }
            "response.function_call_arguments.delta" => {
                self.open.entry(place).or_default().arguments.push_str(delta);
                Vec::new()
            }
            "response.output_item.done" => self.done(place, &event["item"]).into_iter().collect(),
            "response.completed" | "response.incomplete" | "response.done" => self.end(&event["response"]),
            "response.failed" | "error" => {
                let error = if kind == "error" { &event } else { &event["response"] };
                let (message, code) = refusal::words(error).unwrap_or_else(|| (data.to_owned(), String::new()));
                // The event's own type is no code of an error.
                return Err(Failure::broken_off(code.trim_start_matches("error"), &message));
            }
            // Whatever is added to the wire.
            _ => Vec::new(),
        })
    }

    fn finish(&mut self) -> Result<Vec<ModelEvent>, Failure> {
        Err(Failure::cut_off())
    }
}

impl Decoder {
    fn add(&mut self, place: u64, item: Value) -> Vec<ModelEvent> {
        let name = item["name"].as_str().unwrap_or_default().to_owned();
        let is_call = item["type"] == "function_call";
        self.open.entry(place).or_default().item = item;
        if is_call {
            vec![ModelEvent::ToolStarted { name }]
        } else {
            Vec::new()
        }
    }

    /// A complete item; what it lacks was streamed.
    fn done(&mut self, place: u64, item: &Value) -> Option<ModelEvent> {
        let streamed = self.open.remove(&place).unwrap_or_default();
        self.has_items = true;
        let block = match item["type"].as_str().unwrap_or("message") {
            "message" => {
                let parts = item["content"].as_array().into_iter().flatten();
                let text: String = parts
                    .filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()))
                    .collect();
                let text = if text.is_empty() { streamed.text } else { text };
                (!text.is_empty()).then_some(Block::Text(text))?
            }
            "reasoning" => Block::Reasoning {
                provider: PROVIDER.to_owned(),
                item: item.clone(),
            },
            "function_call" => {
                self.has_calls = true;
                let text = |key: &str| {
                    item[key]
                        .as_str()
                        .filter(|text| !text.is_empty())
                        .map(ToOwned::to_owned)
                };
                Block::ToolUse(ToolUse {
                    // The item has an identifier of its own beside that of the call.
                    id: text("call_id").or_else(|| text("id")).unwrap_or_default(),
                    name: text("name").unwrap_or_default(),
                    input: ToolUse::read_arguments(text("arguments").unwrap_or(streamed.arguments)),
                })
            }
            _ => return None,
        };
        Some(ModelEvent::Block(block))
    }

    fn end(&mut self, response: &Value) -> Vec<ModelEvent> {
        // Items that were never done: all of them, where a server tells them only with the end, or at least begun.
        let told: Vec<_> = response["output"]
            .as_array()
            .filter(|_| !self.has_items)
            .cloned()
            .unwrap_or_default();
        let rest: Vec<_> = if told.is_empty() {
            self.open
                .iter()
                .map(|(place, open)| (*place, open.item.clone()))
                .collect()
        } else {
            (0..).zip(told).collect()
        };
        let mut events: Vec<_> = rest
            .iter()
            .filter_map(|(place, item)| self.done(*place, item))
            .collect();
        events.push(ModelEvent::Stop {
            reason: self.reason(response),
            usage: usage(&response["usage"]),
        });
        events
    }

    fn reason(&self, response: &Value) -> StopReason {
        match response["incomplete_details"]["reason"].as_str() {
            Some("max_output_tokens") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            Some(other) => StopReason::Other(other.to_owned()),
            None if response["status"] == "incomplete" => StopReason::MaxTokens,
            None if self.refused => StopReason::Refusal,
            None if self.has_calls => StopReason::ToolUse,
            None => StopReason::EndTurn,
        }
    }
}

fn told(text: &str, event: fn(String) -> ModelEvent) -> Vec<ModelEvent> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![event(text.to_owned())]
    }
}

fn usage(usage: &Value) -> Usage {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let cached = number(&usage["input_tokens_details"]["cached_tokens"]);
    Usage {
        input: number(&usage["input_tokens"]).saturating_sub(cached),
        cache_write: 0,
        cache_read: cached,
        output: number(&usage["output_tokens"]),
    }
}
