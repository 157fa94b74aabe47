//! A session: one conversation, and at most one turn that runs in it.

pub mod input;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::activation::briefing::{Skills, Told};
use crate::changes::{ChangeLog, Ledger};
use crate::conversation::Conversation;
use crate::conversation::entry::{Entry, Happened, VERSION};
use crate::conversation::log::Log;
use crate::conversation::store::{Store, Stored};
use crate::event::{Event, Outcome, TurnId, random_id};
use crate::hooks::Hooks;
use crate::turn::{self, Control, Engine, TurnInput};

/// A conversation with all that lasts longer than a turn.
#[derive(Debug)]
pub struct Session {
    /// 128 random bits in hexadecimal.
    pub id: String,
    /// What the model last saw of each file.
    pub ledger: Arc<Ledger>,
    /// The recorded edits.
    pub changes: Arc<ChangeLog>,
    log: Arc<Log>,
    /// The hooks of the skills that were invoked.
    pub hooks: Arc<Hooks>,
    /// What the conversation was told about skills.
    pub told: Arc<Told>,
    state: Mutex<Current>,
}

#[derive(Debug, Default)]
struct Current {
    /// Empty while a turn runs, which has it.
    conversation: Conversation,
    running: Option<(TurnId, Control)>,
}

/// A turn can't start because another one runs in the session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("turn {0} is still running: cancel it, or wait for its end")]
pub struct Busy(pub TurnId);

impl Session {
    /// A session in which nothing was said yet. It is kept nowhere until [`Session::keep`].
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::with(random_id(), Conversation::default(), Log::default())
    }

    /// A session that goes on where its log ends: with its conversation, and without anything that waited or that was
    /// allowed in it.
    ///
    /// # Errors
    ///
    /// Where there is no such session, it can't be read, or another process has it open.
    pub fn resume(store: &Store, id: &str) -> io::Result<(Arc<Self>, Stored)> {
        let mut stored = store.read(id)?;
        let log = store.go_on(id, &stored)?;
        let conversation = std::mem::take(&mut stored.conversation);
        Ok((Self::with(id.to_owned(), conversation, log), stored))
    }

    fn with(id: String, conversation: Conversation, log: Log) -> Arc<Self> {
        let log = Arc::new(log);
        let state = Current {
            conversation: conversation.logged(log.clone()),
            running: None,
        };
        Arc::new(Self {
            id,
            ledger: Arc::default(),
            changes: Arc::default(),
            log,
            hooks: Arc::default(),
            told: Arc::default(),
            state: Mutex::new(state),
        })
    }

    /// Writes the session down from now on; a session that is kept already goes on as it was.
    ///
    /// # Errors
    ///
    /// Where the session's identifier names no file.
    pub fn keep(&self, store: &Store, folders: Vec<PathBuf>) -> io::Result<()> {
        let header = Entry::Session {
            version: VERSION,
            id: self.id.clone(),
            folders,
            forked_from: None,
        };
        self.log.keep_at(store.path(&self.id)?, header);
        Ok(())
    }

    /// Writes an event of a turn down; gives what was written.
    pub fn record(&self, event: &Event) -> Option<Happened> {
        let happened = Happened::of(event)?;
        self.log.append(Entry::Turn {
            turn: event.turn.to_string(),
            happened: happened.clone(),
        });
        Some(happened)
    }

    /// Writes something else down, such as input that was queued.
    pub fn audit(&self, entry: Entry) {
        self.log.append(entry);
    }

    /// What went wrong with the log since it was asked last, for the person.
    pub fn take_problem(&self) -> Option<String> {
        self.log.take_problem()
    }

    /// Begins a turn that goes on with the conversation. It runs where the caller awaits [`StartedTurn::run`].
    ///
    /// # Errors
    ///
    /// [`Busy`] while another turn runs.
    pub fn start(self: &Arc<Self>, input: TurnInput) -> Result<StartedTurn, Busy> {
        let mut state = self.state.lock();
        if let Some((running, _)) = &state.running {
            return Err(Busy(running.clone()));
        }
        let control = Control::default();
        state.running = Some((input.id.clone(), control.clone()));
        let conversation = std::mem::take(&mut state.conversation);
        Ok(StartedTurn {
            session: self.clone(),
            input,
            conversation,
            control,
        })
    }

    /// The turn that runs.
    #[must_use]
    pub fn running(&self) -> Option<TurnId> {
        self.state.lock().running.as_ref().map(|(turn, _)| turn.clone())
    }

    /// Says something into the running turn, before the model's next request. Gives the turn; `None` where none runs
    /// that would still tell it.
    pub fn steer(&self, text: &str) -> Option<TurnId> {
        let state = self.state.lock();
        let (turn, control) = state.running.as_ref()?;
        control.steering.push(text).then(|| turn.clone())
    }

    /// What was said into the running turn and the model was not told yet.
    #[must_use]
    pub fn steering(&self) -> Vec<String> {
        let state = self.state.lock();
        let running = state.running.as_ref();
        running
            .map(|(_, control)| control.steering.waiting())
            .unwrap_or_default()
    }

    /// Stops the turn, or the running one where none is named; what was said into it is dropped. Tells whether there
    /// was one to stop; its end is told by its events.
    pub fn cancel(&self, turn: Option<&TurnId>) -> bool {
        match &self.state.lock().running {
            Some((running, control)) if turn.is_none_or(|turn| turn == running) => {
                control.steering.close();
                control.cancel.cancel();
                true
            }
            _ => false,
        }
    }

    /// Forgets what was said.
    ///
    /// # Errors
    ///
    /// [`Busy`] while a turn runs.
    pub fn clear(&self) -> Result<(), Busy> {
        let mut state = self.state.lock();
        if let Some((running, _)) = &state.running {
            return Err(Busy(running.clone()));
        }
        state.conversation.replace(Vec::new());
        self.told.clear();
        self.ledger.clear();
        Ok(())
    }
}

/// A turn that has the session's conversation; whatever happens to it, the session gets it back.
#[derive(Debug)]
pub struct StartedTurn {
    session: Arc<Session>,
    input: TurnInput,
    conversation: Conversation,
    control: Control,
}

impl StartedTurn {
    /// Runs the turn to its end, with the session's own ledger and changes in place of the engine's. Gives also what
    /// was said into it and came too late.
    pub async fn run(mut self, engine: &Engine) -> (Outcome, Vec<String>) {
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
            hooks: self.session.hooks.clone(),
            ..engine.clone()
        };
        let control = self.control.clone();
        let outcome = turn::run(self.input.clone(), &mut self.conversation, &engine, control).await;
        (outcome, self.control.steering.close())
    }
}

impl Drop for StartedTurn {
    fn drop(&mut self) {
        let mut state = self.session.state.lock();
        state.conversation = std::mem::take(&mut self.conversation);
        state.running = None;
    }
}
