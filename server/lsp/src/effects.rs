//! What follows from changes of state: messages to the client, and work in the background.

use std::sync::Arc;

use tower_lsp::ls_types::{MessageType, Registration, Uri};

use crate::analysis::Analysis;
use crate::state::{Effect, Effects, Shared};
use crate::{discovery, protocol};

/// Does what follows from a change. Messages are queued in this order at the first poll, before anything is waited for.
pub async fn perform(shared: &Arc<Shared>, effects: Effects) {
    for effect in effects {
        match effect {
            Effect::Publish(params) => {
                shared
                    .client
                    .publish_diagnostics(params.uri, params.diagnostics, params.version)
                    .await;
            }
            Effect::Active(params) => shared.client.send_notification::<protocol::Active>(params).await,
            Effect::Warn(message) => shared.client.show_message(MessageType::WARNING, message).await,
            Effect::Rescan => shared.rescan.notify_one(),
            Effect::Analyse(uri) => analyse(shared, uri),
            Effect::Reread(path) => discovery::reread(shared, path),
            Effect::Touch(folder) => discovery::touch(shared, folder),
            Effect::Changed(paths) => shared.changed(paths),
            Effect::RefreshDiagnostics => {
                let shared = shared.clone();
                tokio::spawn(async move {
                    if let Err(error) = shared.client.workspace_diagnostic_refresh().await {
                        tracing::debug!("the client did not refresh diagnostics: {error}");
                    }
                });
            }
        }
    }
}

/// Starts what runs beside the handlers, once the client is ready.
pub fn start(shared: &Arc<Shared>, registrations: Vec<Registration>) {
    if let Some(changes) = shared.take_changes() {
        discovery::start(shared, changes);
    }
    if !registrations.is_empty() {
        let shared = shared.clone();
        tokio::spawn(async move {
            if let Err(error) = shared.client.register_capability(registrations).await {
                tracing::warn!("the client refused features that it announced: {error}");
            }
        });
    }
}

/// Analyses a long document beside the handlers; one that has changed meanwhile is dropped.
fn analyse(shared: &Arc<Shared>, uri: Uri) {
    let Some(document) = shared.state().documents.get(&uri).cloned() else {
        return;
    };
    let shared = shared.clone();
    tokio::spawn(async move {
        let path = document.slash_path();
        match tokio::task::spawn_blocking(move || Analysis::of(document.text, &path)).await {
            Ok(analysis) => {
                let mut effects = shared.state().analysed(&uri, analysis);
                if shared.state().client.refreshes_diagnostics {
                    effects.push(Effect::RefreshDiagnostics);
                }
                perform(&shared, effects).await;
            }
            Err(error) => tracing::error!("analysing {} failed: {error}", uri.as_str()),
        }
    });
}
