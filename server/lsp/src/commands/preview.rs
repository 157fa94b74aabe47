//! `skills.server.preview`: what a skill would say to the model, shown to the person. Nothing runs.

use std::sync::Arc;

use tower_lsp::ls_types::MessageType;

use crate::printable::{printable, printable_lines};
use crate::protocol::{PreviewAnswer, PreviewQuery};
use crate::requests::preview::preview as of;
use crate::showing;
use crate::state::Shared;

/// Shows the preview, a moment later; what is missing is told by a message.
pub fn preview(shared: &Arc<Shared>, query: PreviewQuery) {
    let shared = shared.clone();
    tokio::spawn(async move {
        match of(&shared, query).await {
            Ok(answer) => showing::show_or_tell(&shared, "preview.md", text(&answer)),
            Err(error) => {
                let message = printable(&format!("skills: {error}"));
                shared.client.show_message(MessageType::WARNING, message).await;
            }
        }
    });
}

fn text(answer: &PreviewAnswer) -> String {
    let mut text = format!("# What {} says\n\n", printable(&answer.name));
    if !answer.missing.is_empty() {
        text += &format!("Missing inputs: {}.\n\n", printable(&answer.missing.join(", ")));
    }
    text + &printable_lines(&answer.text)
}
