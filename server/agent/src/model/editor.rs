//! A model that the editor lends, such as the one behind `vscode.lm`.
//!
//! Such models know no system text, no cache and no thinking to send back, give calls of tools whole, and count
//! nothing.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Block, Message, Model, ModelError, ModelEvent, Request, Role, StopReason, ToolUse, Usage};

/// The most bytes of one answer, so that an editor can't fill the memory.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// An editor that lends a model.
pub trait LanguageModel: Send + Sync {
    /// Asks its model. The parts come in order, and the stream ends with the answer; dropping it cancels the request.
    fn ask(&self, request: LentRequest) -> BoxStream<'static, Result<Part, ModelError>>;
}

/// One request to a lent model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LentRequest {
    /// The model that the person set, in the editor's words; absent where the editor is to choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The conversation, oldest first; the roles alternate, and the first message begins with the system text.
    pub messages: Vec<LentMessage>,
    /// The tools offered.
    pub tools: Vec<LentTool>,
    /// `auto`: the model decides whether it calls one.
    pub tool_mode: String,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LentMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// What is said, in order.
    pub content: Vec<Part>,
}

/// A tool as the model is told about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LentTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A part of a message or of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A call of a tool, whole.
    ToolCall {
        /// The call's identifier.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments, an object.
        input: Value,
    },
    /// The result of a call; in messages of the user only.
    ToolResult {
        /// The call's identifier.
        call_id: String,
        /// The text that the model reads.
        content: String,
        /// Whether the call failed.
        is_error: bool,
    },
    /// Something newer than this program.
    #[serde(other)]
    Unknown,
}

/// A lent model.
pub struct Editor {
    editor: Arc<dyn LanguageModel>,
    name: Option<String>,
}

impl Editor {
    /// The editor's model of this name, or the one that it chooses.
    #[must_use]
    pub fn new(editor: Arc<dyn LanguageModel>, name: Option<String>) -> Self {
        Self { editor, name }
    }
}

impl Model for Editor {
    fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("editor {name}"),
            None => "editor's own model".to_owned(),
        }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let parts = self.editor.ask(lent(request, self.name.clone()));
        let begun = (Some(parts), Answer::default());
        let events = stream::unfold(begun, |(parts, mut answer)| async move {
            let mut parts = parts?;
            let (events, goes_on) = match parts.next().await {
                Some(Ok(part)) => match answer.take(part) {
                    Ok(events) => (events, true),
                    Err(error) => (vec![Err(error)], false),
                },
                Some(Err(error)) => (vec![Err(error)], false),
                None => (answer.end(), false),
            };
            Some((stream::iter(events), (goes_on.then_some(parts), answer)))
        });
        events.flatten().boxed()
    }
}

/// The result of an answer so far.
#[derive(Default)]
struct Answer {
    text: String,
    bytes: usize,
    has_calls: bool,
}

impl Answer {
    fn take(&mut self, part: Part) -> Result<Vec<Result<ModelEvent, ModelError>>, ModelError> {
        self.bytes += match &part {
            Part::Text { text } => text.len(),
            Part::ToolCall { input, .. } => input.to_string().len(),
            Part::ToolResult { .. } | Part::Unknown => 0,
        };
        if self.bytes > MAX_ANSWER_BYTES {
            let most = MAX_ANSWER_BYTES >> 20;
            return Err(ModelError::new(format!(
                "the editor's model answered with more than {most} MiB; ask again"
            )));
        }
        Ok(match part {
            Part::Text { text } => {
                self.text.push_str(&text);
                vec![Ok(ModelEvent::TextDelta(text))]
            }
            Part::ToolCall { call_id, name, input } => {
                self.has_calls = true;
                let input = match input {
                    Value::Object(_) => Ok(input),
                    Value::Null => Ok(Value::Object(serde_json::Map::new())),
                    other => Err(other.to_string()),
                };
                let call = Block::ToolUse(ToolUse {
                    id: call_id,
                    name: name.clone(),
                    input,
                });
                let text = self.text().map(Ok);
                let events = [Ok(ModelEvent::ToolStarted { name }), Ok(ModelEvent::Block(call))];
                text.into_iter().chain(events).collect()
            }
            Part::ToolResult { .. } | Part::Unknown => Vec::new(),
        })
    }

    /// Nothing tells why a lent model stopped, or what it cost.
    fn end(&mut self) -> Vec<Result<ModelEvent, ModelError>> {
        let reason = if self.has_calls {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        };
        let usage = Usage::default();
        let stop = ModelEvent::Stop { reason, usage };
        self.text().into_iter().chain([stop]).map(Ok).collect()
    }

    fn text(&mut self) -> Option<ModelEvent> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then_some(ModelEvent::Block(Block::Text(text)))
    }
}

fn lent(request: Request, model: Option<String>) -> LentRequest {
    let mut messages: Vec<_> = request
        .messages
        .iter()
        .map(message)
        .filter(|it| !it.content.is_empty())
        .collect();
    if !request.system.is_empty()
        && let Some(first) = messages.first_mut()
    {
        first.content.insert(0, Part::Text { text: request.system });
    }
    let tools = request.tools.into_iter().map(|spec| LentTool {
        name: spec.name.to_owned(),
        description: spec.description.to_owned(),
        input_schema: spec.input_schema,
    });
    LentRequest {
        model,
        messages,
        tools: tools.collect(),
        tool_mode: "auto".to_owned(),
    }
}

fn message(message: &Message) -> LentMessage {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let part = |block: &Block| match block {
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Text(text) => Some(Part::Text { text: text.clone() }),
        Block::ToolUse(call) => Some(Part::ToolCall {
            call_id: call.id.clone(),
            name: call.name.clone(),
            input: call.arguments(),
        }),
        Block::ToolResult { id, content, is_error } => Some(Part::ToolResult {
            call_id: id.clone(),
            content: content.clone(),
            is_error: *is_error,
        }),
        // Other wires' own.
        Block::Thinking { .. } | Block::RedactedThinking { .. } | Block::Reasoning { .. } => None,
    };
    LentMessage {
        role: role.to_owned(),
        content: message.content.iter().filter_map(part).collect(),
    }
}
