//! What happens to input: it starts a turn, steers the running one, waits for its end, or is a command of the program.

use std::sync::Arc;

use skills_agent::conversation::entry::Entry;
use skills_agent::event::{Outcome, TurnId};
use skills_agent::process::jobs::Jobs;
use skills_agent::session::input::{self, Input, SlashCommand};
use tower_lsp::ls_types::MessageType;

use super::{models, sessions};
use crate::printable::printable_lines;
use crate::protocol::session::{Accepted, Delivery, PromptAnswer};
use crate::protocol::update::{FollowUp, Queue, Update};
use crate::refusal::Refusal;
use crate::state::agent::repeats;
use crate::state::agent::sessions::{FOLLOW_UP, Prompt, dropped};
use crate::state::{Shared, State, skills};

/// Input for a session.
#[derive(Debug, Default)]
pub struct Request {
    /// The session; the current one without.
    pub session: Option<String>,
    /// What was typed, and where.
    pub prompt: Prompt,
    /// What happens to it while a turn runs; the session's own way without.
    pub delivery: Option<Delivery>,
    /// The turn that is expected to run: with another one the input is refused.
    pub expected: Option<TurnId>,
    /// Whether a slash is a letter like others: what a tool says is never a command of the person's.
    pub is_plain: bool,
}

const STEERING: &str = "steering";

/// Takes input and returns at once.
pub fn deliver(shared: &Arc<Shared>, request: Request) -> Result<PromptAnswer, Refusal> {
    let Request {
        session,
        mut prompt,
        delivery,
        expected,
        is_plain,
    } = request;
    let (session, running, delivery) = {
        let state = shared.state();
        let open = state.agent.sessions.get(session.as_deref())?;
        if open.knows(&prompt.id) {
            return Err(Refusal::Other(format!(
                "there is a turn {} already: every turnId is used once",
                prompt.id
            )));
        }
        if prompt.place.uri.is_none()
            && let Some(focus) = &state.focus
        {
            prompt.place.uri = Some(focus.uri.clone());
            prompt.place.range = focus.selection;
        }
        (
            open.session.clone(),
            open.session.running(),
            delivery.unwrap_or(open.delivery),
        )
    };
    if expected.is_some() && expected != running {
        return Err(Refusal::TurnMismatch(running));
    }
    if prompt.skills.is_empty() && !is_plain {
        match Input::of(&prompt.text) {
            Input::Text(text) => prompt.text = text,
            Input::Skill { name, arguments } => {
                let state = shared.state();
                let first = skills::find(&state, &name, prompt.place.uri.as_ref())
                    .map_err(|error| format!("{error}; //{name} sends it as text"))?;
                let is_stacked = |name: &str| {
                    let skill = skills::find(&state, name, prompt.place.uri.as_ref());
                    skill.is_ok_and(|skill| !skill.metadata.forks)
                };
                let repeats = first.as_bundled().is_some_and(|bundled| bundled.repeats.is_some());
                (prompt.skills, prompt.text) = match first.metadata.forks || repeats {
                    true => (vec![name], arguments),
                    false => input::stacked(name, &arguments, is_stacked),
                };
            }
            Input::Command(command, arguments) => {
                if running.is_some()
                    && let Some(reason) = command.refused_while_running()
                {
                    return Err(Refusal::Busy(reason));
                }
                return Ok(PromptAnswer {
                    turn_id: None,
                    accepted: Accepted::Done,
                    message: run_command(shared, &session.id, command, &arguments)?,
                });
            }
        }
    }
    if let Some(message) = repeats::stopped(&mut shared.state(), &session.id, &prompt) {
        return Ok(PromptAnswer {
            turn_id: None,
            accepted: Accepted::Done,
            message: Some(message),
        });
    }
    let Some(running) = running else {
        let turn = super::start(shared, &session.id, prompt)?;
        return Ok(accepted(turn, Accepted::Started));
    };
    match delivery {
        Delivery::Reject => Err(Refusal::Busy(format!("turn {running} is still running"))),
        // A skill has its own place and model: it can only be a turn.
        Delivery::Steer if prompt.skills.is_empty() && session.steer(&prompt.text).is_some() => {
            audit(shared, &session.id, &running, STEERING, &prompt.text);
            Ok(accepted(running, Accepted::Steered))
        }
        Delivery::Steer | Delivery::Queue => {
            let turn = prompt.id.clone();
            let names = prompt.skills.iter().map(|skill| format!("/{skill} "));
            let typed = names.collect::<String>() + &prompt.text;
            let mut state = shared.state();
            state
                .agent
                .sessions
                .get_mut(Some(&session.id))?
                .follow_ups
                .push_back(prompt);
            drop(state);
            audit(shared, &session.id, &turn, FOLLOW_UP, &typed);
            // The turn may have ended since it was looked at.
            if session.running().is_none() {
                next(shared, &session.id);
            }
            Ok(accepted(turn, Accepted::Queued))
        }
    }
}

