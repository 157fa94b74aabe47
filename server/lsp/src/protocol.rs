//! The messages beyond the standard. `protocol.md` documents them; a test holds the two together.

pub mod commands;
pub mod session;
pub mod update;

use serde::{Deserialize, Serialize};
use skills_agent::model::editor::{LentRequest, Part};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;
use tower_lsp::ls_types::{CodeActionKind, Range, TextDocumentIdentifier, Uri, WorkDoneProgressCancelParams};

/// The methods beyond the standard, and whether the client or the server sends them.
pub const METHODS: &[(&str, &str)] = &[
    (Active::METHOD, "server notification, client request"),
    (session::NEW, "client request"),
    (session::LIST, "client request"),
    (session::RESUME, "client request"),
    (session::CLOSE, "client request"),
    (session::DELETE, "client request"),
    (session::FORK, "client request"),
    (session::PROMPT, "client request"),
    (session::DEQUEUE, "client request"),
    (session::SET_CONFIG_OPTION, "client request"),
    (session::CANCEL, "client notification"),
    (SessionUpdate::METHOD, "server notification"),
    (AgentStatus::METHOD, "server notification"),
    (PermissionRequest::METHOD, "server request"),
    (PermissionResolved::METHOD, "server notification"),
    (EditReview::METHOD, "server request"),
    (EditChanges::METHOD, "server notification"),
    (EDIT_RESOLVE, "client request"),
    (WorkspaceSave::METHOD, "server request"),
    (DID_CHANGE_TRUST, "client notification"),
    (DID_FOCUS, "client notification"),
    (PREVIEW, "client request"),
    (PreviewChanged::METHOD, "server notification"),
    (READERS, "client request"),
    (MODELS_LIST, "client request"),
    (LmRequest::METHOD, "server request"),
    (LM_CHUNK, "client notification"),
    (LM_END, "client notification"),
    (LmCancel::METHOD, "server notification"),
];

/// All safe repairs of a document at once.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.skills");

/// `window/workDoneProgress/cancel`: standard, but missing in the framework's trait.
pub const PROGRESS_CANCEL: &str = "window/workDoneProgress/cancel";
/// Its parameters.
pub type ProgressCancelParams = WorkDoneProgressCancelParams;

/// `skills/active`: which skills are active, for one document or for all open ones.
#[derive(Debug)]
pub enum Active {}

impl Notification for Active {
    type Params = ActiveParams;
    const METHOD: &'static str = "skills/active";
}

/// What a client asks with `skills/active`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ActiveQuery {
    /// The document; without it, all open ones together.
    pub uri: Option<Uri>,
}

/// The active skills.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveParams {
    /// The document that they are active for; without it, all open ones together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// The skills, sorted by name.
    pub skills: Vec<ActiveSkill>,
}

/// One active skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveSkill {
    /// Its name.
    pub name: String,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it says of itself.
    pub description: String,
    /// Why it is active.
    pub why: Vec<Why>,
    /// How its file is read.
    pub dialect: String,
    /// `active`.
    pub state: String,
}

/// One reason for a skill to be active.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Why {
    /// `path`, `keyword`, `task`, `always`, `required-by`, `user` or `model`.
    pub kind: String,
    /// The pattern that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What it matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
}

/// `skills/session/update`: what happens in a turn, in the shapes of the Agent Client Protocol, version 2.
#[derive(Debug)]
pub enum SessionUpdate {}

impl Notification for SessionUpdate {
    type Params = SessionUpdateParams;
    const METHOD: &'static str = "skills/session/update";
}

/// One update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateParams {
    /// The session.
    pub session_id: String,
    /// The turn.
    pub turn_id: String,
    /// Counts up by one within a session: a gap is a lost message.
    pub seq: u64,
    /// What happened.
    pub update: update::Update,
}

/// `skills/agent/status`: for a status line.
#[derive(Debug)]
pub enum AgentStatus {}

impl Notification for AgentStatus {
    type Params = AgentStatusParams;
    const METHOD: &'static str = "skills/agent/status";
}

