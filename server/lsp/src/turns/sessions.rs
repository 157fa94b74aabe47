//! The open sessions of a server, and what each has beside its conversation.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};
use skills_agent::conversation::store::{Store, Stored};
use skills_agent::event::TurnId;
use skills_agent::model::Choice;
use skills_agent::permission::{Grants, Mode};
use skills_agent::process::jobs::Jobs;
use skills_agent::session::Session;

use super::schedule::Schedule;
use super::transcript::TranscriptFile;
use super::{Prompt, Told, updates};
use crate::protocol::session::Delivery;
use crate::protocol::{SessionUpdate, SessionUpdateParams};
use crate::state::Shared;

/// How many updates of a session are kept for clients that come later; the oldest go first.
const HISTORY: usize = 20_000;

/// The open sessions; one of them is the current one, which commands without a session mean.
pub struct Sessions {
    open: Vec<Open>,
    current: String,
}

/// An open session.
pub struct Open {
    /// The conversation.
    pub session: Arc<Session>,
    /// What was told of it so far.
    pub told: Arc<tokio::sync::Mutex<Told>>,
    /// The model that the person chose for it.
    pub choice: Option<Choice>,
    /// What goes through without a question in it; the setting where unset.
    pub mode: Option<Mode>,
    /// Its commands in the background.
    pub jobs: Arc<Jobs>,
    /// What the person allowed in it.
    pub grants: Option<Arc<Grants>>,
    /// What becomes of input while a turn runs, where the input does not say.
    pub delivery: Delivery,
    /// Prompts that become turns of their own, the next one first.
    pub follow_ups: VecDeque<Prompt>,
    /// What is repeated while it is open.
    pub schedule: Option<Schedule>,
    history: VecDeque<SessionUpdateParams>,
    last_seq: u64,
}

impl Default for Sessions {
    fn default() -> Self {
        let first = Open::of(Session::new());
        Self {
            current: first.session.id.clone(),
            open: vec![first],
        }
    }
}

impl Sessions {
    /// All open sessions.
    pub fn iter(&self) -> impl Iterator<Item = &Open> {
        self.open.iter()
    }

    /// The session of this identifier, the current one without; an error is for the person.
    pub fn get(&self, id: Option<&str>) -> Result<&Open, String> {
        let id = id.unwrap_or(&self.current);
        self.open
            .iter()
            .find(|open| open.session.id == id)
            .ok_or_else(|| closed(id))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, id: Option<&str>) -> Result<&mut Open, String> {
        let id = id.unwrap_or(&self.current);
        let found = self.open.iter_mut().find(|open| open.session.id == id);
        found.ok_or_else(|| closed(id))
    }

    /// Opens a session, which is the current one from now on.
    pub fn add(&mut self, open: Open) {
        self.current = open.session.id.clone();
        self.open.push(open);
    }

    /// Makes an open session the current one; tells whether it is open.
    pub fn choose(&mut self, id: &str) -> bool {
        let is_open = self.open.iter().any(|open| open.session.id == id);
        if is_open {
            self.current = id.to_owned();
        }
        is_open
    }

    /// Stops what runs by a trust that was taken back: turns, commands in the background, and hooks.
    pub fn revoke(&mut self) {
        for open in &self.open {
            open.session.cancel(None);
            open.jobs.cancel(None);
            open.session.hooks.forget();
        }
    }

    /// Closes a session: its turn and its commands in the background are stopped, and what waits in it is dropped. There is always a current one.
    pub fn close(&mut self, id: &str) -> Result<(), String> {
        let open = self.get_mut(Some(id))?;
        open.drop_follow_ups();
        open.session.cancel(None);
        open.jobs.cancel(None);
        let hooks = open.session.hooks.clone();
        if hooks.any("SessionEnd") {
            let input = json!({"session_id": id, "reason": "other"});
            tokio::spawn(async move { hooks.tell("SessionEnd", "other", input).await });
        }
        self.open.retain(|open| open.session.id != id);
        if self.current == id {
            match self.open.last() {
                Some(open) => self.current = open.session.id.clone(),
                None => *self = Self::default(),
            }
        }
        Ok(())
    }
}

impl Open {
    /// A session that was opened now.
    pub fn of(session: Arc<Session>) -> Self {
        let told = Told {
            transcript: TranscriptFile::new(&session.id),
        };
        Self {
            session,
            told: Arc::new(tokio::sync::Mutex::new(told)),
            choice: None,
            mode: None,
            jobs: Arc::default(),
            grants: None,
            delivery: Delivery::default(),
            follow_ups: VecDeque::new(),
            schedule: None,
            history: VecDeque::new(),
            last_seq: 0,
        }
    }

    /// A session that goes on where its log ends.
    pub fn resumed(session: Arc<Session>, stored: &Stored) -> Self {
        let mut open = Self::of(session);
        for (turn, update) in updates::of_records(&stored.records) {
            open.update(&turn, update);
        }
        open
    }

    /// Numbers an update and keeps it.
    pub fn update(&mut self, turn: &str, update: Value) -> SessionUpdateParams {
        self.last_seq += 1;
        let params = SessionUpdateParams {
            session_id: self.session.id.clone(),
            turn_id: turn.to_owned(),
            seq: self.last_seq,
            update,
        };
        if self.history.len() >= HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(params.clone());
        params
    }

    /// The updates behind a number, and the last number.
    pub fn since(&self, seq: u64) -> (Vec<SessionUpdateParams>, u64) {
        let updates = self.history.iter().filter(|update| update.seq > seq);
        (updates.cloned().collect(), self.last_seq)
    }

    /// The number before a turn's first update.
    pub fn before(&self, turn: &TurnId) -> u64 {
        let first = self.history.iter().find(|update| *update.turn_id == *turn.0);
        first.map_or(self.last_seq, |update| update.seq - 1)
    }

    /// Whether a turn has, or will have, this identifier.
    pub fn knows(&self, turn: &TurnId) -> bool {
        self.follow_ups.iter().any(|prompt| prompt.id == *turn)
            || self.history.iter().any(|update| *update.turn_id == *turn.0)
            || self.session.running().as_ref() == Some(turn)
    }

    /// Drops what waits for the turn's end, which the log says, and what is repeated.
    pub fn drop_follow_ups(&mut self) {
        self.schedule = None;
        for prompt in std::mem::take(&mut self.follow_ups) {
            self.session.audit(super::delivery::dropped(&prompt.id));
        }
    }
}

/// Tells clients of something in a session that is no event of a turn; one that was closed meanwhile tells nothing.
pub fn tell(shared: &Arc<Shared>, session: &str, update: Value) {
    let params = {
        let mut state = shared.state();
        let takes = state.client.agent.session_update;
        let Ok(open) = state.agent.sessions.get_mut(Some(session)) else {
            return;
        };
        let turn = open.session.running().map(|turn| turn.to_string()).unwrap_or_default();
        let params = open.update(&turn, update);
        state.agent.told.send_replace(());
        if !takes {
            return;
        }
        params
    };
    let shared = shared.clone();
    tokio::spawn(async move { shared.client.send_notification::<SessionUpdate>(params).await });
}

/// Where sessions are kept; an error is for the person.
pub fn store(shared: &Shared) -> Result<Store, String> {
    Ok(Store::new(&crate::document::resolved(
        shared.environment.state_folder()?,
    )))
}

fn closed(id: &str) -> String {
    format!("session {id} is not open; resume it first, or begin a new one")
}
