//! Questions to the person: one at a time, on whatever the client can show, answered by whichever comes first.
//!
//! A question that is dismissed, late, withdrawn or not understood is not approved.

use std::sync::Arc;
use std::time::Duration;

use skills_agent::event::random_id;
use skills_agent::host::{Answer, ChoiceKind, Question};
use tokio::sync::oneshot;
use tower_lsp::ls_types::{MessageActionItem, MessageType};

use crate::authority::{Authority, Caller};
use crate::printable::{MESSAGE, WINDOW, decided_by, decided_by_line, printable};
use crate::protocol::{
    OptionKind, PermissionAnswer, PermissionOption, PermissionOutcome, PermissionParams, PermissionRequest,
    PermissionResolved, PermissionResolvedParams,
};
use crate::refusal::Refusal;
use crate::state::Shared;
use crate::state::agent::questions::{Audience, Given, OpenQuestion};
use crate::to_proto;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The most characters of a question's title.
const MAX_TITLE: usize = 200;
/// The most characters of an answer: it may name rules, which are cut nowhere.
const MAX_LABEL: usize = 500;

/// The answer of a message that leads to a text of the person's own.
const IN_OWN_WORDS: &str = "Answer in my own words…";

/// Asks and waits; dropped, the question is withdrawn.
pub async fn ask(shared: &Arc<Shared>, session: &str, question: Question) -> Answer {
    pose(shared, session, question, Audience::All).await
}

/// The same in terminals that are attached, while the editor shows what it is about in its own way.
pub async fn ask_terminals(shared: &Arc<Shared>, session: &str, question: Question) -> Answer {
    pose(shared, session, question, Audience::Terminals).await
}

async fn pose(shared: &Arc<Shared>, session: &str, question: Question, audience: Audience) -> Answer {
    let asking = shared.state().agent.questions.asking.clone();
    let _turn_to_ask = asking.lock().await;
    let params = PermissionParams {
        session_id: session.to_owned(),
        request_id: random_id(),
        title: decided_by_line(&question.title, MAX_TITLE),
        description: decided_by(&question.detail, WINDOW),
        options: question
            .choices
            .iter()
            .map(|choice| PermissionOption {
                option_id: choice.id.to_owned(),
                name: decided_by_line(&choice.label, MAX_LABEL),
                kind: to_proto::option_kind(choice.kind),
            })
            .collect(),
        rules: Some(printable(&question.rules)).filter(|rules| !rules.is_empty()),
        takes_text: question.takes_text,
    };
    let (sender, receiver) = oneshot::channel();
    {
        let agent = &mut shared.state().agent;
        agent.questions.open.push(OpenQuestion {
            params: params.clone(),
            audience,
            answer: Some(sender),
        });
        agent.told.send_replace(());
    }
    let mut open = Withdrawal {
        shared: shared.clone(),
        request: params.request_id.clone(),
        audience,
        chosen: None,
    };
    // Where no terminal can attach either, nobody is there to ask.
    let nobody_answers = shared.state().agent.authority() < Authority::Person;
    let in_editor = async {
        match audience {
            Audience::All if nobody_answers => unasked(shared, &params).await,
            Audience::All => show(shared, params, decided_by(&question.detail, MESSAGE)).await,
            Audience::Terminals => std::future::pending().await,
        }
    };
    let by_command = async { receiver.await.ok() };
    let chosen = tokio::select! {
        chosen = in_editor => chosen,
        chosen = by_command => chosen,
        () = tokio::time::sleep(PATIENCE) => None,
    };
    let from_terminal = chosen.as_ref().is_some_and(|given| given.from_terminal);
    let answer = chosen.map_or(Answer::Dismissed, |given| understood(&question, given));
    if from_terminal || shared.state().agent.is_remote() {
        told(shared, &question, &answer);
    }
    open.chosen = match &answer {
        Answer::Chosen(id) | Answer::Replied { id, .. } => Some((*id).to_owned()),
        Answer::Dismissed => None,
    };
    answer
}

