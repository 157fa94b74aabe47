//! The commands of `workspace/executeCommand`: their identifiers, and where a prompt was given.

use serde::Deserialize;
use tower_lsp::ls_types::{Range, Uri};

use super::session::Delivery;

/// Starts a turn: `["text", {uri?, range?}]`, answered with
/// `{"turnId", "accepted"}`.
pub const ASK: &str = "skills.server.ask";
/// Runs a skill: `["name", "arguments", {uri?, range?}]`, answered with `{"turnId"}`; without a name the person is shown
/// what there is.
pub const RUN: &str = "skills.server.run";
/// Says something into the running turn, or starts one: `["text"]`, answered like [`ASK`].
pub const STEER: &str = "skills.server.steer";
/// Sends what is written under the last heading of an open transcript: `[{uri}]`, answered like [`ASK`].
pub const SEND: &str = "skills.server.send";
/// Takes a follow-up back: `[turnId]`, answered with `{"removed"}`.
pub const DEQUEUE: &str = "skills.server.dequeue";
/// Shows what waits: `[]`.
pub const QUEUE: &str = "skills.server.queue";
/// Switches between steering and follow-up: `[sessionId?]`, answered with `{"delivery"}`.
pub const TOGGLE_DELIVERY: &str = "skills.server.toggleDelivery";
/// Begins the conversation anew and drops what waits: `[]`.
pub const CLEAR: &str = "skills.server.clear";
/// Begins a session, which is the current one from now on: `[]`, answered with `{"sessionId"}`.
pub const NEW_SESSION: &str = "skills.server.newSession";
/// The sessions of the workspace, or makes one the current one: `[sessionId?]`.
pub const SESSIONS: &str = "skills.server.sessions";
/// Stops the running turn: `[sessionId?]`.
pub const CANCEL: &str = "skills.server.cancel";
/// Answers a question with yes: `[requestId]`.
pub const APPROVE: &str = "skills.server.approve";
/// Answers a question with yes, also from now on: `[requestId, rules?]`, where the rules are kept instead of those shown.
pub const APPROVE_ALWAYS: &str = "skills.server.approveAlways";
/// Answers a question with no: `[requestId, reason?]`; the model is told the reason.
pub const REJECT: &str = "skills.server.reject";
/// Answers a question with one of its options: `[requestId, optionId?, text?]`; the option `text` is the person's own
/// text, and without an option the question is closed.
pub const ANSWER: &str = "skills.server.answer";
/// Takes back the edits of a turn, the last one without an argument: `[turnId?]`.
pub const UNDO_TURN: &str = "skills.server.undoTurn";
/// Keeps changes of the agent: `[changeId | {uri} | {turnId}, [hunkId]?]`; all of them without an argument.
pub const KEEP: &str = "skills.server.keep";
/// Takes changes of the agent back, as [`KEEP`] names them.
pub const UNDO: &str = "skills.server.undo";
/// What the agent changed, and nobody decided about yet: `[sessionId?]`.
pub const CHANGES: &str = "skills.server.changes";
/// Opens the conversation's transcript: `[]`.
pub const OPEN_TRANSCRIPT: &str = "skills.server.openTranscript";
/// Trusts a folder, or no longer: `[folder, true|false]`.
pub const TRUST: &str = "skills.server.trust";
/// Shows what each system makes of an open skill: `[uri]`.
pub const EXPLAIN: &str = "skills.server.explain";
/// Shows what a skill would say to the model: `[{uri?, name?, arguments?}]`. Nothing runs.
pub const PREVIEW: &str = "skills.server.preview";
/// Makes a skill from a template: `["name", folder?]`, answered with `{"uri"}`.
pub const NEW_SKILL: &str = "skills.server.newSkill";
/// Chooses the conversation's model, `["name"?, "effort"?]`; without a name the person is shown what there is.
pub const MODELS: &str = "skills.server.models";

/// Where a prompt was given.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptPlace {
    /// The document.
    pub uri: Option<Uri>,
    /// The selection in it.
    pub range: Option<Range>,
    /// The model for this turn alone.
    pub model: Option<String>,
    /// The effort for this turn alone.
    pub effort: Option<String>,
    /// The session; the current one without.
    pub session_id: Option<String>,
    /// What happens to the prompt while a turn runs.
    pub delivery: Option<Delivery>,
}