/// What the agent is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentStatusParams {
    /// `Normal`, `Warning` or `Error`.
    pub kind: String,
    /// Whether a turn runs.
    pub busy: bool,
    /// One line for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the next turn asks.
    pub model: AgentModel,
}

/// The model of a session, as it is now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentModel {
    /// Its name; its provider's own where the person named none, empty where there is none.
    pub name: String,
    /// The same with its provider, and where it differs from the vendor's own, its endpoint.
    pub label: String,
    /// What the person must do before it can answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// `skills/permission/request`: a question that the person must answer.
#[derive(Debug)]
pub enum PermissionRequest {}

impl Request for PermissionRequest {
    type Params = PermissionParams;
    type Result = PermissionAnswer;
    const METHOD: &'static str = "skills/permission/request";
}

/// The question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionParams {
    /// The session.
    pub session_id: String,
    /// Identifies the question; can't be guessed.
    pub request_id: String,
    /// One line: what is wanted.
    pub title: String,
    /// What exactly will happen.
    pub description: String,
    /// The answers offered.
    pub options: Vec<PermissionOption>,
    /// The rules that an answer of kind `allow_always` keeps, word for word, as the person may change them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Whether a text of the person's own is an answer too: the option `text`, with the text as `message`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_text: bool,
}

/// One answer that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// What comes back when it is chosen.
    pub option_id: String,
    /// What the person reads.
    pub name: String,
    /// What it means.
    pub kind: OptionKind,
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    /// No, this time.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
    /// Yes, this time.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
}

/// The answer; anything but a selected option is no approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PermissionAnswer {
    /// What the person did.
    pub outcome: PermissionOutcome,
    /// What the person wrote beside it: other rules to keep, the reason of a no, or the answer itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What the person did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PermissionOutcome {
    /// Chose an answer.
    Selected {
        /// Its identifier.
        option_id: String,
    },
    /// Chose none.
    Cancelled,
}

/// `skills/permission/resolved`: the question is answered or withdrawn, wherever it was shown.
#[derive(Debug)]
pub enum PermissionResolved {}

impl Notification for PermissionResolved {
    type Params = PermissionResolvedParams;
    const METHOD: &'static str = "skills/permission/resolved";
}

/// Which question is no longer open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionResolvedParams {
    /// The question.
    pub request_id: String,
    /// The chosen answer's identifier; absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
}

/// `skills/edit/review`: an edit, shown to the person before it is made.
#[derive(Debug)]
pub enum EditReview {}

impl Request for EditReview {
    type Params = ReviewParams;
    type Result = ReviewAnswer;
    const METHOD: &'static str = "skills/edit/review";
}

/// The edit of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewParams {
    /// The session.
    pub session_id: String,
    /// Identifies the question; can't be guessed.
    pub request_id: String,
    /// One line: what is wanted.
    pub title: String,
    /// The file.
    pub uri: Uri,
    /// The version of the document that the ranges are of; absent where the file is not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// What is to change, from the top.
    pub hunks: Vec<ReviewHunk>,
}

/// Lines that are to change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewHunk {
    /// Counts from 1.
    pub hunk_id: u32,
    /// What is replaced.
    pub range: Range,
    /// Its text.
    pub old_text: String,
    /// What stands there instead.
    pub new_text: String,
}

/// What the person decided; a hunk that is not named is rejected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewAnswer {
    /// One decision a hunk.
    pub decisions: Vec<ReviewDecision>,
    /// What the model is told about the rejected hunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The decision on one hunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecision {
    /// The hunk.
    pub hunk_id: u32,
    /// `accept`; anything else rejects.
    pub action: String,
}

/// `skills/edit/changes`: what the agent changed in an open document, and nobody decided about yet.
#[derive(Debug)]
pub enum EditChanges {}

impl Notification for EditChanges {
    type Params = ChangesParams;
    const METHOD: &'static str = "skills/edit/changes";
}

/// All undecided hunks of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangesParams {
    /// The document.
    pub uri: Uri,
    /// The version that the ranges are for.
    pub version: i32,
    /// In the order of the text.
    pub hunks: Vec<ChangedHunk>,
}

