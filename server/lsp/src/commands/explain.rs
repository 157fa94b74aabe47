//! `skills.server.explain`: who loads a skill, as a document that any editor shows. It follows the skill while both are
//! open.

use std::sync::Arc;

use tower_lsp::ls_types::Uri;

use crate::refusal::Refusal;
use crate::requests::readers::markdown;
use crate::state::Shared;
use crate::{document, edits, showing};

/// The document's file in the state folder.
const NAME: &str = "who-loads-this-skill.md";

/// Shows who loads an open skill, and which open files activate it: as a document where the client opens one for a
/// server, else as a message. The error says what is missing.
pub fn explain(shared: &Arc<Shared>, uri: &Uri) -> Result<(), Refusal> {
    let mut state = shared.state();
    let markdown = markdown(&state.snapshot(Some(uri)));
    let markdown = markdown.ok_or_else(|| Refusal::NoSkill(uri.as_str().to_owned()))?;
    state.explained = Some(uri.clone());
    drop(state);
    showing::show_or_tell(shared, NAME, markdown);
    Ok(())
}

/// Writes the document anew after its skill has changed; ends that where the client closed it.
pub async fn follow(shared: &Arc<Shared>, uri: &Uri) {
    let Ok(folder) = shared.environment.state_folder().map(document::resolved) else {
        return;
    };
    let path = folder.join(NAME);
    let markdown = {
        let mut state = shared.state();
        if state.documents.of_path(&path).is_none() {
            state.explained = None;
        }
        let snapshot = state.snapshot(Some(uri));
        state.explained.as_ref().and_then(|_| markdown(&snapshot))
    };
    let Some(markdown) = markdown else { return };
    if let Err(error) = edits::rewrite(shared, &path, "skills: who loads this skill", &markdown).await {
        tracing::debug!("{}: {error}", path.display());
    }
}
