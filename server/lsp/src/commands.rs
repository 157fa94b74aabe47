//! `workspace/executeCommand`: the agent for every client. Each command is answered at once; what it starts goes on
//! beside it.

pub mod explain;
mod new_skill;
pub mod preview;
pub mod run;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use skills_agent::changes::Selection;
use skills_agent::event::TurnId;
use tower_lsp::ls_types::{MessageType, Uri};

use crate::authority::{Authority, Caller};
use crate::printable::printable_lines;
use crate::protocol::OptionKind;
use crate::protocol::commands::{
    ANSWER, APPROVE, APPROVE_ALWAYS, ASK, CANCEL, CHANGES, CLEAR, DEQUEUE, EXPLAIN, KEEP, MODELS, NEW_SESSION,
    NEW_SKILL, OPEN_TRANSCRIPT, PREVIEW, PromptPlace, QUEUE, REJECT, RUN, SEND, SESSIONS, STEER, TOGGLE_DELIVERY,
    TRUST, UNDO, UNDO_TURN,
};
use crate::protocol::session::Delivery;
use crate::refusal::Refusal;
use crate::review::{self, Which};
use crate::state::Shared;
use crate::state::agent::sessions::Prompt;
use crate::turns::delivery::{self, Request};
use crate::turns::{self, transcript};

pub use new_skill::command as new_skill_command;

type Handler = fn(&Arc<Shared>, &mut Arguments) -> Result<Value, Refusal>;

/// All commands.
const COMMANDS: &[(&str, Handler)] = &[
    (ASK, |shared, arguments| {
        let text: String = arguments.next("the prompt, a text")?;
        let place = arguments.next_or_default("the place, an object with `uri` and `range`")?;
        if text.trim().is_empty() {
            return Err("the prompt is empty: pass it as the first argument, such as [\"explain this file\"]".into());
        }
        ask_agent(shared, arguments.caller, text, None, place, None)
    }),
    (RUN, |shared, arguments| {
        let skill: String = arguments.next_or_default("the skill's name, a text")?;
        let text = arguments.next_or_default("the skill's arguments, one text")?;
        let place = arguments.next_or_default("the place, an object with `uri` and `range`")?;
        if skill.is_empty() {
            run::offer(shared, arguments.caller, text, place);
            return Ok(Value::Null);
        }
        ask_agent(shared, arguments.caller, text, Some(skill), place, None)
    }),
    (STEER, |shared, arguments| {
        let text = arguments.next("what to say, a text")?;
        ask_agent(
            shared,
            arguments.caller,
            text,
            None,
            PromptPlace::default(),
            Some(Delivery::Steer),
        )
    }),
    (SEND, |shared, arguments| {
        let place: PromptPlace = arguments.next("the transcript, an object with `uri`")?;
        let text = place.uri.as_ref().and_then(|uri| {
            let state = shared.state();
            transcript::prompt(state.documents.get(uri)?.text()).map(ToOwned::to_owned)
        });
        let text = text.ok_or("nothing is written under the last heading \"Prompt\" of this document")?;
        ask_agent(shared, arguments.caller, text, None, PromptPlace::default(), None)
    }),
    (DEQUEUE, |shared, arguments| {
        let turn: String = arguments.next("the turn's identifier, a text")?;
        let removed = delivery::dequeue(shared, None, &TurnId(turn.into()))?;
        Ok(json!({"removed": removed}))
    }),
    (QUEUE, |shared, _| {
        delivery::queue(&shared.state(), None).map(|queue| json!(queue))
    }),
    (TOGGLE_DELIVERY, |shared, arguments| {
        let session: Option<String> = arguments.next_or_default("the session's identifier, a text")?;
        delivery::toggle(shared, session.as_deref()).map(|delivery| json!({"delivery": delivery}))
    }),
    (CLEAR, |shared, _| delivery::clear(shared, None).map(|()| Value::Null)),
    (NEW_SESSION, |shared, _| {
        turns::sessions::new(shared).map(|opened| json!({"sessionId": opened.session_id}))
    }),
    (SESSIONS, |shared, arguments| {
        let session: Option<String> = arguments.next_or_default("the session's identifier, a text")?;
        match session {
            Some(session) => turns::sessions::resume(shared, &session).map(|opened| json!(opened)),
            None => turns::sessions::list(shared).map(|listed| json!(listed)),
        }
    }),
    (CANCEL, |shared, arguments| {
        let session: Option<String> = arguments.next_or_default("the session's identifier, a text")?;
        turns::cancel(shared, session.as_deref()).map(|cancelled| json!({"cancelled": cancelled}))
    }),
    (APPROVE, |shared, arguments| {
        answer_question(shared, arguments, OptionKind::AllowOnce)
    }),
    (APPROVE_ALWAYS, |shared, arguments| {
        answer_question(shared, arguments, OptionKind::AllowAlways)
    }),
    (REJECT, |shared, arguments| {
        answer_question(shared, arguments, OptionKind::RejectOnce)
    }),
    (ANSWER, |shared, arguments| {
        let request: String = arguments.next("the question's identifier, a text")?;
        let option: Option<String> = arguments.next_or_default("the identifier of one of its options, a text")?;
        let text = arguments.next_or_default("what the person wrote, a text")?;
        turns::choose(shared, arguments.caller, &request, option.as_deref(), text).map(|()| Value::Null)
    }),
    (UNDO_TURN, |shared, arguments| {
        let turn: Option<String> = arguments.next_or_default("the turn's identifier, a text")?;
        turns::undo(shared, turn.as_deref()).map(|turn| json!({"turnId": turn}))
    }),
    (KEEP, |shared, arguments| {
        let selection = selection(arguments)?;
        review::keep(shared, &selection).map(|hunks| json!({"hunks": hunks}))
    }),
    (UNDO, |shared, arguments| {
        let selection = selection(arguments)?;
        review::undo(shared, selection).map(|()| Value::Null)
    }),
    (CHANGES, |shared, arguments| {
        let session: Option<String> = arguments.next_or_default("the session's identifier, a text")?;
        review::list(shared, session.as_deref()).map(|listed| json!(listed))
    }),
    (OPEN_TRANSCRIPT, |shared, _| {
        turns::open_transcript(shared).map(|()| Value::Null)
    }),
    (TRUST, |shared, arguments| {
        let folder: String = arguments.next("the folder, a URI or a path")?;
        let trusted = arguments.next("true or false")?;
        turns::trust(shared, arguments.caller, &folder, trusted).map(|()| Value::Null)
    }),
    (EXPLAIN, |shared, arguments| {
        let uri: Uri = arguments.next("the skill's URI, a text")?;
        explain::explain(shared, &uri).map(|()| Value::Null)
    }),
    (PREVIEW, |shared, arguments| {
        let query = arguments.next("the skill, an object with `uri` or `name`")?;
        preview::preview(shared, query);
        Ok(Value::Null)
    }),
    (NEW_SKILL, |shared, arguments| {
        let name: String = arguments.next_or_default("the skill's name, a text")?;
        let folder: Option<String> = arguments.next_or_default("the folder of skills, a URI or a path")?;
        new_skill::new_skill(shared, name.trim(), folder.as_deref())
    }),
    (MODELS, |shared, arguments| {
        let model: Option<String> = arguments.next_or_default("the model's name, a text")?;
        let effort: Option<String> = arguments.next_or_default("the effort, a text")?;
        if model.is_none() && effort.is_none() {
            turns::models::offer(shared);
            return Ok(Value::Null);
        }
        turns::models::choose(shared, None, model, effort).map(|label| json!({"model": label}))
    }),
];

