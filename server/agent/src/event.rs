//! What happens in a turn, told in order: events out are the only view of a running turn.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::model::Usage;

/// Identifies a turn within its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub Arc<str>);

impl TurnId {
    /// A new random one.
    #[must_use]
    pub fn random() -> Self {
        Self(random_id().into())
    }
}

impl std::fmt::Display for TurnId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// 128 random bits in hexadecimal, which nobody guesses.
///
/// # Panics
///
/// Where the operating system has no random numbers: nothing that must not be guessed could be made there.
#[must_use]
pub fn random_id() -> String {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system gives no random numbers: {error}");
    }
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// One event of one turn.
#[derive(Debug, Clone)]
pub struct Event {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum EventKind {
    /// The turn began.
    Started {
        /// The prompt as the person gave it.
        prompt: String,
        /// The skill that was invoked, with its content hash.
        skill: Option<InvokedSkill>,
        /// The model, as shown to the person.
        model: String,
    },
    /// More of the answer's text.
    Text(String),
    /// More of the model's thinking.
    Thinking(String),
    /// The person said something into the turn, and the model is told now.
    Steered(String),
    /// A tool call began.
    ToolStarted(ToolCall),
    /// A tool call ended.
    ToolFinished(ToolCall, ToolResult),
    /// A recorded edit.
    Changed(Arc<Change>),
    /// Something the person should know: a retry, a cut, a limit.
    Note(String),
    /// The turn ended.
    Ended {
        /// How.
        outcome: Outcome,
        /// What it cost in tokens.
        usage: Usage,
        /// What it cost in money, where the person configured prices.
        cost: Option<f64>,
    },
}

/// A skill as it was when it was invoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvokedSkill {
    /// Its name.
    pub name: String,
    /// Its file; `None` for a source without files.
    pub path: Option<PathBuf>,
    /// The SHA-256 of its text, in hexadecimal.
    pub sha256: String,
    /// The length of its text in bytes.
    pub bytes: usize,
}

/// One call of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's identifier, unique within its turn.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments on one line, cut.
    pub summary: String,
    /// The arguments as the model wrote them, long texts cut and secrets taken out; a text where they were no JSON.
    pub arguments: Value,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// The output on one line, cut.
    pub summary: String,
    /// What the model was given, cut to some KiB, without secrets.
    pub output: String,
    /// Whether the model was given less than there was.
    pub truncated: bool,
    /// How long it took.
    pub duration: Duration,
}

/// One recorded edit of one file; undone where the text still matches `after`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Unique within the session.
    pub id: u64,
    /// The turn that made it.
    pub turn: TurnId,
    /// The tool call that made it.
    pub call: String,
    /// The file's absolute path.
    pub path: PathBuf,
    /// The text before; `None` where the file did not exist.
    pub before: Option<Arc<str>>,
    /// The text after; `None` where the file is gone.
    pub after: Option<Arc<str>>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The model had no more to do.
    Finished,
    /// The person stopped it.
    Cancelled,
    /// It could not go on; the message says what to do.
    Failed(String),
    /// A limit was reached: iterations, or the length of an answer.
    Limited(String),
}
