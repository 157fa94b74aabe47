//! The Anthropic Messages stream: its events in, ours out. Pure: what is recorded is decoded as what is live.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::retry::{self, Failure};
use crate::model::sse::SseEvent;
use crate::model::{Block, ModelEvent, StopReason, ToolUse, Usage};

/// The wire's name in messages.
const INTERFACE: &str = "Anthropic Messages";

/// Decodes one response.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    open: BTreeMap<u64, OpenBlock>,
    usage: Usage,
    stop: Option<StopReason>,
}

#[derive(Debug)]
enum OpenBlock {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(String),
    Tool {
        id: String,
        name: String,
        start: Map<String, Value>,
        fragments: String,
    },
}

impl retry::Decoder for Decoder {
    fn decode(&mut self, event: &SseEvent) -> Result<Vec<ModelEvent>, Failure> {
        if event.data.is_empty() {
            return Ok(Vec::new());
        }
        let event = serde_json::from_str(&event.data)
            .map_err(|error| Failure::no_such_stream(INTERFACE, &error, &event.data))?;
        Ok(match event {
            Event::MessageStart { message } => {
                message.usage.update(&mut self.usage);
                Vec::new()
            }
            Event::ContentBlockStart { index, content_block } => self.start(index, content_block),
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta).into_iter().collect(),
            Event::ContentBlockStop { index } => self.open.remove(&index).map(end).into_iter().collect(),
            Event::MessageDelta { delta, usage } => {
                usage.update(&mut self.usage);
                if let Some(reason) = delta.stop_reason {
                    self.stop = Some(stop_reason(reason));
                }
                Vec::new()
            }
            Event::MessageStop => self.finish()?,
            Event::Error { error } => return Err(error.into_failure()),
            Event::Unknown => Vec::new(),
        })
    }

    fn finish(&mut self) -> Result<Vec<ModelEvent>, Failure> {
        // A stop reason without `message_stop` is enough: every block was complete before it.
        let Some(reason) = self.stop.take() else {
            return Err(Failure::cut_off());
        };
        // Some compatible servers forget to close a block.
        let mut events: Vec<_> = std::mem::take(&mut self.open).into_values().map(end).collect();
        events.push(ModelEvent::Stop {
            reason,
            usage: self.usage,
        });
        Ok(events)
    }
}

impl Decoder {
    fn start(&mut self, index: u64, block: StartBlock) -> Vec<ModelEvent> {
        let (open, event) = match block {
            StartBlock::Text { text } => (
                OpenBlock::Text(text.clone()),
                (!text.is_empty()).then_some(ModelEvent::TextDelta(text)),
            ),
            StartBlock::Thinking { thinking, signature } => {
                let event = (!thinking.is_empty()).then(|| ModelEvent::ThinkingDelta(thinking.clone()));
                (
                    OpenBlock::Thinking {
                        text: thinking,
                        signature,
                    },
                    event,
                )
            }
            StartBlock::RedactedThinking { data } => (OpenBlock::Redacted(data), None),
            StartBlock::ToolUse { id, name, input } => {
                let event = ModelEvent::ToolStarted { name: name.clone() };
                (
                    OpenBlock::Tool {
                        id,
                        name,
                        start: input,
                        fragments: String::new(),
                    },
                    Some(event),
                )
            }
            StartBlock::Unknown => return Vec::new(),
        };
        self.open.insert(index, open);
        event.into_iter().collect()
    }

    fn delta(&mut self, index: u64, delta: Delta) -> Option<ModelEvent> {
        match (self.open.get_mut(&index)?, delta) {
            (OpenBlock::Text(all), Delta::Text { text }) => {
                all.push_str(&text);
                Some(ModelEvent::TextDelta(text))
            }
            (OpenBlock::Thinking { text, .. }, Delta::Thinking { thinking }) => {
                text.push_str(&thinking);
                Some(ModelEvent::ThinkingDelta(thinking))
            }
            (OpenBlock::Thinking { signature: all, .. }, Delta::Signature { signature }) => {
                all.push_str(&signature);
                None
            }
            (OpenBlock::Tool { fragments, .. }, Delta::InputJson { partial_json }) => {
                fragments.push_str(&partial_json);
                None
            }
            _ => None,
        }
    }
}

fn end(block: OpenBlock) -> ModelEvent {
    ModelEvent::Block(match block {
        OpenBlock::Text(text) => Block::Text(text),
        OpenBlock::Thinking { text, signature } => Block::Thinking { text, signature },
        OpenBlock::Redacted(data) => Block::RedactedThinking { data },
        OpenBlock::Tool {
            id,
            name,
            start,
            fragments,
        } => {
            // Some compatible servers send the arguments whole, with the block's start.
            let input = if fragments.trim().is_empty() {
                Ok(Value::Object(start))
            } else {
                ToolUse::read_arguments(fragments)
            };
            Block::ToolUse(ToolUse { id, name, input })
        }
    })
}

fn stop_reason(reason: String) -> StopReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextFull,
        _ => StopReason::Other(reason),
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        #[serde(default)]
        message: StartMessage,
    },
    ContentBlockStart {
        index: u64,
        content_block: StartBlock,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: StopDelta,
        #[serde(default)]
        usage: UsageUpdate,
    },
    MessageStop,
    Error {
        error: WireError,
    },
    /// `ping`, and whatever is added to the wire.
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize, Default)]
struct StartMessage {
    #[serde(default)]
    usage: UsageUpdate,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StartBlock {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        input: Map<String, Value>,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct StopDelta {
    stop_reason: Option<String>,
}

/// The counts are cumulative: what is named replaces what was known.
#[derive(Deserialize, Default)]
struct UsageUpdate {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl UsageUpdate {
    fn update(&self, usage: &mut Usage) {
        let pairs = [
            (self.input_tokens, &mut usage.input),
            (self.cache_creation_input_tokens, &mut usage.cache_write),
            (self.cache_read_input_tokens, &mut usage.cache_read),
            (self.output_tokens, &mut usage.output),
        ];
        for (new, known) in pairs {
            *known = new.unwrap_or(*known);
        }
    }
}

/// An error as the wire tells it, in a body or in the stream.
#[derive(Deserialize)]
pub(super) struct WireError {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) message: String,
}

impl WireError {
    fn into_failure(self) -> Failure {
        Failure::broken_off(&self.kind, &self.message)
    }
}
