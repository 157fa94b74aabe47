//! `skills.server.preview`: what a skill would say to the model, shown to the person as a document that follows the
//! skill. Nothing runs.

use std::sync::Arc;

use tower_lsp::ls_types::MessageType;

use crate::printable::{printable, printable_lines};
use crate::protocol::{PreviewAnswer, PreviewQuery};
use crate::requests::preview::preview as of;
use crate::state::Shared;
use crate::state::previews::ShownBy;
use crate::{document, edits, showing};

/// The document's file in the state folder.
const NAME: &str = "preview.md";

/// Shows the preview, a moment later; what is missing is told by a message.
pub fn preview(shared: &Arc<Shared>, query: PreviewQuery) {
    let shared = shared.clone();
    tokio::spawn(async move {
        match of(&shared, query, ShownBy::Document).await {
            Ok(answer) => showing::show_or_tell(&shared, NAME, text(&answer)),
            Err(error) => {
                let message = printable(&format!("skills: {error}"));
                shared.client.show_message(MessageType::WARNING, message).await;
            }
        }
    });
}

/// Writes the document anew after its skill has changed; ends that where the client closed it.
pub async fn follow(shared: &Arc<Shared>, query: PreviewQuery) {
    let Ok(folder) = shared.environment.state_folder().map(document::resolved) else {
        return;
    };
    let path = folder.join(NAME);
    if shared.state().documents.of_path(&path).is_none() {
        return;
    }
    let made = match of(shared, query, ShownBy::Document).await {
        Ok(answer) => edits::rewrite(shared, &path, "skills: preview", &text(&answer)).await,
        Err(error) => return tracing::debug!("{}: {error}", path.display()),
    };
    if let Err(error) = made {
        tracing::debug!("{}: {error}", path.display());
    }
}

fn text(answer: &PreviewAnswer) -> String {
    let mut text = format!("# What {} says\n\n", printable(&answer.name));
    if !answer.missing.is_empty() {
        text += &format!("Missing inputs: {}.\n\n", printable(&answer.missing.join(", ")));
    }
    text + &printable_lines(&answer.text)
}
