//! The Chat Completions stream: its chunks in, our events out. Pure, and lenient: compatible servers leave out indices,
//! identifiers and reasons, repeat names, and send whole calls in one chunk or whole answers in one event.

use serde_json::{Map, Value};

use super::{PROVIDER, reasoning};
use crate::model::refusal;
use crate::model::retry::{self, Failure};
use crate::model::sse::SseEvent;
use crate::model::{Block, ModelEvent, StopReason, ToolUse, Usage};

/// The wire's name in messages.
const INTERFACE: &str = "Chat Completions";

/// The most calls of one answer, so that an endpoint can't fill the memory with empty ones.
const MAX_CALLS: usize = 1024;

/// Decodes one response.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    text: String,
    reasoning: Option<(&'static str, String)>,
    refused: bool,
    calls: Vec<Call>,
    usage: Usage,
    /// The reason, once there was one.
    stop: Option<String>,
    /// Whether the answer is known to be complete.
    is_complete: bool,
}

#[derive(Debug)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl retry::Decoder for Decoder {
    fn decode(&mut self, event: &SseEvent) -> Result<Vec<ModelEvent>, Failure> {
        let data = event.data.trim();
        if data.is_empty() {
            return Ok(Vec::new());
        }
        if data == "[DONE]" {
            self.is_complete = true;
            return self.finish();
        }
        let chunk: Value =
            serde_json::from_str(data).map_err(|error| Failure::no_such_stream(INTERFACE, &error, data))?;
        if !chunk["error"].is_null() || event.name == "error" {
            let (message, code) = refusal::words(&chunk).unwrap_or_else(|| (data.to_owned(), String::new()));
            return Err(Failure::broken_off(&code, &message));
        }
        let Some(choices) = chunk["choices"].as_array() else {
            // Some gateways send chunks of their own beside the wire's.
            return if chunk.is_object()
                && chunk.get("choices").is_none()
                && (!chunk["object"].is_null() || !chunk["usage"].is_null())
            {
                self.count(&chunk["usage"]);
                Ok(Vec::new())
            } else {
                Err(Failure::no_such_stream(INTERFACE, &"it has no choices", data))
            };
        };
        self.count(&chunk["usage"]);
        let mut events = Vec::new();
        if let Some(choice) = choices.first() {
            // A whole answer has a `message` where a streamed one has a `delta`.
            let is_whole = choice["message"].is_object();
            self.take(&choice[if is_whole { "message" } else { "delta" }], &mut events);
            self.is_complete |= is_whole;
            if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
                self.stop = Some(reason.to_owned());
            }
            if is_whole {
                events.extend(self.finish()?);
            }
        }
        Ok(events)
    }

    fn finish(&mut self) -> Result<Vec<ModelEvent>, Failure> {
        // Some servers forget `[DONE]`, others the reason; one of them there must be.
        if !self.is_complete && self.stop.is_none() {
            return Err(Failure::cut_off());
        }
        let this = std::mem::take(self);
        let reason = this.reason();
        let mut blocks = Vec::new();
        if let Some((name, text)) = this.reasoning {
            let item = Value::Object(Map::from_iter([(name.to_owned(), text.into())]));
            blocks.push(Block::Reasoning {
                provider: PROVIDER.to_owned(),
                item,
            });
        }
        if !this.text.is_empty() {
            blocks.push(Block::Text(this.text));
        }
        blocks.extend(this.calls.into_iter().map(|call| {
            Block::ToolUse(ToolUse {
                id: call.id,
                name: call.name,
                input: ToolUse::read_arguments(call.arguments),
            })
        }));
        let stop = ModelEvent::Stop {
            reason,
            usage: this.usage,
        };
        Ok(blocks.into_iter().map(ModelEvent::Block).chain([stop]).collect())
    }
}

impl Decoder {
    fn take(&mut self, part: &Value, events: &mut Vec<ModelEvent>) {
        if let Some((name, text)) = reasoning(part) {
            self.reasoning
                .get_or_insert_with(|| (name, String::new()))
                .1
                .push_str(text);
            events.push(ModelEvent::ThinkingDelta(text.to_owned()));
        }
        let refusal = part["refusal"].as_str().filter(|text| !text.is_empty());
        self.refused |= refusal.is_some();
        for text in content(&part["content"]).into_iter().chain(refusal) {
            self.text.push_str(text);
            events.push(ModelEvent::TextDelta(text.to_owned()));
        }
        for fragment in part["tool_calls"].as_array().into_iter().flatten() {
            self.take_call(fragment, events);
        }
    }

    /// A fragment begins a call where it names a tool and belongs to none that is known: a new identifier, another name
    /// or place, or a call that is complete already.
    fn take_call(&mut self, fragment: &Value, events: &mut Vec<ModelEvent>) {
        let index = fragment["index"].as_u64();
        let id = fragment["id"].as_str().unwrap_or_default();
        let name = fragment["function"]["name"].as_str().unwrap_or_default();
        let arguments = match &fragment["function"]["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            // Whole, and not as the text that the wire demands.
            whole => whole.to_string(),
        };
        let known = self.known(index, id, name, &arguments);
        if let Some(call) = known.and_then(|known| self.calls.get_mut(known)) {
            if call.id.is_empty() {
                id.clone_into(&mut call.id);
            }
            call.arguments.push_str(&arguments);
        } else if !name.is_empty() && self.calls.len() < MAX_CALLS {
            events.push(ModelEvent::ToolStarted { name: name.to_owned() });
            self.calls.push(Call {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
                arguments,
            });
        }
    }

    /// The call that a fragment goes on with.
    fn known(&self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> Option<usize> {
        let of_id = || self.calls.iter().rposition(|call| !id.is_empty() && call.id == id);
        let of_index = || {
            self.calls
                .iter()
                .rposition(|call| index.is_some() && call.index == index)
        };
        let last = || self.calls.len().checked_sub(1).filter(|_| index.is_none());
        let known = of_id().or_else(of_index).or_else(last)?;
        let call = &self.calls[known];
        if name.is_empty() || (!id.is_empty() && call.id == id) {
            return Some(known);
        }
        let is_other_id = !id.is_empty() && !call.id.is_empty();
        let is_whole = arguments.trim_start().starts_with('{')
            && serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok();
        (!is_other_id && call.name == name && !is_whole).then_some(known)
    }

    fn count(&mut self, usage: &Value) {
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        if usage.is_object() {
            let cached = number(&usage["prompt_tokens_details"]["cached_tokens"]);
            self.usage = Usage {
                input: number(&usage["prompt_tokens"]).saturating_sub(cached),
                cache_write: 0,
                cache_read: cached,
                output: number(&usage["completion_tokens"]),
            };
        }
    }

    /// Whatever the reason says, calls are a turn of tools; but of a cut answer none is run.
    fn reason(&self) -> StopReason {
        match self.stop.as_deref() {
            Some("length") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            _ if self.refused => StopReason::Refusal,
            _ if !self.calls.is_empty() => StopReason::ToolUse,
            None | Some("stop" | "eos" | "tool_calls" | "function_call") => StopReason::EndTurn,
            Some(other) => StopReason::Other(other.to_owned()),
        }
    }
}

/// The texts of a content, which is a text or a list of parts.
fn content(content: &Value) -> Vec<&str> {
    let texts = match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        content => content.as_str().into_iter().collect::<Vec<_>>(),
    };
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}
