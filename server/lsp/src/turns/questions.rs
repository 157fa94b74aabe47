//! Questions to the person: one at a time, on whatever the client can show, answered by whichever comes first.
//!
//! A question that is dismissed, late, withdrawn or not understood is not approved.

use std::sync::Arc;
use std::time::Duration;

use skills_agent::event::random_id;
use skills_agent::host::{Answer, Question};
use tokio::sync::oneshot;
use tower_lsp::ls_types::{MessageActionItem, MessageType};

use crate::printable::{printable, printable_lines};
use crate::protocol::{
    OptionKind, PermissionOption, PermissionOutcome, PermissionParams, PermissionRequest, PermissionResolved,
    PermissionResolvedParams,
};
use crate::state::Shared;
use crate::to_proto;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The questions that wait for an answer, and the turn to ask.
#[derive(Debug, Default)]
pub struct Questions {
    open: Vec<Open>,
    /// Held while a person is asked.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// One open question.
#[derive(Debug)]
struct Open {
    params: PermissionParams,
    answer: Option<oneshot::Sender<String>>,
}

impl Questions {
    /// The open questions, for code actions.
    pub fn open(&self) -> Vec<PermissionParams> {
        self.open.iter().map(|open| open.params.clone()).collect()
    }
}

/// Asks and waits; dropped, the question is withdrawn.
pub async fn ask(shared: &Arc<Shared>, session: &str, question: Question) -> Answer {
    let asking = shared.state().agent.questions.asking.clone();
    let _turn_to_ask = asking.lock().await;
    let params = PermissionParams {
        session_id: session.to_owned(),
        request_id: random_id(),
        title: printable(&question.title),
        description: printable_lines(&question.detail),
        options: question
            .choices
            .iter()
            .map(|choice| PermissionOption {
                option_id: choice.id.to_owned(),
                name: choice.label.clone(),
                kind: to_proto::option_kind(choice.kind),
            })
            .collect(),
    };
    let (sender, receiver) = oneshot::channel();
    shared.state().agent.questions.open.push(Open {
        params: params.clone(),
        answer: Some(sender),
    });
    let mut open = Withdrawal {
        shared: shared.clone(),
        request: params.request_id.clone(),
        chosen: None,
    };
    let by_command = async { receiver.await.ok() };
    let chosen = tokio::select! {
        chosen = show(shared, params) => chosen,
        chosen = by_command => chosen,
        () = tokio::time::sleep(PATIENCE) => None,
    };
    let choice = question
        .choices
        .iter()
        .find(|choice| chosen.as_deref() == Some(choice.id));
    open.chosen = choice.map(|choice| choice.id.to_owned());
    choice.map_or(Answer::Dismissed, |choice| Answer::Chosen(choice.id))
}

/// Answers an open question by command.
pub fn answer(shared: &Shared, request: &str, kind: OptionKind) -> Result<(), String> {
    let mut state = shared.state();
    let open = state
        .agent
        .questions
        .open
        .iter_mut()
        .find(|open| open.params.request_id == request);
    let open = open.ok_or("this question is not open any more")?;
    let option = open.params.options.iter().find(|option| option.kind == kind);
    let option = option.ok_or_else(|| format!("{}: this answer is not offered", open.params.title))?;
    match open.answer.take().map(|answer| answer.send(option.option_id.clone())) {
        Some(Ok(())) => Ok(()),
        _ => Err("this question is answered already".to_owned()),
    }
}

/// Shows a question in the best way that the client has, and waits for its answer there; for ever where there is none.
async fn show(shared: &Shared, params: PermissionParams) -> Option<String> {
    let client = shared.state().client.clone();
    if client.agent.permission {
        match shared.client.send_request::<PermissionRequest>(params).await {
            Ok(answer) => match answer.outcome {
                PermissionOutcome::Selected { option_id } => Some(option_id),
                PermissionOutcome::Cancelled => None,
            },
            Err(error) => {
                tracing::warn!("the client could not ask: {error}");
                None
            }
        }
    } else if client.asks {
        // Some editors choose the first answer at a mere Enter: it is the one that allows nothing.
        let mut options = params.options.clone();
        options.sort_by_key(|option| option.kind);
        let items = options.iter().map(|option| MessageActionItem {
            title: option.name.clone(),
            properties: Default::default(),
        });
        let message = format!("{}\n{}", params.title, params.description);
        let chosen = shared
            .client
            .show_message_request(MessageType::WARNING, message, Some(items.collect()))
            .await;
        let chosen = chosen.ok().flatten()?;
        options
            .into_iter()
            .find(|option| option.name == chosen.title)
            .map(|option| option.option_id)
    } else {
        let message = format!(
            "skills: {} Answer by a code action.\n{}",
            params.title, params.description
        );
        shared.client.show_message(MessageType::WARNING, message).await;
        std::future::pending().await
    }
}

/// Takes a question back, whatever became of it, and tells wherever it is shown.
struct Withdrawal {
    shared: Arc<Shared>,
    request: String,
    chosen: Option<String>,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state
            .agent
            .questions
            .open
            .retain(|open| open.params.request_id != self.request);
        if !state.client.agent.permission {
            return;
        }
        drop(state);
        let params = PermissionResolvedParams {
            request_id: std::mem::take(&mut self.request),
            option_id: self.chosen.take(),
        };
        let shared = self.shared.clone();
        tokio::spawn(async move { shared.client.send_notification::<PermissionResolved>(params).await });
    }
}
