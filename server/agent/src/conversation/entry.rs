//! The lines of a session's log, as they are written and read. The form outlives the program: keys are added, never
//! changed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{Event, EventKind, Outcome};
use crate::model::{Block, Message, Role, ToolUse};
use crate::redaction::REDACTED;

/// The version of the form.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Counts up by one within a log, from 1.
    pub seq: u64,
    /// Milliseconds since 1970 (UTC).
    pub time: u64,
    /// What is written down.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Entry {
    /// The first line.
    Session {
        /// [`VERSION`].
        version: u32,
        /// The session's identifier.
        id: String,
        /// The workspace's folders.
        folders: Vec<PathBuf>,
        /// The session whose beginning this one shares.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<String>,
    },
    /// Something was added to the conversation with the model.
    Message(StoredMessage),
    /// The conversation went back to this length.
    Rewind {
        /// How many messages stay.
        messages: usize,
        /// How many blocks of the last one stay.
        blocks: usize,
    },
    /// The conversation became this: it was compacted, or cleared.
    Replaced {
        /// All that is left of it.
        messages: Vec<StoredMessage>,
    },
    /// Something happened in a turn.
    Turn {
        /// The turn.
        turn: String,
        /// What happened.
        #[serde(flatten)]
        happened: Happened,
    },
    /// Input was queued while a turn ran: a record for the person, from which no queue is rebuilt.
    Queued {
        /// The turn that it will be, or into which it is said.
        turn: String,
        /// `steering` or `follow-up`.
        kind: String,
        /// As typed.
        text: String,
    },
    /// Queued input was dropped.
    Dropped {
        /// Its turn.
        turn: String,
        /// `steering` or `follow-up`.
        kind: String,
    },
    /// A line of a later version.
    #[serde(other)]
    Unknown,
}

/// What happened in a turn, as it is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Happened {
    /// The turn began.
    Started {
        /// The prompt.
        prompt: String,
        /// The skill that was invoked.
        skill: Option<StoredSkill>,
        /// The model, as shown to the person.
        model: String,
    },
    /// More of the answer's text.
    Text {
        /// The text.
        text: String,
    },
    /// The person said something into the turn.
    Steered {
        /// What.
        text: String,
    },
    /// A tool call began.
    ToolStarted {
        /// The call's identifier.
        call: String,
        /// The tool.
        name: String,
        /// The arguments on one line.
        summary: String,
        /// The arguments, as far as they are shown.
        #[serde(default)]
        arguments: Value,
    },
    /// A tool call ended.
    ToolFinished {
        /// The call's identifier.
        call: String,
        /// Whether it did what was asked.
        ok: bool,
        /// The output on one line.
        summary: String,
        /// The output, as far as it is shown.
        #[serde(default)]
        output: String,
        /// Whether the model was given less than there was.
        truncated: bool,
        /// How long it took.
        milliseconds: u64,
    },
    /// A file was edited.
    Changed {
        /// The call that did it.
        call: String,
        /// The change's number in the session.
        change: u64,
        /// The file.
        path: PathBuf,
        /// `add`, `delete` or `modify`.
        operation: String,
    },
    /// Something that the person should know.
    Note {
        /// What.
        text: String,
    },
    /// The turn ended.
    Ended {
        /// `finished`, `cancelled`, `failed` or `limited`.
        outcome: String,
        /// Why, for the person.
        message: Option<String>,
        /// Tokens read, those from a cache included.
        input_tokens: u64,
        /// Tokens answered.
        output_tokens: u64,
        /// What it cost in money, where prices are configured.
        cost: Option<f64>,
    },
    /// Something of a later version.
    #[serde(other)]
    Unknown,
}

/// A skill as it was when it was invoked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredSkill {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: Option<PathBuf>,
    /// The SHA-256 of its text.
    pub sha256: String,
    /// The length of its text.
    pub bytes: usize,
}

/// A message, or a part that joins the one before where the role is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// `user` or `assistant`.
    pub role: StoredRole,
    /// What was said.
    pub content: Vec<StoredBlock>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredRole {
    /// The person, the workspace and tool results.
    User,
    /// The model.
    Assistant,
}

/// A part of a message; signatures and reasoning are kept as the wire sent them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the fields of Block, one for one")]
pub enum StoredBlock {
    /// [`Block::Text`].
    Text { text: String },
    /// [`Block::Thinking`].
    Thinking { text: String, signature: String },
    /// [`Block::RedactedThinking`].
    RedactedThinking { data: String },
    /// [`Block::Reasoning`].
    Reasoning { provider: String, item: Value },
    /// [`Block::ToolUse`]; `invalid` is the text that was no JSON.
    ToolUse {
        id: String,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        invalid: Option<String>,
    },
    /// [`Block::ToolResult`].
    ToolResult {
        id: String,
        content: String,
        is_error: bool,
    },
}

