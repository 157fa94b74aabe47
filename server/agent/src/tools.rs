//! The seam to tools: typed, bounded, contained in the workspace. One file a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::changes::{ChangeLog, Ledger};
use crate::event::TurnId;
use crate::host::Host;
use crate::model::ToolSpec;
use crate::permission::Permissions;
use crate::workspace::Workspace;

mod arguments;
mod ask_person;
mod context;
mod create_file;
mod find_files;
mod in_order;
mod list_searchable_files;
mod output;
mod read_file_range;
mod read_url;
mod replace_range;
mod reviewing;
mod run_shell;
mod search_text;
mod skill;
mod walk;
mod write_patch;

pub use crate::process::commands::Shell;
pub use arguments::expected;
pub use context::Guard;
pub use skill::{NotInvoked, OfferedSkill, Skills};

/// All tools but those for skills, sorted by name: the list is part of what a wire caches, so its order is stable.
pub fn all(shell: &Shell) -> Arc<[Arc<dyn Tool>]> {
    Arc::new([
        Arc::new(ask_person::AskPerson),
        Arc::new(create_file::CreateFile),
        Arc::new(find_files::FindFiles),
        Arc::new(list_searchable_files::ListSearchableFiles),
        Arc::new(read_file_range::ReadFileRange),
        Arc::new(read_url::ReadUrl),
        Arc::new(replace_range::ReplaceRange),
        Arc::new(run_shell::RunShell(shell.clone())),
        Arc::new(search_text::SearchText),
        Arc::new(write_patch::WritePatch),
    ])
}

/// The tools for skills, sorted by name.
pub fn of_skills(skills: &Arc<dyn Skills>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(skill::ReadSkillFile(skills.clone())),
        Arc::new(skill::InvokeSkill(skills.clone())),
    ]
}

/// A tool that a model may call.
pub trait Tool: Send + Sync {
    /// What the model is told.
    fn spec(&self) -> ToolSpec;

    /// Whether it may change anything; `true` where in doubt, and where a tool does not say.
    fn is_mutating(&self) -> bool {
        true
    }

    /// Whether a call may run beside others; `input` are its arguments.
    fn runs_beside_others(&self, input: &Value) -> bool {
        let _ = input;
        !self.is_mutating()
    }

    /// The arguments on one line, for the person: the first that a call must have.
    fn summary(&self, input: &Value) -> String {
        let first = &self.spec().input_schema["required"][0];
        arguments::shown(input, first.as_str().unwrap_or_default())
    }

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
    /// What may be done without asking, and who is asked.
    pub permissions: Arc<Permissions>,
    /// The session's recorded edits.
    pub changes: Arc<ChangeLog>,
    /// Cancelled when the person stops the turn.
    pub cancel: CancellationToken,
}

/// Runs what blocks on a thread for it.
async fn blocking(work: impl FnOnce() -> ToolOutput + Send + 'static) -> Result<ToolOutput, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| ToolError::Fatal(format!("a tool ended unexpectedly: {error}")))
}
