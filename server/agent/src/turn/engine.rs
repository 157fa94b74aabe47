//! What a turn works with, what is asked of it, and how it is reached while it runs.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Invoke;
use super::steering::Steering;
use crate::activation::briefing::Skills;
use crate::changes::{ChangeLog, Ledger};
use crate::event::TurnId;
use crate::hooks::Hooks;
use crate::host::Host;
use crate::model::{Choice, Model, Price};
use crate::permission::Permissions;
use crate::tools::{Shell, Tool};
use crate::workspace::Workspace;

/// What a turn works with.
#[derive(Clone)]
pub struct Engine {
    /// The model.
    pub model: Arc<dyn Model>,
    /// What its tokens cost, where the person said so.
    pub price: Option<Price>,
    /// The models that skills of the turn may ask for.
    pub models: Models,
    /// The tools offered beside those for skills; the order does not matter.
    pub tools: Arc<[Arc<dyn Tool>]>,
    /// How commands run, those in the texts of skills too.
    pub shell: Shell,
    /// The folders that the tools may touch.
    pub workspace: Arc<Workspace>,
    /// The editor, or the terminal.
    pub host: Arc<dyn Host>,
    /// What the model last saw of each file, over the session.
    pub ledger: Arc<Ledger>,
    /// The session's recorded edits.
    pub changes: Arc<ChangeLog>,
    /// What may be done without asking, and who is asked.
    pub permissions: Arc<Permissions>,
    /// What the conversation is told about skills.
    pub skills: Skills,
    /// The hooks of the session.
    pub hooks: Arc<Hooks>,
    /// Where a turn is stopped.
    pub limits: Limits,
}

/// Gives the model that these choices of skills mean, on top of what the turn has; the last goes first. An error is for
/// the person.
pub type Models = Arc<dyn Fn(&[Choice]) -> Result<ChosenModel, String> + Send + Sync>;

/// A model, as it was chosen.
#[derive(Clone)]
pub struct ChosenModel {
    /// The model.
    pub model: Arc<dyn Model>,
    /// What its tokens cost, where the person said so.
    pub price: Option<Price>,
    /// How many tokens it can read, where that is known.
    pub context_tokens: Option<u64>,
    /// What could not be had, for the person.
    pub notes: Vec<String>,
}

/// Where a turn is stopped, so that no loop is endless and no item unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most answers of the model in one turn. Default: 32, which is what thndrs 0.1 allows (8, continued 3 times).
    pub iterations: u32,
    /// The most tokens of one answer. Default: 32,000, which every current model allows.
    pub answer_tokens: u32,
    /// The most calls that are run of one answer. Default: 32.
    pub calls: usize,
    /// The most bytes of one result that the model is given. Default: 64 KiB.
    pub result_bytes: usize,
    /// The most tokens, read and answered, that a skill in a context of its own may take before it is stopped. Default:
    /// 2,000,000, some 60,000 for each of its answers; the conversation itself has no such end.
    pub fork_tokens: u64,
    /// How many tokens the model can read: a conversation that nears it is compacted. Default: unknown, never.
    pub context_tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 32,
            answer_tokens: 32_000,
            calls: 32,
            result_bytes: 64 << 10,
            fork_tokens: 2_000_000,
            context_tokens: None,
        }
    }
}

/// What the person asks.
#[derive(Debug, Clone)]
pub struct TurnInput {
    /// The turn's identifier, unique within the session.
    pub id: TurnId,
    /// The prompt as the person gave it; may be empty where a skill is invoked.
    pub prompt: String,
    /// The skills that are invoked, in the order in which they were typed.
    pub skills: Vec<Invoke>,
    /// What goes with the prompt, such as the open file and the selection; one text each.
    pub context: Vec<String>,
    /// What the person should know before it begins, such as a model that could not be had.
    pub notes: Vec<String>,
}

/// How a turn is reached while it runs.
#[derive(Debug, Clone, Default)]
pub struct Control {
    /// Stops it.
    pub cancel: CancellationToken,
    /// What is said into it, which the model is told before its next request.
    pub steering: Arc<Steering>,
}
