//! What sessions repeat, as prompts ask for it.

use skills_agent::catalog::bundled::{Repeat, Repeats};

use super::sessions::Prompt;
use crate::state::{State, skills};

/// What a prompt has repeated: that of a bundled skill whose arguments say so.
pub fn wanted(state: &State, prompt: &Prompt) -> Option<Repeat> {
    repeats(state, prompt)?(&prompt.text).ok()
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
    let skill = skills::find(state, skill, prompt.place.uri.as_ref()).ok()?;
    skill.as_bundled()?.repeats
}
