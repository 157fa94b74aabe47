//! What the state holds of the agent: the conversations and what is waited for in them.

pub mod questions;
pub mod repeats;
pub mod sessions;
pub mod updates;

use std::collections::HashMap;
use std::sync::Arc;

use skills_agent::changes::{ChangeLog, Selection};
use skills_agent::model::editor::Part;
use skills_agent::model::{Model, ModelError, ModelSettings};
use skills_agent::session::Session;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use self::questions::Questions;
use self::sessions::Sessions;
use crate::authority::{Authority, Tokens};
use crate::refusal::Refusal;

/// The agent's part of the state: the conversations and what is waited for in them.
#[derive(Default)]
pub struct Agent {
    /// The open sessions.
    pub sessions: Sessions,
    /// The models of the last turns, the newest first, with what they were made of.
    pub models: Vec<(ModelSettings, Arc<dyn Model>)>,
    /// The requests to the model that the client lends whose answers are awaited, by their identifiers.
    pub lent: HashMap<String, UnboundedSender<Result<Part, ModelError>>>,
    /// Questions that wait for an answer.
    pub questions: Questions,
    /// Whom the client speaks for.
    authority: Authority,
    /// What a client must show one of before the agent does anything for it.
    tokens: Option<Tokens>,
    /// Whether the client came by an address, and is not the person's own process.
    is_remote: bool,
    /// Marked as changed when there is something new to tell of any session.
    pub told: watch::Sender<()>,
}

impl Agent {
    /// Has the client show one of these tokens before it may do anything: it came by an address.
    pub fn ask_for(&mut self, tokens: Tokens) {
        self.authority = Authority::Nobody;
        self.tokens = Some(tokens);
        self.is_remote = true;
    }

    /// Takes the token that a client showed. The first one counts.
    pub fn show_token(&mut self, token: Option<&str>) {
        if let Some(tokens) = self.tokens.take() {
            self.authority = token.map_or(Authority::Nobody, |token| tokens.authority(token));
        }
    }

    /// Whom the client speaks for.
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// Whether the client came by an address.
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Whether the client may send a command or a message; an error is for the person.
    pub fn may(&self, name: &str) -> Result<(), Refusal> {
        self.authority.may(name)
    }

    /// Whether a turn runs in the current session.
    pub fn is_running(&self) -> bool {
        self.sessions
            .get(None)
            .is_ok_and(|open| open.session.running().is_some())
    }

    /// The session that a selection of changes is of: the one that made the turn, else the current one; an error is for
    /// the person.
    pub fn session_of(&self, selection: &Selection) -> Result<Arc<Session>, Refusal> {
        let made = |session: &Session| match selection {
            Selection::Turn(turn) => {
                session.changes.is_pending(turn) || !session.changes.undecided(selection).is_empty()
            }
            _ => false,
        };
        let open = self.sessions.iter().find(|open| made(&open.session));
        let session = open.map_or_else(|| self.sessions.get(None), Ok)?;
        Ok(session.session.clone())
    }

    /// The recorded edits of the current session.
    pub fn changes(&self) -> Arc<ChangeLog> {
        let current = self.sessions.get(None);
        current.map(|open| open.session.changes.clone()).unwrap_or_default()
    }

    /// Whether a turn of the current session has edits that can be taken back.
    pub fn has_undoable_turn(&self) -> bool {
        let last = self
            .sessions
            .get(None)
            .ok()
            .and_then(|open| open.session.changes.last_turn());
        !self.is_running() && last.is_some()
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.sessions.iter().map(|open| &open.session.id).collect();
        f.debug_struct("Agent").field("sessions", &ids).finish_non_exhaustive()
    }
}
