//! `skills.server.run` without a name: the person chooses the skill.

use std::cmp::Reverse;
use std::sync::Arc;

use tower_lsp::ls_types::MessageType;

use super::ask_agent;
use crate::authority::Caller;
use crate::printable::printable;
use crate::protocol::commands::PromptPlace;
use crate::refusal::Refusal;
use crate::showing::{self, Choice};
use crate::state::Shared;
use crate::state::skills::runnable;

/// How many skills are offered: more are no choice any more.
const OFFERED: usize = 20;

/// Runs the skill that the person chooses among those of the catalog, the most used first.
pub fn offer(shared: &Arc<Shared>, caller: Caller, text: String, place: PromptPlace) {
    let shared = shared.clone();
    tokio::spawn(async move {
        let names = names(&shared).await;
        let shown: Vec<String> = names.iter().take(OFFERED).map(|name| printable(name)).collect();
        let more = match names.len() - shown.len() {
            0 => String::new(),
            count => format!(" (the {OFFERED} that you use most; {count} more run by their names)"),
        };
        let message = match showing::choose(&shared, format!("Which skill is the agent to run?{more}"), &shown).await {
            Choice::Of(at) => ask_agent(&shared, caller, text, Some(names[at].clone()), place, None).err(),
            Choice::None => None,
            Choice::CannotAsk => Some(Refusal::Other(format!(
                "which skill? Pass its name: skills.server.run [\"NAME\"]. There are {}{more}",
                shown.join(", ")
            ))),
        };
        if let Some(message) = message {
            let message = printable(&format!("skills: {message}"));
            shared.client.show_message(MessageType::WARNING, message).await;
        }
    });
}

/// The names of the skills that can be run, the most used first.
async fn names(shared: &Arc<Shared>) -> Vec<String> {
    let (catalog, usage) = (shared.state().catalog.clone(), shared.environment.usage());
    let read = tokio::task::spawn_blocking(move || usage.map(|usage| usage.read()).unwrap_or_default()).await;
    let uses = read.unwrap_or_default();
    let mut names: Vec<String> = runnable(&catalog).map(|skill| skill.name.clone()).collect();
    names.sort_by_cached_key(|name| Reverse(uses.get(name).map(|used| (used.count, used.last))));
    names
}