/// What is allowed from elsewhere never is in silence: the person in the editor sees what will last, and the log has the
/// rest.
fn told(shared: &Arc<Shared>, question: &Question, answer: &Answer) {
    let (id, text) = match answer {
        Answer::Chosen(id) => (id, None),
        Answer::Replied { id, text } => (id, Some(text)),
        Answer::Dismissed => return,
    };
    let Some(choice) = question.choices.iter().find(|choice| choice.id == *id) else {
        return;
    };
    let lasts = match choice.kind {
        ChoiceKind::AllowAlways => true,
        ChoiceKind::AllowOnce => false,
        ChoiceKind::RejectOnce | ChoiceKind::RejectAlways => return,
    };
    let text = text.map(|text| format!(" as {text}")).unwrap_or_default();
    from_elsewhere(shared, lasts, &format!("{}{text} ({})", choice.label, question.title));
}

/// Tells what was done from a terminal, or by an address, in the person's name.
pub(super) fn from_elsewhere(shared: &Arc<Shared>, lasts: bool, what: &str) {
    if shared.state().agent.is_remote() {
        // Its client did it: whoever runs the server sees it.
        let what = printable(what);
        tracing::warn!("answered by an address: {what}");
        return;
    }
    let message = printable(&format!("skills: answered in a terminal: {what}"));
    let shared = shared.clone();
    tokio::spawn(async move {
        match lasts {
            true => shared.client.show_message(MessageType::WARNING, message).await,
            false => shared.client.log_message(MessageType::INFO, message).await,
        }
    });
}

/// Closes a question that nobody can answer, and says so.
async fn unasked(shared: &Shared, params: &PermissionParams) -> Option<Given> {
    let message = printable(&format!(
        "skills: not allowed with the token for tools: {}",
        params.title
    ));
    shared.client.show_message(MessageType::WARNING, message).await;
    None
}

/// The answer, if it was offered. A text of nothing is none.
fn understood(question: &Question, given: Given) -> Answer {
    let text = given.text.filter(|text| !text.trim().is_empty());
    if question.takes_text && given.option == Question::FREE_TEXT {
        let id = Question::FREE_TEXT;
        return text.map_or(Answer::Dismissed, |text| Answer::Replied { id, text });
    }
    match (question.choices.iter().find(|choice| choice.id == given.option), text) {
        (None, _) => Answer::Dismissed,
        (Some(choice), None) => Answer::Chosen(choice.id),
        (Some(choice), Some(text)) => Answer::Replied { id: choice.id, text },
    }
}

/// Answers an open question by what the answer means; `text` is what the person wrote beside it. Of several scopes of an
/// `allow_always` the first one is meant, which lasts shortest.
pub fn answer(
    shared: &Shared,
    caller: Caller,
    request: &str,
    kind: OptionKind,
    text: Option<String>,
) -> Result<(), Refusal> {
    reply(shared, caller, request, text, |params| {
        let mut options = params.options.iter().filter(|option| option.kind == kind);
        let option = options
            .next()
            .ok_or_else(|| format!("{}: this answer is not offered", params.title))?;
        if kind == OptionKind::AllowOnce && options.next().is_some() {
            return Err(format!(
                "{}: several answers are offered; choose one with skills.server.answer",
                params.description
            )
            .into());
        }
        Ok(option.option_id.clone())
    })
}

