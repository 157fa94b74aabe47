//! A prompt that is repeated while its session is open, as the bundled skill `loop` has it.

use std::sync::{Arc, Weak};

use skills_agent::catalog::bundled::Repeat;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::delivery::{Request, deliver};
use crate::protocol::session::Delivery;
use crate::refusal::Refusal;
use crate::state::Shared;
use crate::state::agent::sessions::{Prompt, Schedule};

/// Repeats a prompt from now on, instead of what the session repeated before.
pub fn start(shared: &Arc<Shared>, session: &str, repeat: Repeat) {
    let work = run(Arc::downgrade(shared), session.to_owned(), repeat.clone());
    let task = tokio::spawn(work).abort_handle();
    if let Ok(open) = shared.state().agent.sessions.get_mut(Some(session)) {
        open.schedule = Some(Schedule { repeat, task });
    }
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
            Err(error) => tracing::warn!("{} could not be repeated: {error}", repeat.prompt),
        }
    }
}
