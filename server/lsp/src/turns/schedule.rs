//! A prompt that is repeated while its session is open, as the bundled skill `loop` has it.

use std::sync::{Arc, Weak};

use skills_agent::catalog::bundled::{Repeat, Repeats};
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Prompt;
use super::delivery::{Refusal, Request, deliver};
use crate::protocol::session::Delivery;
use crate::state::{Shared, State};

/// What is repeated in a session; dropped, it ends.
#[derive(Debug)]
pub struct Schedule {
    repeat: Repeat,
    task: AbortHandle,
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a prompt has repeated: that of a bundled skill whose arguments say so.
pub fn wanted(state: &State, prompt: &Prompt) -> Option<Repeat> {
    repeats(state, prompt)?(&prompt.text).ok()
}

/// Repeats a prompt from now on, instead of what the session repeated before.
pub fn start(shared: &Arc<Shared>, session: &str, repeat: Repeat) {
    let work = run(Arc::downgrade(shared), session.to_owned(), repeat.clone());
    let task = tokio::spawn(work).abort_handle();
    if let Ok(open) = shared.state().agent.sessions.get_mut(Some(session)) {
        open.schedule = Some(Schedule { repeat, task });
    }
}

/// Ends what a session repeats where that is what is asked for; gives what the person is told.
pub fn stopped(state: &mut State, session: &str, prompt: &Prompt) -> Option<String> {
    repeats(state, prompt).filter(|_| prompt.text.trim() == "stop")?;
    let open = state.agent.sessions.get_mut(Some(session)).ok()?;
    Some(match open.schedule.take() {
        Some(schedule) => format!(
            "not repeated any more, which it was every {}: {}",
            schedule.repeat.interval, schedule.repeat.prompt
        ),
        None => "nothing is repeated in this session".to_owned(),
    })
}

/// How the arguments of the skill that a prompt runs are read, where it repeats something.
fn repeats(state: &State, prompt: &Prompt) -> Option<Repeats> {
    let [skill] = prompt.skills.as_slice() else {
        return None;
    };
    let skill = super::find_skill(state, skill, prompt.place.uri.as_ref()).ok()?;
    skill.as_bundled()?.repeats
}

/// Says the prompt at each interval. A turn that still runs then is not disturbed: that time is left out.
async fn run(shared: Weak<Shared>, session: String, repeat: Repeat) {
    let mut ticks = interval_at(Instant::now() + repeat.every, repeat.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(shared) = shared.upgrade() else { return };
        let request = Request {
            session: Some(session.clone()),
            prompt: Prompt {
                text: repeat.prompt.clone(),
                ..Prompt::default()
            },
            delivery: Some(Delivery::Reject),
            expected: None,
            is_plain: false,
        };
        match deliver(&shared, request) {
            Ok(_) | Err(Refusal::Busy(_) | Refusal::TurnMismatch(_)) => {}
            Err(Refusal::Other(error)) => tracing::warn!("{} could not be repeated: {error}", repeat.prompt),
        }
    }
}