/// Lines that the agent changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedHunk {
    /// The change.
    pub change_id: u64,
    /// Counts from 1.
    pub hunk_id: u32,
    /// The lines as they are; empty where the agent only removed.
    pub range: Range,
    /// The lines that stood there before.
    pub old_text: String,
}

/// `skills/edit/resolve`: keeps or takes back what the agent changed.
pub const EDIT_RESOLVE: &str = "skills/edit/resolve";

/// What the agent changed in a session, and nobody decided about yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedChanges {
    /// The hunks, by file, the oldest change of a file first.
    pub hunks: Vec<ListedHunk>,
    /// How many there are beside those.
    pub more: usize,
}

/// One hunk, as its change made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedHunk {
    /// The change.
    pub change_id: u64,
    /// Counts from 1.
    pub hunk_id: u32,
    /// The turn that made it.
    pub turn_id: String,
    /// The file, absolute.
    pub path: String,
    /// Its first line in the text that the change left, counted from 1.
    pub line: usize,
    /// The first lines that went, each behind a `-`, and that came, each behind a `+`.
    pub diff: String,
}

/// What a client asks with `skills/edit/resolve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveParams {
    /// The session; the current one without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The change.
    pub change_id: u64,
    /// Its hunks, which count from 1; without them, all that are undecided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunk_ids: Vec<u32>,
    /// What is to be done.
    pub action: ResolveAction,
}

/// What happens to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResolveAction {
    /// It stays.
    Keep,
    /// It is taken back where it still stands.
    Undo,
}

/// What happened to a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolveAnswer {
    /// Whether all that was asked for was done.
    pub applied: bool,
    /// The hunks of the change that are still undecided.
    pub remaining: Vec<u32>,
    /// Why it was not, for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `skills/workspace/save`: asks the client to save documents, so that a command sees them.
#[derive(Debug)]
pub enum WorkspaceSave {}

impl Request for WorkspaceSave {
    type Params = SaveParams;
    type Result = SaveAnswer;
    const METHOD: &'static str = "skills/workspace/save";
}

/// The documents to save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaveParams {
    /// The documents; no others are to be saved.
    pub uris: Vec<Uri>,
}

/// What was saved. The server looks at the disk all the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaveAnswer {
    /// The documents that were.
    pub saved: Vec<String>,
    /// Those that were not.
    #[serde(default)]
    pub failed: Vec<NotSaved>,
}

/// A document that was not saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotSaved {
    /// The document.
    pub uri: String,
    /// Why, for the person.
    pub message: String,
}

/// `skills/workspace/didChangeTrust`: which folders the person trusts, as their editor knows it.
pub const DID_CHANGE_TRUST: &str = "skills/workspace/didChangeTrust";

/// What an editor says of folders; of those that it does not name, what it said before stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedTrustParams {
    /// The folders.
    pub items: Vec<FolderTrust>,
}

/// Whether a folder is trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderTrust {
    /// The folder.
    pub folder_uri: Uri,
    /// Whether the person trusts it.
    pub trusted: bool,
}

/// `skills/textDocument/didFocus`: the document that the person looks at.
pub const DID_FOCUS: &str = "skills/textDocument/didFocus";

/// Where the person is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FocusParams {
    /// The document; `None` where none is shown.
    pub text_document: Option<TextDocumentIdentifier>,
    /// What is selected in it, or where the cursor is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Range>,
}

/// `skills/models/list`: the models that can be chosen.
pub const MODELS_LIST: &str = "skills/models/list";

/// `skills/preview`: what a skill would say to the model. Nothing runs.
pub const PREVIEW: &str = "skills/preview";

/// What a client asks with `skills/preview`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PreviewQuery {
    /// An open document, whose unsaved text counts; beside a `name`, where it is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// The name of a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What would be typed behind the name.
    #[serde(default)]
    pub arguments: String,
}

/// What a skill would say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewAnswer {
    /// Its name.
    pub name: String,
    /// The text, with each command as what would run.
    pub text: String,
    /// The required inputs that the arguments don't give.
    pub missing: Vec<String>,
    /// The commands, in order.
    pub commands: Vec<PreviewCommand>,
    /// The SHA-256 of the skill's text, in hexadecimal.
    pub sha256: String,
    /// The bytes of the skill's text.
    pub bytes: usize,
}

