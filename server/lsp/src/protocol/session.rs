//! `skills/session/*`: conversations of the agent, in the shapes of the Agent Client Protocol, version 2.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::{Range, Uri};

/// `skills/session/new`: begins a session.
pub const NEW: &str = "skills/session/new";
/// `skills/session/list`: the sessions that can be resumed, and those that are open.
pub const LIST: &str = "skills/session/list";
/// `skills/session/resume`: opens a session again, or joins an open one.
pub const RESUME: &str = "skills/session/resume";
/// `skills/session/close`: stops a session's turn and lets go of it.
pub const CLOSE: &str = "skills/session/close";
/// `skills/session/delete`: removes a session for good.
pub const DELETE: &str = "skills/session/delete";
/// `skills/session/fork`: opens a copy of a session.
pub const FORK: &str = "skills/session/fork";
/// `skills/session/prompt`: input of the person.
pub const PROMPT: &str = "skills/session/prompt";
/// `skills/session/dequeue`: takes a follow-up back.
pub const DEQUEUE: &str = "skills/session/dequeue";
/// `skills/session/setConfigOption`: chooses a model, an effort or a mode.
pub const SET_CONFIG_OPTION: &str = "skills/session/setConfigOption";
/// `skills/session/cancel`: stops the turn.
pub const CANCEL: &str = "skills/session/cancel";

/// A new session's surroundings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NewParams {
    /// Where the person is; the workspace's folders count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Uri>,
}

/// An opened session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The session.
    pub session_id: String,
    /// What can be chosen for it.
    pub config_options: Vec<ConfigOption>,
    /// The number of its last update.
    pub last_seq: u64,
}

/// Something that can be chosen for a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigOption {
    /// `model`, `thought_level` or `mode`.
    pub id: String,
    /// What the person reads.
    pub name: String,
    /// What is chosen; `default` where nothing is.
    pub current_value: String,
    /// What there is to choose from; empty where any text may be.
    pub options: Vec<String>,
}

/// What a client asks with `skills/session/list`: nothing yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ListParams {}

/// The sessions, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListAnswer {
    /// Those of the workspace's folders.
    pub sessions: Vec<ListedSession>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    /// The session.
    pub session_id: String,
    /// Its first prompt, cut.
    pub title: String,
    /// When it was written last, in milliseconds since 1970 (UTC); 0 where nothing was said yet.
    pub updated_at: u64,
    /// `running`, `idle`, or `closed` where it must be resumed first.
    pub state: String,
}

/// Which session to open, and from where its updates are sent again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumeParams {
    /// The session.
    pub session_id: String,
    /// From where its updates are sent again; none are without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_from: Option<ReplayFrom>,
}

/// From where updates are sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ReplayFrom {
    /// From the beginning.
    #[serde(rename = "start")]
    Start,
    /// From behind this update.
    #[serde(rename = "_seq")]
    Seq {
        /// The last number that the client has.
        seq: u64,
    },
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session.
    pub session_id: String,
}

/// Input of the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptParams {
    /// The session; the current one without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What was typed: blocks of text, and `/NAME arguments` for a skill.
    pub prompt: Vec<ContentBlock>,
    /// Where it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<PromptContext>,
    /// What happens to it while a turn runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// The turn that must run now, else the input is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_turn_id: Option<String>,
    /// The identifier of the turn that this becomes: its updates may come before the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
}

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
}

/// Where a prompt was typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptContext {
    /// The document.
    pub text_document: Document,
    /// The selection in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A document by its URI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The URI.
    pub uri: Uri,
}

/// What happens to input while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// It becomes a turn of its own afterwards.
    #[default]
    Queue,
    /// The model is told before its next request.
    Steer,
    /// It is refused.
    Reject,
}

/// What happened to input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptAnswer {
    /// The turn that it is or becomes, or into which it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// What happened to it.
    pub accepted: Accepted,
    /// What a command of the program has to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What happened to input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Accepted {
    /// A turn began.
    Started,
    /// A turn will begin.
    Queued,
    /// It is said into the running turn.
    Steered,
    /// It was a command of the program.
    Done,
}

/// Which follow-up is taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DequeueParams {
    /// The session.
    pub session_id: String,
    /// The turn that it would become.
    pub turn_id: String,
}

/// Whether it still waited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DequeueAnswer {
    /// `false`: it had begun, or was never there.
    pub removed: bool,
}

/// What is chosen for a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetConfigOptionParams {
    /// The session.
    pub session_id: String,
    /// `model`, `thought_level` or `mode`.
    pub config_id: String,
    /// The choice; a text.
    pub value: Value,
}

/// What is chosen now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigAnswer {
    /// All options.
    pub config_options: Vec<ConfigOption>,
}

/// Which turn is stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    /// The session.
    pub session_id: String,
    /// The turn; the running one without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
}