/// Goes on after a turn: what came too late for it becomes the next turn, and after a good end what waits starts.
pub fn ended(shared: &Arc<Shared>, session: &str, outcome: &Outcome, late: Vec<String>) {
    {
        let mut state = shared.state();
        let Ok(open) = state.agent.sessions.get_mut(Some(session)) else {
            return;
        };
        for text in late.into_iter().rev().filter(|_| *outcome != Outcome::Cancelled) {
            open.follow_ups.push_front(Prompt {
                text,
                ..Prompt::default()
            });
        }
    }
    if *outcome == Outcome::Finished {
        next(shared, session);
    }
}

/// Takes a follow-up out of the queue; tells whether it was there.
pub fn dequeue(shared: &Arc<Shared>, session: Option<&str>, turn: &TurnId) -> Result<bool, Refusal> {
    let mut state = shared.state();
    let open = state.agent.sessions.get_mut(session)?;
    let before = open.follow_ups.len();
    open.follow_ups.retain(|prompt| prompt.id != *turn);
    let removed = open.follow_ups.len() < before;
    let id = open.session.id.clone();
    if removed {
        open.session.audit(dropped(turn));
    }
    drop(state);
    if removed {
        tell_queue(shared, &id);
    }
    Ok(removed)
}

/// Begins the conversation anew and drops what waits; refused while a turn runs.
pub fn clear(shared: &Arc<Shared>, session: Option<&str>) -> Result<(), Refusal> {
    let id = {
        let mut state = shared.state();
        let open = state.agent.sessions.get_mut(session)?;
        open.session.clear()?;
        open.drop_follow_ups();
        open.session.id.clone()
    };
    tell_queue(shared, &id);
    Ok(())
}

/// Switches what happens to input while a turn runs, between steering and follow-up; gives what it is then.
pub fn toggle(shared: &Arc<Shared>, session: Option<&str>) -> Result<Delivery, Refusal> {
    let (id, delivery) = {
        let mut state = shared.state();
        let open = state.agent.sessions.get_mut(session)?;
        open.delivery = match open.delivery {
            Delivery::Steer => Delivery::Queue,
            Delivery::Queue | Delivery::Reject => Delivery::Steer,
        };
        (open.session.id.clone(), open.delivery)
    };
    tell_queue(shared, &id);
    Ok(delivery)
}

/// What waits in a session: what is said into the turn, the follow-ups, and where input goes.
pub fn queue(state: &State, session: Option<&str>) -> Result<Queue, Refusal> {
    let open = state.agent.sessions.get(session)?;
    let follow_ups = open.follow_ups.iter().map(|prompt| FollowUp {
        turn_id: prompt.id.to_string(),
        text: prompt.text.clone(),
        skill: prompt.skills.first().cloned(),
    });
    Ok(Queue {
        steering: open.session.steering(),
        follow_ups: follow_ups.collect(),
        delivery: open.delivery,
    })
}