/// A command that would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewCommand {
    /// The command with its values in it.
    pub text: String,
    /// Why it can't be run whatever anybody says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// `skills/preview/didChange`: what was previewed last would be another text by now. Told once: who asks for it again is
/// told again.
#[derive(Debug)]
pub enum PreviewChanged {}

impl Notification for PreviewChanged {
    type Params = PreviewChangedParams;
    const METHOD: &'static str = "skills/preview/didChange";
}

/// Which preview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewChangedParams {
    /// The document that was previewed, or the file of the skill whose name was.
    pub uri: Uri,
}

/// `skills/readers`: what each system makes of an open skill.
pub const READERS: &str = "skills/readers";

/// What a client asks with `skills/readers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadersQuery {
    /// An open skill, whose unsaved text counts.
    pub uri: Uri,
}

/// What the systems make of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadersAnswer {
    /// The skill's name: that of its folder.
    pub name: String,
    /// How many load it, in words.
    pub summary: String,
    /// The systems, always in the same order.
    pub readers: Vec<ReaderVerdict>,
    /// All of it as a document in Markdown.
    pub markdown: String,
}

/// What one system makes of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReaderVerdict {
    /// Its name in options: `claude`.
    pub reader: String,
    /// Its name in sentences: `Claude Code`.
    pub title: String,
    /// The version that its behaviour was recorded from.
    pub recorded: String,
    /// Whether it looks for skills in this folder.
    pub reads_place: bool,
    /// `loads`, `loads without metadata`, `loads but the model is not told` or `not loaded`.
    pub outcome: String,
    /// Whether it loads the file.
    pub loads: bool,
    /// Whether its model is told about the skill.
    pub listed: bool,
    /// The name that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The description that it shows, cut as it cuts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What a person types to call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Why it is not loaded, not listed or loaded with a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The characters that the reason is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What its model is told about the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<String>,
}

/// What a client asks with `skills/models/list`: nothing yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelsQuery {}

/// The models of the configured endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelsAnswer {
    /// The models, in the endpoint's order.
    pub models: Vec<ListedModel>,
}

/// One model that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedModel {
    /// What `model.name` calls it.
    pub model_id: String,
    /// What people call it.
    pub name: String,
    /// Whose it is, as `model.provider` names it.
    pub provider: String,
    /// How many tokens it can read, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Whether the conversation's next turn asks it.
    pub is_current: bool,
}

/// `skills/lm/request`: asks the language model that the client lends.
#[derive(Debug)]
pub enum LmRequest {}

impl Request for LmRequest {
    type Params = LmParams;
    type Result = LmAccepted;
    const METHOD: &'static str = "skills/lm/request";
}

/// One request to the client's model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LmParams {
    /// Identifies the request in what belongs to it.
    pub request_id: String,
    /// The conversation and the tools.
    #[serde(flatten)]
    pub request: LentRequest,
}

/// Whether the client asks its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LmAccepted {
    /// `false`: the person did not consent, or there is no such model.
    pub accepted: bool,
}

/// `skills/lm/chunk`: the next part of the answer of the client's model.
pub const LM_CHUNK: &str = "skills/lm/chunk";

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LmChunkParams {
    /// The request.
    pub request_id: String,
    /// The part.
    pub part: Part,
}

/// `skills/lm/end`: the answer of the client's model is complete, or failed.
pub const LM_END: &str = "skills/lm/end";

/// The end of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LmEndParams {
    /// The request.
    pub request_id: String,
    /// Why it failed, for the person; absent where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// `skills/lm/cancel`: nobody waits for the answer of the client's model any more.
#[derive(Debug)]
pub enum LmCancel {}

impl Notification for LmCancel {
    type Params = LmCancelParams;
    const METHOD: &'static str = "skills/lm/cancel";
}

/// Which request is cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LmCancelParams {
    /// The request.
    pub request_id: String,
}
