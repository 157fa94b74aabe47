//! The open sessions of a server, and what each has beside its conversation.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::json;
use skills_agent::catalog::bundled::Repeat;
use skills_agent::conversation::entry::Entry;
use skills_agent::conversation::store::Stored;
use skills_agent::event::{Event, EventKind, TurnId};
use skills_agent::model::Choice;
use skills_agent::permission::{Grants, Mode};
use skills_agent::process::jobs::Jobs;
use skills_agent::redaction::redact;
use skills_agent::session::Session;
use skills_agent::transcript::Transcript;
use tokio::task::AbortHandle;

use super::updates;
use crate::protocol::SessionUpdateParams;
use crate::protocol::commands::PromptPlace;
use crate::protocol::session::Delivery;
use crate::protocol::update::Update;
use crate::refusal::Refusal;

/// How many updates of a session are kept for clients that come later; the oldest go first.
const HISTORY: usize = 20_000;

/// The open sessions; one of them is the current one, which commands without a session mean.
pub struct Sessions {
    open: Vec<Open>,
    current: String,
}

/// What a person asks of the agent.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The turn that it becomes.
    pub id: TurnId,
    /// The prompt, or the arguments of the skill.
    pub text: String,
    /// The skills to run, in the order in which they were typed; all are given the text.
    pub skills: Vec<String>,
    /// Where it was asked.
    pub place: PromptPlace,
}

impl Default for Prompt {
    fn default() -> Self {
        Self {
            id: TurnId::random(),
            text: String::new(),
            skills: Vec::new(),
            place: PromptPlace::default(),
        }
    }
}

/// What is repeated in a session; dropped, it ends.
#[derive(Debug)]
pub struct Schedule {
    /// What, and how often.
    pub repeat: Repeat,
    /// What says it.
    pub task: AbortHandle,
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One session's transcript, and what of it is not written yet.
#[derive(Debug)]
pub struct TranscriptFile {
    /// The session.
    pub session: String,
    /// What is made of its events.
    pub text: Transcript,
    /// What is not written yet.
    pub waiting: String,
    /// What went into the buffer and may not be on disk.
    pub in_buffer: String,
    /// Whether a turn ended since the last place to write.
    pub ended: bool,
}

impl TranscriptFile {
    /// The transcript of a session; nothing is written yet.
    pub fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            text: Transcript::default(),
            waiting: String::new(),
            in_buffer: String::new(),
            ended: false,
        }
    }

    /// Adds an event; it is written by `turns::transcript::flush`.
    pub fn push(&mut self, event: &Event) {
        let added = self.text.append(event);
        self.waiting.extend(added.map(|text| redact(&text).into_owned()));
        self.ended = matches!(event.kind, EventKind::Ended { .. });
    }
}

/// An open session.
pub struct Open {
    /// The conversation.
    pub session: Arc<Session>,
    /// What was reported about it so far.
    pub told: Arc<tokio::sync::Mutex<TranscriptFile>>,
    /// The model that the person chose for it.
    pub choice: Option<Choice>,
    /// What goes through without a question in it; the setting where unset.
    pub mode: Option<Mode>,
    /// Its commands in the background.
    pub jobs: Arc<Jobs>,
    /// What the person allowed in it.
    pub grants: Option<Arc<Grants>>,
    /// What happens to input while a turn runs, where the input does not say.
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
    pub fn get(&self, id: Option<&str>) -> Result<&Open, Refusal> {
        let id = id.unwrap_or(&self.current);
        self.open
            .iter()
            .find(|open| open.session.id == id)
            .ok_or_else(|| Refusal::Closed(id.to_owned()))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, id: Option<&str>) -> Result<&mut Open, Refusal> {
        let id = id.unwrap_or(&self.current);
        let found = self.open.iter_mut().find(|open| open.session.id == id);
        found.ok_or_else(|| Refusal::Closed(id.to_owned()))
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
    pub fn close(&mut self, id: &str) -> Result<(), Refusal> {
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
        let told = TranscriptFile::new(&session.id);
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
    pub fn update(&mut self, turn: &str, update: Update) -> SessionUpdateParams {
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
            self.session.audit(dropped(&prompt.id));
        }
    }
}

/// What the log calls input that becomes a turn of its own.
pub const FOLLOW_UP: &str = "follow-up";

/// The record of a follow-up that was dropped.
pub fn dropped(turn: &TurnId) -> Entry {
    Entry::Dropped {
        turn: turn.to_string(),
        kind: FOLLOW_UP.to_owned(),
    }
}
