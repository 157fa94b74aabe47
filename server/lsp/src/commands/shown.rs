//! A text for the person, as a document that any editor shows.

use std::sync::Arc;

use tower_lsp::ls_types::{MessageType, ShowDocumentParams, Uri};

use crate::document;
use crate::environment::create_private;
use crate::state::Shared;

/// Shows a text: as a document of this name where the client opens one for a server, else as a message. An error says
/// that there is no folder to keep it in.
pub fn show(shared: &Arc<Shared>, name: &'static str, text: String) -> Result<(), String> {
    let shows_documents = shared.state().client.shows_documents;
    let shared = shared.clone();
    if !shows_documents {
        tokio::spawn(async move { shared.client.show_message(MessageType::INFO, text).await });
        return Ok(());
    }
    let folder = document::resolved(shared.environment.state_folder()?);
    tokio::spawn(async move {
        let path = folder.join(name);
        let written = create_private(&folder).and_then(|()| std::fs::write(&path, &text));
        let uri = Uri::from_file_path(&path).filter(|_| written.is_ok());
        let shown = match uri {
            Some(uri) => {
                let params = ShowDocumentParams {
                    uri,
                    external: None,
                    take_focus: Some(false),
                    selection: None,
                };
                shared.client.show_document(params).await.unwrap_or_default()
            }
            None => false,
        };
        if !shown {
            shared.client.show_message(MessageType::INFO, text).await;
        }
    });
    Ok(())
}
