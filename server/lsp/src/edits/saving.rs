//! What a command would not see: open files whose text is not on the disk.

use std::path::PathBuf;
use std::time::Duration;

use skills_agent::changes::same_text;
use tower_lsp::ls_types::Uri;

use crate::document::{Document, resolved};
use crate::protocol::{SaveParams, WorkspaceSave};
use crate::state::Shared;

/// How long an editor may take to save.
const PATIENCE: Duration = Duration::from_secs(20);

/// Has the editor save the open files of the workspace whose text is not on the disk, where it offers that; gives those
/// that a command still would not see as they are, sorted.
pub async fn save_all(shared: &Shared) -> Vec<PathBuf> {
    let unsaved = unsaved(shared).await;
    if unsaved.is_empty() || !shared.state().client.agent.save {
        return paths(unsaved);
    }
    // Where a link came into the path since it was opened the editor would write another file.
    let is_its_own = |document: &Document| document.path.as_deref().is_some_and(|path| resolved(path) == path);
    let unsaved = unsaved.into_iter().filter(is_its_own);
    let uris = unsaved.map(|document| document.uri).collect();
    for problem in save(shared, uris).await {
        tracing::warn!("an open file was not saved: {problem}");
    }
    // What is on the disk counts, not what was answered.
    paths(self::unsaved(shared).await)
}

/// Asks the editor to save documents; gives the reasons for those that it could not save.
pub(super) async fn save(shared: &Shared, uris: Vec<Uri>) -> Vec<String> {
    let asking = shared.client.send_request::<WorkspaceSave>(SaveParams { uris });
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(answer)) => answer.failed.into_iter().map(|failed| failed.message).collect(),
        Ok(Err(error)) => vec![error.message.into_owned()],
        Err(_) => vec!["the editor did not say that it saved the file".to_owned()],
    }
}

/// The open documents of the workspace that differ from the disk.
async fn unsaved(shared: &Shared) -> Vec<Document> {
    let documents: Vec<Document> = {
        let state = shared.state();
        let folders = state.folder_paths();
        let is_inside = |document: &&Document| {
            let path = document.path.as_deref();
            path.is_some_and(|path| folders.iter().any(|folder| path.starts_with(folder)))
        };
        state.documents.iter().filter(is_inside).cloned().collect()
    };
    let compared = tokio::task::spawn_blocking(move || documents.into_iter().filter(differs).collect());
    compared.await.unwrap_or_else(|error| {
        tracing::error!("comparing the open files with the disk failed: {error}");
        Vec::new()
    })
}

fn differs(document: &Document) -> bool {
    // A pipe that a command put in its place would be waited for.
    let file = document.path.as_deref().filter(|path| path.is_file());
    match file.map(std::fs::read_to_string) {
        Some(Ok(saved)) => !same_text(&saved, document.text()),
        // An empty buffer of a file that is not there is how a new file begins.
        _ => !document.text().is_empty(),
    }
}

fn paths(documents: Vec<Document>) -> Vec<PathBuf> {
    let mut paths: Vec<_> = documents.into_iter().filter_map(|document| document.path).collect();
    paths.sort();
    paths.dedup();
    paths
}
