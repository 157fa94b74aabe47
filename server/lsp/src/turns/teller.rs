//! Tells of a turn while it runs: progress, updates and status for clients, and the transcript.

use std::sync::Arc;
use std::time::Duration;

use skills_agent::event::{Event, EventKind, Outcome, TurnId};
use skills_agent::session::Session;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tower_lsp::ls_types::notification::Progress;
use tower_lsp::ls_types::{
    MessageType, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::{models, transcript};
use crate::printable::{printable, printable_lines};
use crate::protocol::update::Update;
use crate::protocol::{AgentStatus, AgentStatusParams, SessionUpdate};
use crate::state::Shared;
use crate::state::agent::sessions::TranscriptFile;
use crate::state::agent::updates;

/// How long text is gathered before a client is told.
const GATHER: Duration = Duration::from_millis(40);
/// How long a client may take to accept a progress.
const CREATED: Duration = Duration::from_secs(2);
/// How often the transcript grows while it may be open.
const WRITE: Duration = Duration::from_millis(250);

/// Starts telling; ends once every sender is gone and all is told.
pub fn start(
    shared: Arc<Shared>,
    session: Arc<Session>,
    told: Arc<tokio::sync::Mutex<TranscriptFile>>,
) -> (UnboundedSender<Event>, JoinHandle<()>) {
    let (sender, receiver) = unbounded_channel();
    let teller = Teller {
        shared,
        session,
        told,
        progress: None,
        gathered: String::new(),
        message: 0,
    };
    (sender, tokio::spawn(teller.tell(receiver)))
}

struct Teller {
    shared: Arc<Shared>,
    session: Arc<Session>,
    told: Arc<tokio::sync::Mutex<TranscriptFile>>,
    /// The token, once the client has accepted it.
    progress: Option<ProgressToken>,
    /// Text of the answer that the client has not been told yet.
    gathered: String,
    /// Numbers the messages of the model: what is between two tool calls.
    message: u64,
}

impl Teller {
    async fn tell(mut self, mut events: UnboundedReceiver<Event>) {
        let mut turn = None;
        let mut tell_at = None;
        let mut write_at = None;
        loop {
            let due = [tell_at, write_at].into_iter().flatten().min();
            tokio::select! {
                event = events.recv() => {
                    let Some(event) = event else { break };
                    turn = Some(event.turn.clone());
                    self.told.lock().await.push(&event);
                    write_at.get_or_insert_with(|| Instant::now() + WRITE);
                    if let EventKind::Text(text) = &event.kind {
                        self.gathered.push_str(text);
                        tell_at.get_or_insert_with(|| Instant::now() + GATHER);
                    } else {
                        self.tell_gathered(&event.turn).await;
                        tell_at = None;
                        self.tell_event(&event).await;
                    }
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    if tell_at == due {
                        tell_at = None;
                        if let Some(turn) = &turn {
                            self.tell_gathered(turn).await;
                        }
                    } else {
                        write_at = None;
                        self.write().await;
                    }
                }
            }
        }
        self.write().await;
    }

    async fn write(&self) {
        if let Err(error) = transcript::flush(&mut *self.told.lock().await, &self.shared).await {
            tracing::warn!("the transcript could not be written: {error}");
        }
    }

    async fn tell_gathered(&mut self, turn: &TurnId) {
        if !self.gathered.is_empty() {
            let kind = EventKind::Text(std::mem::take(&mut self.gathered));
            let turn = turn.clone();
            self.record(&Event { turn, kind }).await;
        }
    }

    async fn tell_event(&mut self, event: &Event) {
        let turn = &event.turn;
        match &event.kind {
            EventKind::Started { skill, model, .. } => {
                let title = skill
                    .as_ref()
                    .map_or_else(|| "agent".to_owned(), |skill| format!("skill {}", skill.name));
                self.begin_progress(turn, &title, model).await;
                self.status(true, None).await;
            }
            EventKind::ToolStarted(call) => self.report_progress(format!("{} {}", call.name, call.summary)).await,
            EventKind::Note(note) => self.report_progress(note.clone()).await,
            _ => {}
        }
        self.record(event).await;
        if let EventKind::Ended { outcome, .. } = &event.kind {
            let message = problem(outcome);
            self.end_progress(message.unwrap_or("done").to_owned()).await;
            self.status(false, message.map(ToOwned::to_owned)).await;
            if let Some(message) = message {
                self.warn(message).await;
            }
        }
    }

    /// Writes an event down and tells clients of it.
    async fn record(&mut self, event: &Event) {
        let Some(happened) = self.session.record(event) else {
            return;
        };
        let turn = event.turn.to_string();
        let mut updates = updates::of(&turn, &happened, &mut self.message);
        let problem = self.session.take_problem();
        updates.extend(problem.iter().map(Update::note));
        for update in updates {
            self.update(&turn, update).await;
        }
        if let Some(problem) = problem {
            let turn = event.turn.clone();
            let kind = EventKind::Note(problem.clone());
            self.told.lock().await.push(&Event { turn, kind });
            self.warn(&problem).await;
        }
    }

    async fn warn(&self, message: &str) {
        let message = printable_lines(&format!("skills: {message}"));
        self.shared.client.show_message(MessageType::WARNING, message).await;
    }

    async fn update(&self, turn: &str, update: Update) {
        let params = {
            let mut state = self.shared.state();
            let takes = state.client.agent.session_update;
            // A session that was closed meanwhile tells nothing more.
            let Ok(open) = state.agent.sessions.get_mut(Some(&self.session.id)) else {
                return;
            };
            let params = open.update(turn, update);
            state.agent.told.send_replace(());
            if !takes {
                return;
            }
            params
        };
        self.shared.client.send_notification::<SessionUpdate>(params).await;
    }

    async fn status(&self, busy: bool, message: Option<String>) {
        if self.shared.state().client.agent.session_update {
            let kind = if message.is_some() { "Warning" } else { "Normal" }.to_owned();
            self.shared
                .client
                .send_notification::<AgentStatus>(AgentStatusParams {
                    kind,
                    busy,
                    message,
                    model: models::described(&self.shared, Some(&self.session.id)),
                })
                .await;
        }
    }

    async fn begin_progress(&mut self, turn: &TurnId, title: &str, model: &str) {
        let token = ProgressToken::String(turn.to_string());
        if !self.shared.state().client.progress {
            return;
        }
        // A client that does not answer must not hold up the telling.
        let created = self.shared.client.create_work_done_progress(token.clone());
        if !matches!(tokio::time::timeout(CREATED, created).await, Ok(Ok(()))) {
            return;
        }
        self.progress = Some(token);
        self.send_progress(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: printable(&format!("skills: {title}")),
            cancellable: Some(true),
            message: Some(model.to_owned()),
            percentage: None,
        }))
        .await;
    }

    async fn report_progress(&self, message: String) {
        let report = WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(printable(&message)),
            percentage: None,
        };
        self.send_progress(WorkDoneProgress::Report(report)).await;
    }

    async fn end_progress(&mut self, message: String) {
        self.send_progress(WorkDoneProgress::End(WorkDoneProgressEnd {
            message: Some(printable(&message)),
        }))
        .await;
        self.progress = None;
    }

    async fn send_progress(&self, value: WorkDoneProgress) {
        if let Some(token) = self.progress.clone() {
            let params = ProgressParams {
                token,
                value: ProgressParamsValue::WorkDone(value),
            };
            self.shared.client.send_notification::<Progress>(params).await;
        }
    }
}

/// What the person is told where something is amiss.
fn problem(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Finished | Outcome::Cancelled => None,
        Outcome::Failed(message) | Outcome::Limited(message) => Some(message),
    }
}
