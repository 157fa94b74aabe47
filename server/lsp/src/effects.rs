//! What follows from changes of state: messages to the client, and work in the background.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tower_lsp::Client;
use tower_lsp::ls_types::{MessageType, Registration, Uri};

use crate::analysis::Analysis;
use crate::checks::Checking;
use crate::document::Around;
use crate::outgoing::WrittenDiagnostics;
use crate::state::previews::ShownBy;
use crate::state::{Effect, Effects, QUIET, Shared};
use crate::{commands, discovery, protocol, turns};

/// Does what follows from a change, for [`Shared::perform`].
pub fn perform(shared: Arc<Shared>, effects: Effects) -> BoxFuture<'static, ()> {
    async move { perform_all(&shared, effects).await }.boxed()
}

async fn perform_all(shared: &Arc<Shared>, effects: Effects) {
    for effect in effects {
        match effect {
            Effect::Publish(params) => match WrittenDiagnostics::of(&params) {
                Ok(written) => shared.client.send_notification::<WrittenDiagnostics>(written).await,
                Err(error) => tracing::error!("findings could not be written: {error}"),
            },
            Effect::Active(params) => shared.client.send_notification::<protocol::Active>(params).await,
            Effect::Changes(params) => shared.client.send_notification::<protocol::EditChanges>(params).await,
            Effect::Warn(message) => shared.client.show_message(MessageType::WARNING, message).await,
            Effect::Rescan => shared.rescan.notify_one(),
            Effect::Analyse(uri) => analyse(shared, uri),
            Effect::LookAround => shared.look.notify_one(),
            Effect::ReadConfiguration => read_configuration(shared),
            Effect::Reread(path) => {
                shared.state().unread.insert(path);
                shared.reread.notify_one();
            }
            Effect::Explain(uri) => {
                let (shared, connection) = (shared.clone(), &shared.connection);
                // Its editor answers an edit: no handler waits for that.
                let following = async move { commands::explain::follow(&shared, &uri).await };
                connection.run(following);
            }
            Effect::PreviewChanged(shown) => match shown.by {
                ShownBy::Client => {
                    let params = protocol::PreviewChangedParams { uri: shown.uri };
                    shared
                        .client
                        .send_notification::<protocol::PreviewChanged>(params)
                        .await;
                }
                ShownBy::Document => {
                    let (shared, connection) = (shared.clone(), &shared.connection);
                    connection.run(async move { commands::preview::follow(&shared, shown.query).await });
                }
            },
            Effect::Touch(folder) => discovery::touch(shared, folder),
            Effect::SkillChanged(path) => turns::skill_changed(shared, path),
            Effect::Changed(paths) => shared.changed(paths),
            Effect::ModelChanged => turns::models::tell(shared).await,
            Effect::RefreshDiagnostics => {
                refresh(
                    shared,
                    |client| async move { client.workspace_diagnostic_refresh().await },
                );
            }
            Effect::RefreshLenses => refresh(shared, |client| async move { client.code_lens_refresh().await }),
            Effect::RefreshTokens => refresh(shared, |client| async move { client.semantic_tokens_refresh().await }),
            Effect::RefreshHints => refresh(shared, |client| async move { client.inlay_hint_refresh().await }),
        }
    }
}

/// Asks the client to ask again, beside the handlers: nobody waits for its answer.
fn refresh<F>(shared: &Arc<Shared>, ask: fn(Client) -> F)
where
    F: Future<Output = tower_lsp::jsonrpc::Result<()>> + Send + 'static,
{
    let asking = ask(shared.client.clone());
    shared.connection.run(async move {
        if let Err(error) = asking.await {
            tracing::debug!("the client did not refresh: {error}");
        }
    });
}

/// Starts what runs beside the handlers, once the client is ready.
pub fn start(shared: &Arc<Shared>, registrations: Vec<Registration>) {
    if let Some(changes) = shared.take_changes() {
        discovery::start(shared, changes);
        discovery::follow(shared);
    }
    let looking = shared.clone();
    shared.connection.run(async move {
        loop {
            looking.look.notified().await;
            tokio::time::sleep(QUIET).await;
            look_around(&looking).await;
        }
    });
    if !registrations.is_empty() {
        let client = shared.client.clone();
        shared.connection.run(async move {
            if let Err(error) = client.register_capability(registrations).await {
                tracing::warn!("the client refused features that it announced: {error}");
            }
        });
    }
}

/// Looks at what lies around the documents that need it: at most one look at a time, each for the newest text.
async fn look_around(shared: &Arc<Shared>) {
    let (looks, view, changed) = shared.state().take_looks(shared.environment.home.clone());
    let view = Arc::new(view);
    let surroundings = shared.surroundings.clone();
    let forget = move || changed.iter().for_each(|path| surroundings.forget(path));
    if let Err(error) = tokio::task::spawn_blocking(forget).await {
        tracing::error!("forgetting changed files failed: {error}");
    }
    for look in looks {
        let (surroundings, view) = (shared.surroundings.clone(), view.clone());
        let uri = look.document.uri.clone();
        let found = tokio::task::spawn_blocking(move || {
            // A document that is no file has no surroundings but the other skills.
            let path = look.document.path.clone().unwrap_or_default();
            Around {
                findings: surroundings.findings(&path, &look.analysis, &view),
                matches: surroundings.matches(&path, &look.analysis, &view),
                text: look.document.text().clone(),
            }
        });
        match found.await {
            Ok(around) => {
                let effects = shared.state().looked(&uri, around);
                shared.perform(effects).await;
            }
            Err(error) => tracing::error!("looking around {} failed: {error}", uri.as_str()),
        }
    }
}

/// Reads the configuration files of the workspace and of the person.
fn read_configuration(shared: &Arc<Shared>) {
    let (folders, editor) = {
        let state = shared.state();
        (state.folder_paths(), state.settings.checks.clone())
    };
    let (shared, connection) = (shared.clone(), &shared.connection);
    connection.run(async move {
        let environment = shared.environment.clone();
        match tokio::task::spawn_blocking(move || Checking::read(&folders, &environment, &editor)).await {
            Ok((checking, files)) => {
                let effects = shared.state().set_checking(checking, files);
                shared.perform(effects).await;
            }
            Err(error) => tracing::error!("reading the configuration failed: {error}"),
        }
    });
}

/// Analyses a long document beside the handlers; one that has changed meanwhile is dropped.
fn analyse(shared: &Arc<Shared>, uri: Uri) {
    let found = {
        let state = shared.state();
        let document = state.documents.get(&uri);
        document.map(|document| (document.clone(), state.configured(document)))
    };
    let Some((document, configured)) = found else {
        return;
    };
    let (shared, connection) = (shared.clone(), &shared.connection);
    connection.run(async move {
        let path = document.slash_path();
        let analyse = move || {
            let earlier = document.analysis.as_deref();
            Analysis::configured(document.text().clone(), &path, configured, earlier)
        };
        match tokio::task::spawn_blocking(analyse).await {
            Ok(analysis) => {
                let mut effects = shared.state().analysed(&uri, analysis);
                if shared.state().client.refreshes_diagnostics {
                    effects.push(Effect::RefreshDiagnostics);
                }
                shared.perform(effects).await;
            }
            Err(error) => tracing::error!("analysing {} failed: {error}", uri.as_str()),
        }
    });
}
