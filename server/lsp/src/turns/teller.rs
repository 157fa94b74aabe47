//! Tells of a turn while it runs: progress, updates and status for clients, and the transcript.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use skills_agent::event::{Event, EventKind, Outcome, TurnId};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tower_lsp::ls_types::notification::Progress;
use tower_lsp::ls_types::{
    MessageType, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::Told;
use crate::printable::{printable, printable_lines};
use crate::protocol::{AgentStatus, AgentStatusParams, SessionUpdate, SessionUpdateParams};
use crate::state::Shared;

/// How long text is gathered before a client is told.
const GATHER: Duration = Duration::from_millis(40);
/// How long a client may take to accept a progress.
const CREATED: Duration = Duration::from_secs(2);
/// How often the transcript grows while it may be open.
const WRITE: Duration = Duration::from_millis(250);

/// Starts telling; ends once every sender is gone and all is told.
pub fn start(
    shared: Arc<Shared>,
    session: String,
    told: Arc<tokio::sync::Mutex<Told>>,
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
    session: String,
    told: Arc<tokio::sync::Mutex<Told>>,
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
                    self.told.lock().await.transcript.push(&event);
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
        if let Err(error) = self.told.lock().await.transcript.flush(&self.shared).await {
            tracing::warn!("the transcript could not be written: {error}");
        }
    }

    async fn tell_gathered(&mut self, turn: &TurnId) {
        if self.gathered.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.gathered);
        let message = format!("{turn}-{}", self.message);
        let content = json!({"type": "text", "text": text});
        self.update(
            turn,
            json!({"sessionUpdate": "agent_message_chunk", "messageId": message, "content": content}),
        )
        .await;
    }

    async fn tell_event(&mut self, event: &Event) {
        let turn = &event.turn;
        match &event.kind {
            EventKind::Started { prompt, skill, model } => {
                let title = skill
                    .as_ref()
                    .map_or_else(|| "agent".to_owned(), |skill| format!("skill {}", skill.name));
                self.begin_progress(turn, &title, model).await;
                self.status(true, None).await;
                let content = json!([{"type": "text", "text": prompt}]);
                let message = format!("{turn}-prompt");
                self.update(
                    turn,
                    json!({"sessionUpdate": "user_message", "messageId": message, "content": content}),
                )
                .await;
                self.update(turn, json!({"sessionUpdate": "state_update", "state": "running"}))
                    .await;
            }
            EventKind::Text(_) | EventKind::Thinking(_) => {}
            EventKind::ToolStarted(call) => {
                self.message += 1;
                self.report_progress(format!("{} {}", call.name, call.summary)).await;
                self.update(
                    turn,
                    json!({
                        "sessionUpdate": "tool_call_update", "toolCallId": call.id, "title": call.summary,
                        "name": call.name, "status": "in_progress",
                    }),
                )
                .await;
            }
            EventKind::ToolFinished(call, result) => {
                self.update(
                    turn,
                    json!({
                        "sessionUpdate": "tool_call_update", "toolCallId": call.id,
                        "status": if result.ok { "completed" } else { "failed" },
                        "content": [{"type": "content", "content": {"type": "text", "text": result.summary}}],
                        "_meta": {"skills": {"truncated": result.truncated, "milliseconds": result.duration.as_millis()}},
                    }),
                )
                .await;
            }
            EventKind::Changed(change) => {
                let operation = match (&change.before, &change.after) {
                    (None, _) => "add",
                    (_, None) => "delete",
                    _ => "modify",
                };
                let changes = json!([{"operation": operation, "path": change.path}]);
                self.update(
                    turn,
                    json!({
                        "sessionUpdate": "tool_call_update", "toolCallId": change.call,
                        "content": [{"type": "diff", "changes": changes}],
                        "_meta": {"skills": {"changeId": change.id}},
                    }),
                )
                .await;
            }
            EventKind::Note(note) => {
                self.report_progress(note.clone()).await;
                self.update(turn, json!({"sessionUpdate": "_skills_note", "text": note}))
                    .await;
            }
            EventKind::Ended { outcome, usage, cost } => {
                let (reason, message) = ending(outcome);
                self.update(
                    turn,
                    json!({
                        "sessionUpdate": "state_update", "state": "idle", "stopReason": reason,
                        "_meta": {"skills": {
                            "message": message, "inputTokens": usage.input + usage.cache_read + usage.cache_write,
                            "outputTokens": usage.output, "cost": cost,
                        }},
                    }),
                )
                .await;
                self.end_progress(message.unwrap_or("done").to_owned()).await;
                self.status(false, message.map(ToOwned::to_owned)).await;
                if let Some(message) = message {
                    self.shared
                        .client
                        .show_message(MessageType::WARNING, printable_lines(&format!("skills: {message}")))
                        .await;
                }
            }
        }
    }

    async fn update(&mut self, turn: &TurnId, update: Value) {
        if !self.shared.state().client.agent.session_update {
            return;
        }
        let seq = {
            let mut told = self.told.lock().await;
            told.updates += 1;
            told.updates
        };
        let params = SessionUpdateParams {
            session_id: self.session.clone(),
            turn_id: turn.to_string(),
            seq,
            update,
        };
        self.shared.client.send_notification::<SessionUpdate>(params).await;
    }

    async fn status(&self, busy: bool, message: Option<String>) {
        if self.shared.state().client.agent.session_update {
            let kind = if message.is_some() { "Warning" } else { "Normal" }.to_owned();
            self.shared
                .client
                .send_notification::<AgentStatus>(AgentStatusParams { kind, busy, message })
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

/// The reason as the Agent Client Protocol names it, and what the person is told where something is amiss.
fn ending(outcome: &Outcome) -> (&'static str, Option<&str>) {
    match outcome {
        Outcome::Finished => ("end_turn", None),
        Outcome::Cancelled => ("cancelled", None),
        Outcome::Failed(message) => ("_failed", Some(message)),
        Outcome::Limited(message) => ("max_turn_requests", Some(message)),
    }
}
