//! Texts of the server, shown as documents where the editor opens one for a server, and what a person chooses among.

use std::sync::Arc;

use tower_lsp::ls_types::{MessageActionItem, MessageType, ShowDocumentParams, Uri};

use crate::document;
use crate::environment::create_private;
use crate::state::Shared;

/// What happened to a question with several answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The person chose the title at this place.
    Of(usize),
    /// The person chose none, or there is none.
    None,
    /// The client shows no questions.
    CannotAsk,
}

/// Lets the person choose one of these titles.
pub async fn choose(shared: &Shared, message: String, titles: &[String]) -> Choice {
    if !shared.state().client.asks {
        return Choice::CannotAsk;
    }
    let item = |title: &String| MessageActionItem {
        title: title.clone(),
        properties: Default::default(),
    };
    let items = titles.iter().map(item).collect();
    let client = &shared.client;
    let asked = client
        .show_message_request(MessageType::INFO, message, Some(items))
        .await;
    let chosen = asked.ok().flatten();
    let at = chosen.and_then(|item| titles.iter().position(|title| *title == item.title));
    at.map_or(Choice::None, Choice::Of)
}

/// Shows a text beside the work, else as a message. Returns at once.
pub fn show_or_tell(shared: &Arc<Shared>, name: &'static str, text: String) {
    let shared = shared.clone();
    tokio::spawn(async move {
        if !show(&shared, name, &text).await {
            shared.client.show_message(MessageType::INFO, text).await;
        }
    });
}

/// Shows a text beside the work as a file of this name in the state folder; tells whether the editor did.
pub async fn show(shared: &Shared, name: &str, text: &str) -> bool {
    if !shared.state().client.shows_documents {
        return false;
    }
    let Ok(folder) = shared.environment.state_folder().map(document::resolved) else {
        return false;
    };
    let path = folder.join(name);
    let written = create_private(&folder).and_then(|()| std::fs::write(&path, text));
    if let Err(error) = &written {
        tracing::warn!("{}: {error}", path.display());
    }
    let Some(uri) = Uri::from_file_path(&path).filter(|_| written.is_ok()) else {
        return false;
    };
    let params = ShowDocumentParams {
        uri,
        external: None,
        take_focus: Some(false),
        selection: None,
    };
    shared.client.show_document(params).await.unwrap_or_default()
}
