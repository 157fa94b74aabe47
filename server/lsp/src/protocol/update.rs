//! The updates of `skills/session/update`, in the shapes of the Agent Client Protocol, version 2.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::{ConfigOption, ContentBlock, Delivery};

/// What happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Update {
    /// The person said something.
    UserMessage {
        /// Identifies it.
        message_id: String,
        /// What they said.
        content: Vec<ContentBlock>,
    },
    /// More of the model's answer.
    AgentMessageChunk {
        /// One for what stands between two calls of tools.
        message_id: String,
        /// To append.
        content: ContentBlock,
    },
    /// A tool started, changed a file, or ended.
    ToolCallUpdate(ToolCallUpdate),
    /// A turn began, or ended.
    StateUpdate(StateUpdate),
    /// Something was chosen for the session.
    ConfigOptionUpdate {
        /// All that can be chosen.
        config_options: Vec<ConfigOption>,
    },
    /// What waits is something else now.
    #[serde(rename = "_skills_queue")]
    Queue(Queue),
    /// The person should know.
    #[serde(rename = "_skills_note")]
    Note {
        /// What.
        text: String,
    },
    /// Of a later version; never sent.
    #[serde(other)]
    Unknown,
}

/// What is reported about a call: only what is new.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallUpdate {
    /// The call.
    pub tool_call_id: String,
    /// Its arguments on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
    /// The arguments, with long texts cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_input: Option<Value>,
    /// What it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ToolContent>,
    /// The beginning of what the model was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_output: Option<String>,
    /// What is ours alone.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta<ToolMeta>>,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It runs.
    InProgress,
    /// It did what was asked.
    Completed,
    /// It did not.
    Failed,
}

/// A part of what a call did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolContent {
    /// A line of text.
    Content {
        /// The line.
        content: ContentBlock,
    },
    /// Files that it changed.
    Diff {
        /// One a file.
        changes: Vec<ChangedFile>,
    },
}

/// A file that a call changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// `add`, `modify` or `delete`.
    pub operation: String,
    /// Its absolute path.
    pub path: PathBuf,
}

/// What is beyond the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta<T> {
    /// Ours.
    pub skills: T,
}

/// What else is reported about a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMeta {
    /// The number of the change that it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_id: Option<u64>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// Whether the model was given less than there was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// A turn began, or ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateUpdate {
    /// Which of the two.
    pub state: TurnState,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// How it ended.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta<Ended>>,
}

/// Whether a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// It does.
    Running,
    /// It does not.
    Idle,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had no more to say.
    EndTurn,
    /// The person stopped it.
    Cancelled,
    /// It reached the most answers of a turn.
    MaxTurnRequests,
    /// It could not go on.
    #[serde(rename = "_failed")]
    Failed,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// What is amiss, for the person.
    pub message: Option<String>,
    /// Tokens read, those from a cache included.
    pub input_tokens: u64,
    /// Tokens answered.
    pub output_tokens: u64,
    /// What it cost in money, where prices are configured.
    pub cost: Option<f64>,
}

/// What waits in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// What the running turn is told before its next request.
    pub steering: Vec<String>,
    /// What becomes turns of their own, the next one first.
    pub follow_ups: Vec<FollowUp>,
    /// Where input goes while a turn runs.
    pub delivery: Delivery,
}

/// A prompt that becomes a turn of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowUp {
    /// The turn that it becomes.
    pub turn_id: String,
    /// As it was typed.
    pub text: String,
    /// The first skill that it runs.
    pub skill: Option<String>,
}

impl ToolCallUpdate {
    /// The line that says what the call did; empty where none does.
    pub fn line(&self) -> &str {
        match self.content.first() {
            Some(ToolContent::Content {
                content: ContentBlock::Text { text },
            }) => text,
            _ => "",
        }
    }
}

impl Update {
    /// A line that the person should know.
    pub fn note(text: impl Into<String>) -> Self {
        Self::Note { text: text.into() }
    }
}