/// Answers an open question with one of its options, or with `text` where it takes the person's own words. Without an
/// option the question is closed, which allows nothing.
pub fn choose(
    shared: &Shared,
    caller: Caller,
    request: &str,
    option: Option<&str>,
    text: Option<String>,
) -> Result<(), Refusal> {
    reply(shared, caller, request, text, |params| {
        let Some(option) = option else {
            return Ok(String::new());
        };
        let is_offered = params.options.iter().any(|offered| offered.option_id == option);
        if is_offered || params.takes_text && option == Question::FREE_TEXT {
            return Ok(option.to_owned());
        }
        let offered = params.options.iter().map(|offered| offered.option_id.as_str());
        let offered: Vec<_> = offered
            .chain(params.takes_text.then_some(Question::FREE_TEXT))
            .collect();
        Err(format!(
            "{option} is no answer of this question; it takes {}",
            offered.join(", ")
        )
        .into())
    })
}

fn reply(
    shared: &Shared,
    caller: Caller,
    request: &str,
    text: Option<String>,
    option: impl FnOnce(&PermissionParams) -> Result<String, Refusal>,
) -> Result<(), Refusal> {
    let mut state = shared.state();
    let open = state
        .agent
        .questions
        .open
        .iter_mut()
        .find(|open| open.params.request_id == request);
    let open = open.ok_or("this question is not open any more")?;
    let given = Given {
        option: option(&open.params)?,
        text,
        from_terminal: caller.is_terminal,
    };
    match open.answer.take().map(|answer| answer.send(given)) {
        Some(Ok(())) => Ok(()),
        _ => Err("this question is answered already".into()),
    }
}

/// Shows a question in the best way that the client has, and waits for its answer there; for ever where there is none.
/// `brief` is what it is about where that can't be scrolled.
async fn show(shared: &Shared, params: PermissionParams, brief: String) -> Option<Given> {
    let client = shared.state().client.clone();
    if client.agent.permission {
        match shared.client.send_request::<PermissionRequest>(params).await {
            Ok(PermissionAnswer { outcome, message }) => match outcome {
                PermissionOutcome::Selected { option_id } => Some(Given {
                    option: option_id,
                    text: message,
                    from_terminal: false,
                }),
                PermissionOutcome::Cancelled => None,
            },
            Err(error) => {
                tracing::warn!("the client could not ask: {error}");
                None
            }
        }
    } else if client.asks && !params.options.is_empty() {
        // Some editors choose the first answer at a mere Enter: it is the one that allows nothing.
        let mut options = params.options.clone();
        options.sort_by_key(|option| option.kind);
        let item = |title: &str| MessageActionItem {
            title: title.to_owned(),
            properties: Default::default(),
        };
        let own_words = params.takes_text.then(|| item(IN_OWN_WORDS));
        let items = options.iter().map(|option| item(&option.name)).chain(own_words);
        let message = format!("{}\n{brief}", params.title);
        let chosen = shared
            .client
            .show_message_request(MessageType::WARNING, message, Some(items.collect()))
            .await;
        let chosen = chosen.ok().flatten()?;
        if params.takes_text && chosen.title == IN_OWN_WORDS {
            return by_command(shared, &params, &brief).await;
        }
        let option = options.into_iter().find(|option| option.name == chosen.title)?;
        Some(Given {
            option: option.option_id,
            text: None,
            from_terminal: false,
        })
    } else {
        by_command(shared, &params, &brief).await
    }
}

/// Says how a question is answered that the client can't ask, and waits for ever: the command answers it.
async fn by_command(shared: &Shared, params: &PermissionParams, brief: &str) -> Option<Given> {
    let PermissionParams { title, request_id, .. } = params;
    let how = match params.takes_text {
        false => "Answer by a code action.".to_owned(),
        true => format!("Answer by the command skills.server.answer with [\"{request_id}\", \"text\", \"…\"]."),
    };
    let message = format!("skills: {title} {how}\n{brief}");
    shared.client.show_message(MessageType::WARNING, message).await;
    std::future::pending().await
}

/// Takes a question back, whatever happened to it, and tells wherever it is shown.
struct Withdrawal {
    shared: Arc<Shared>,
    request: String,
    audience: Audience,
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
        state.agent.told.send_replace(());
        if !state.client.agent.permission || self.audience == Audience::Terminals {
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
