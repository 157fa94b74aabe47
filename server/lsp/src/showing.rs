//! Texts of the server, shown as documents where the editor opens one for a server.

use tower_lsp::ls_types::{ShowDocumentParams, Uri};

use crate::document;
use crate::environment::create_private;
use crate::state::Shared;

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
