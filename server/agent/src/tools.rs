//! The seam to tools: typed, bounded, contained in the workspace. One file a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::changes::{ChangeLog, Ledger};
use crate::event::TurnId;
use crate::host::Host;
use crate::model::ToolSpec;
use crate::workspace::Workspace;

/// A tool that a model may call.
pub trait Tool: Send + Sync {
    /// What the model is told.
    fn spec(&self) -> ToolSpec;

    /// Whether it may change anything; `true` where in doubt.
    fn is_mutating(&self) -> bool;

    /// The arguments on one line, for the person.
    fn summary(&self, input: &Value) -> String;

    /// Runs one call.
    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// What a tool gives the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// The text for the model, within the tool's caps.
    pub text: String,
    /// One line for the person.
    pub summary: String,
    /// Whether there was more than was given.
    pub truncated: bool,
}

/// How a call fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The model can mend it: the text says what is wrong and what to do next.
    #[error("{0}")]
    Respond(String),
    /// The turn can't go on.
    #[error("{0}")]
    Fatal(String),
}

/// What a call works with.
pub struct ToolContext {
    /// The turn that the call belongs to.
    pub turn: TurnId,
    /// The call's identifier.
    pub call: String,
    /// The folders that the call may touch.
    pub workspace: Arc<Workspace>,
    /// The editor, or the terminal.
    pub host: Arc<dyn Host>,
    /// What the model last saw of each file.
    pub ledger: Arc<Ledger>,
    /// The session's recorded edits.
    pub changes: Arc<ChangeLog>,
    /// Cancelled when the person stops the turn.
    pub cancel: CancellationToken,
}