/// The identifiers of all commands: announced once, because some clients know no others.
pub fn ids() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(id, _)| *id)
}

/// Runs a command for who may; an error is for the person, and says what the command takes.
pub fn execute(
    shared: &Arc<Shared>,
    caller: Caller,
    id: &str,
    arguments: Vec<Value>,
) -> Result<Option<Value>, Refusal> {
    let Some((id, command)) = COMMANDS.iter().find(|(name, _)| *name == id) else {
        let known: Vec<_> = ids().collect();
        return Err(format!("{id} is no command of this server; it has {}", known.join(", ")).into());
    };
    caller.authority.may(id)?;
    let mut arguments = Arguments {
        id,
        caller,
        values: arguments.into_iter(),
        taken: 0,
    };
    command(shared, &mut arguments).map(|value| Some(value).filter(|value| !value.is_null()))
}

/// The answer comes at once; what a slash command says is shown too, because few clients show answers.
fn ask_agent(
    shared: &Arc<Shared>,
    caller: Caller,
    text: String,
    skill: Option<String>,
    mut place: PromptPlace,
    delivery: Option<Delivery>,
) -> Result<Value, Refusal> {
    let is_plain = caller.authority < Authority::Person;
    if is_plain && (place.model.is_some() || place.effort.is_some()) {
        return Err("the model and its effort are the person's to choose".into());
    }
    let request = Request {
        is_plain,
        session: place.session_id.take(),
        delivery: delivery.or(place.delivery),
        expected: None,
        prompt: Prompt {
            text,
            skills: skill.into_iter().collect(),
            place,
            ..Prompt::default()
        },
    };
    let answer = delivery::deliver(shared, request)?;
    if let Some(message) = answer.message.clone() {
        let shared = shared.clone();
        tokio::spawn(async move {
            let message = printable_lines(&message);
            shared.client.show_message(MessageType::INFO, message).await;
        });
    }
    Ok(json!(answer))
}

fn answer_question(shared: &Arc<Shared>, arguments: &mut Arguments, kind: OptionKind) -> Result<Value, Refusal> {
    let request: String = arguments.next("the question's identifier, a text")?;
    let text = arguments.next_or_default("what the person wrote beside it, a text")?;
    turns::answer(shared, arguments.caller, &request, kind, text).map(|()| Value::Null)
}

fn selection(arguments: &mut Arguments) -> Result<Selection, Refusal> {
    let which: Which = arguments.next_or_default("a change's number, {\"uri\"}, {\"turnId\"} or nothing")?;
    let hunks = arguments.next_or_default("a list of the hunks' numbers")?;
    which.selection(hunks)
}

/// A command's arguments, taken one after the other.
struct Arguments {
    id: &'static str,
    caller: Caller,
    values: std::vec::IntoIter<Value>,
    taken: usize,
}

impl Arguments {
    fn next<T: for<'de> Deserialize<'de>>(&mut self, expected: &str) -> Result<T, Refusal> {
        let value = self.values.next().unwrap_or_default();
        self.taken += 1;
        let wrong = || format!("{}: argument {} must be {expected}", self.id, self.taken);
        serde_json::from_value(value).map_err(|_| wrong().into())
    }

    /// The same for one that may be left out, or null.
    fn next_or_default<T: for<'de> Deserialize<'de> + Default>(&mut self, expected: &str) -> Result<T, Refusal> {
        Ok(self.next::<Option<T>>(expected)?.unwrap_or_default())
    }
}