impl Happened {
    /// What is written down of an event; `None` for thinking, which the conversation keeps where it matters.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        Some(match &event.kind {
            EventKind::Started { prompt, skill, model } => Self::Started {
                prompt: prompt.clone(),
                skill: skill.as_ref().map(|skill| StoredSkill {
                    name: skill.name.clone(),
                    path: skill.path.clone(),
                    sha256: skill.sha256.clone(),
                    bytes: skill.bytes,
                }),
                model: model.clone(),
            },
            EventKind::Text(text) => Self::Text { text: text.clone() },
            EventKind::Steered(text) => Self::Steered { text: text.clone() },
            EventKind::Thinking(_) => return None,
            EventKind::ToolStarted(call) => Self::ToolStarted {
                call: call.id.clone(),
                name: call.name.clone(),
                summary: call.summary.clone(),
                arguments: call.arguments.clone(),
            },
            EventKind::ToolFinished(call, result) => Self::ToolFinished {
                call: call.id.clone(),
                ok: result.ok,
                summary: result.summary.clone(),
                output: result.output.clone(),
                truncated: result.truncated,
                milliseconds: u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX),
            },
            EventKind::Changed(change) => Self::Changed {
                call: change.call.clone(),
                change: change.id,
                path: change.path.clone(),
                operation: match (&change.before, &change.after) {
                    (None, _) => "add",
                    (_, None) => "delete",
                    _ => "modify",
                }
                .to_owned(),
            },
            EventKind::Note(text) => Self::Note { text: text.clone() },
            EventKind::Ended { outcome, usage, cost } => {
                let (name, message) = match outcome {
                    Outcome::Finished => ("finished", None),
                    Outcome::Cancelled => ("cancelled", None),
                    Outcome::Failed(message) => ("failed", Some(message.clone())),
                    Outcome::Limited(message) => ("limited", Some(message.clone())),
                };
                Self::Ended {
                    outcome: name.to_owned(),
                    message,
                    input_tokens: usage.input + usage.cache_read + usage.cache_write,
                    output_tokens: usage.output,
                    cost: *cost,
                }
            }
        })
    }
}

impl StoredMessage {
    /// As it is written.
    #[must_use]
    pub fn of(role: Role, content: &[Block]) -> Self {
        Self {
            role: match role {
                Role::User => StoredRole::User,
                Role::Assistant => StoredRole::Assistant,
            },
            content: content.iter().map(StoredBlock::of).collect(),
        }
    }

    /// As the conversation has it.
    #[must_use]
    pub fn message(self) -> Message {
        Message {
            role: match self.role {
                StoredRole::User => Role::User,
                StoredRole::Assistant => Role::Assistant,
            },
            content: self
                .content
                .into_iter()
                .filter(StoredBlock::is_whole)
                .map(StoredBlock::block)
                .collect(),
        }
    }
}

impl StoredBlock {
    fn of(block: &Block) -> Self {
        match block.clone() {
            Block::Text(text) => Self::Text { text },
            Block::Thinking { text, signature } => Self::Thinking { text, signature },
            Block::RedactedThinking { data } => Self::RedactedThinking { data },
            Block::Reasoning { provider, item } => Self::Reasoning { provider, item },
            Block::ToolUse(ToolUse { id, name, input }) => {
                let (input, invalid) = match input {
                    Ok(input) => (Some(input), None),
                    Err(text) => (None, Some(text)),
                };
                Self::ToolUse {
                    id,
                    name,
                    input,
                    invalid,
                }
            }
            Block::ToolResult { id, content, is_error } => Self::ToolResult { id, content, is_error },
        }
    }

    /// Whether a wire takes it back: a signature is for the whole thinking, with its secrets.
    fn is_whole(&self) -> bool {
        !matches!(self, Self::Thinking { text, .. } if text.contains(REDACTED))
    }

    fn block(self) -> Block {
        match self {
            Self::Text { text } => Block::Text(text),
            Self::Thinking { text, signature } => Block::Thinking { text, signature },
            Self::RedactedThinking { data } => Block::RedactedThinking { data },
            Self::Reasoning { provider, item } => Block::Reasoning { provider, item },
            Self::ToolUse {
                id,
                name,
                input,
                invalid,
            } => Block::ToolUse(ToolUse {
                id,
                name,
                input: invalid.map_or_else(|| Ok(input.unwrap_or_else(|| Map::new().into())), Err),
            }),
            Self::ToolResult { id, content, is_error } => Block::ToolResult { id, content, is_error },
        }
    }
}
