//! A session: one conversation, and at most one turn that runs in it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::activation::briefing::{Skills, Told};
use crate::changes::{ChangeLog, Ledger};
use crate::event::{Outcome, TurnId, random_id};
use crate::turn::{self, Conversation, Engine, TurnInput};

/// A conversation with all that lasts longer than a turn.
#[derive(Debug)]
pub struct Session {
    /// 128 random bits in hexadecimal.
    pub id: String,
    /// What the model last saw of each file.
    pub ledger: Arc<Ledger>,
    /// The recorded edits.
    pub changes: Arc<ChangeLog>,
    /// What the conversation was told of skills.
    pub told: Arc<Told>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Empty while a turn runs, which has it.
    conversation: Conversation,
    running: Option<(TurnId, CancellationToken)>,
}

/// A turn can't start because another one runs in the session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("turn {0} is still running: cancel it, or wait for its end")]
pub struct Busy(pub TurnId);

impl Session {
    /// A session in which nothing was said yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            id: random_id(),
            ledger: Arc::default(),
            changes: Arc::default(),
            told: Arc::default(),
            state: Mutex::default(),
        })
    }

    /// Begins a turn that goes on with the conversation. It runs where the caller awaits [`StartedTurn::run`].
    ///
    /// # Errors
    ///
    /// [`Busy`] while another turn runs.
    pub fn start(self: &Arc<Self>, input: TurnInput) -> Result<StartedTurn, Busy> {
        let mut state = self.state();
        if let Some((running, _)) = &state.running {
            return Err(Busy(running.clone()));
        }
        let cancel = CancellationToken::new();
        state.running = Some((input.id.clone(), cancel.clone()));
        let conversation = std::mem::take(&mut state.conversation);
        Ok(StartedTurn {
            session: self.clone(),
            input,
            conversation,
            cancel,
        })
    }

    /// The turn that runs.
    #[must_use]
    pub fn running(&self) -> Option<TurnId> {
        self.state().running.as_ref().map(|(turn, _)| turn.clone())
    }

    /// Stops the turn, or the running one where none is named. Tells whether there was one to stop; its end is told by
    /// its events.
    pub fn cancel(&self, turn: Option<&TurnId>) -> bool {
        match &self.state().running {
            Some((running, cancel)) if turn.is_none_or(|turn| turn == running) => {
                cancel.cancel();
                true
            }
            _ => false,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn that has the session's conversation; whatever becomes of it, the session gets it back.
#[derive(Debug)]
pub struct StartedTurn {
    session: Arc<Session>,
    input: TurnInput,
    conversation: Conversation,
    cancel: CancellationToken,
}

impl StartedTurn {
    /// Runs the turn to its end, with what the session knows in place of the engine's.
    pub async fn run(mut self, engine: &Engine) -> Outcome {
        let (ledger, changes) = (self.session.ledger.clone(), self.session.changes.clone());
        let skills = Skills {
            told: self.session.told.clone(),
            session: self.session.id.clone(),
            ..engine.skills.clone()
        };
        let engine = Engine {
            ledger,
            changes,
            skills,
            ..engine.clone()
        };
        turn::run(self.input.clone(), &mut self.conversation, &engine, self.cancel.clone()).await
    }
}

impl Drop for StartedTurn {
    fn drop(&mut self) {
        let mut state = self.session.state();
        state.conversation = std::mem::take(&mut self.conversation);
        state.running = None;
    }
}