/// Starts what waits longest. One that can't start is told, and the next one is tried.
fn next(shared: &Arc<Shared>, session: &str) {
    loop {
        let prompt = {
            let mut state = shared.state();
            let Ok(open) = state.agent.sessions.get_mut(Some(session)) else {
                return;
            };
            if open.session.running().is_some() {
                return;
            }
            open.follow_ups.pop_front()
        };
        let Some(prompt) = prompt else { return };
        let started = super::start(shared, session, prompt);
        tell_queue(shared, session);
        match started {
            Ok(_) => return,
            Err(error) => warn(shared, error),
        }
    }
}

fn accepted(turn: TurnId, accepted: Accepted) -> PromptAnswer {
    PromptAnswer {
        turn_id: Some(turn.to_string()),
        accepted,
        message: None,
    }
}

fn audit(shared: &Arc<Shared>, session: &str, turn: &TurnId, kind: &str, text: &str) {
    let problem = shared.state().agent.sessions.get(Some(session)).ok().and_then(|open| {
        open.session.audit(Entry::Queued {
            turn: turn.to_string(),
            kind: kind.to_owned(),
            text: text.to_owned(),
        });
        open.session.take_problem()
    });
    if let Some(problem) = problem {
        warn(
            shared,
            format!("failed to record queued {kind} in session audit log: {problem}").into(),
        );
    }
    tell_queue(shared, session);
}

fn warn(shared: &Arc<Shared>, refusal: Refusal) {
    let shared = shared.clone();
    tokio::spawn(async move {
        let message = printable_lines(&format!("skills: {refusal}"));
        shared.client.show_message(MessageType::WARNING, message).await;
    });
}

/// Tells clients what waits.
fn tell_queue(shared: &Arc<Shared>, session: &str) {
    let queue = queue(&shared.state(), Some(session));
    if let Ok(queue) = queue {
        sessions::tell(shared, session, Update::Queue(queue));
    }
}

/// The commands in the background, or stops one (`cancel NUMBER`) or all of them (`cancel`).
fn background(jobs: &Jobs, arguments: &str) -> Result<String, Refusal> {
    let words: Vec<_> = arguments.split_whitespace().collect();
    let stopped = match *words.as_slice() {
        [] => {
            let lines: Vec<_> = jobs.list().iter().map(ToString::to_string).collect();
            let nothing = "nothing runs in the background".to_owned();
            return Ok(if lines.is_empty() { nothing } else { lines.join("\n") });
        }
        ["cancel"] => Some(jobs.cancel(None)),
        ["cancel", number] => number.parse().ok().map(|number| jobs.cancel(Some(number))),
        _ => None,
    };
    let stopped = stopped.ok_or("write /bg, /bg cancel, or /bg cancel NUMBER with a number of the list")?;
    Ok(format!("stopped in the background: {stopped}"))
}

/// Runs a command of the program; gives what it has to say.
fn run_command(
    shared: &Arc<Shared>,
    session: &str,
    command: SlashCommand,
    arguments: &str,
) -> Result<Option<String>, Refusal> {
    Ok(Some(match command {
        SlashCommand::Help => input::help(),
        SlashCommand::Background => {
            let state = shared.state();
            background(&state.agent.sessions.get(Some(session))?.jobs, arguments)?
        }
        SlashCommand::Quit => {
            let mut state = shared.state();
            state.agent.sessions.close(session)?;
            state.agent.told.send_replace(());
            "the session is closed".to_owned()
        }
        SlashCommand::Clear => {
            clear(shared, Some(session))?;
            "the conversation begins anew".to_owned()
        }
        SlashCommand::Model => {
            let mut words = arguments.split_whitespace().map(str::to_owned);
            match (words.next(), words.next()) {
                (None, _) => {
                    models::offer(shared);
                    return Ok(None);
                }
                (model, effort) => models::choose(shared, Some(session), model, effort)?,
            }
        }
        SlashCommand::Skills => {
            let state = shared.state();
            let loaded = state.catalog.skills.iter().filter(|skill| skill.errors.is_empty());
            let line = |skill: &Arc<skills_agent::catalog::Skill>| {
                let description = skill.description.as_deref().unwrap_or_default();
                let first = description.lines().next().unwrap_or_default();
                format!("/{}: {first}\n", skill.name)
            };
            loaded.map(line).collect()
        }
    }))
}
