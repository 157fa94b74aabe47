//! What the client tells: plain functions over the state, so that each is done before the next message is read.

use std::path::PathBuf;
use std::sync::Arc;

use skills_agent::permission::SaidTrust;
use tower_lsp::ls_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    Uri,
};

use crate::document::file_path;
use crate::protocol::{ChangedTrustParams, FocusParams, FolderTrust};
use crate::settings::Settings;
use crate::state::{Effect, Effects, Focus, Folder, State};
use crate::{checks, document};

/// A document was opened: from now on the client's text is the truth.
pub fn did_open(state: &mut State, params: DidOpenTextDocumentParams) -> Effects {
    let uri = params.text_document.uri.clone();
    state.documents.open(params.text_document);
    let mut effects = state.analyse(&uri);
    effects.extend(state.follow_changes(&uri));
    effects.extend(state.activate());
    effects.extend(state.rescan_for(&uri));
    effects.extend(changed_on_disk(state, [uri.clone()]));
    effects.extend(state.touch(&uri));
    effects
}

/// A document changed.
pub fn did_change(state: &mut State, params: DidChangeTextDocumentParams) -> Effects {
    let uri = params.text_document.uri.clone();
    let encoding = state.client.encoding;
    let changed = state
        .documents
        .change(params.text_document, params.content_changes, encoding);
    let Some(document) = changed else {
        if is_being_renamed(state, &uri) {
            return Effects::new();
        }
        let message = format!(
            "{} was changed but never opened; close it and open it again",
            uri.as_str()
        );
        return vec![Effect::Warn(message)];
    };
    let skill = document.path.clone().filter(|_| document.is_skill());
    let mut effects = state.analyse(&uri);
    effects.extend(state.follow_changes(&uri));
    effects.extend(state.follow_previews(&[]));
    // One that the catalog does not know lies where nobody looks, or is being looked for.
    effects.extend(
        skill
            .filter(|path| state.catalog.at(path).is_some())
            .map(Effect::Reread),
    );
    effects
}

/// Whether an open document of that name lost its file: Neovim tells of edits under a file's new name before it closes
/// the document under its old one and opens the new, with the text that it has then.
fn is_being_renamed(state: &State, uri: &Uri) -> bool {
    let Some(path) = document::file_path(uri) else {
        return false;
    };
    let mut open = state.documents.iter().filter_map(|document| document.path.as_ref());
    path.exists() && open.any(|old| old.file_name() == path.file_name() && !old.exists())
}

/// A document was saved: its skill is what other skills are measured by.
pub fn did_save(state: &mut State, params: DidSaveTextDocumentParams) -> Effects {
    state.documents.save(&params.text_document.uri);
    let mut effects = state.rescan_for(&params.text_document.uri);
    effects.extend(changed_on_disk(state, [params.text_document.uri]));
    effects
}

/// A document was closed: the file on disk is the truth again.
pub fn did_close(state: &mut State, params: DidCloseTextDocumentParams) -> Effects {
    let uri = params.text_document.uri;
    let mut effects = state.rescan_for(&uri);
    if state.focus.as_ref().is_some_and(|focus| focus.uri == uri) {
        state.focus = None;
    }
    if let Some(document) = state.documents.close(&uri) {
        effects.extend(state.withdraw_diagnostics(&document));
    }
    effects.extend(state.activate());
    effects
}

/// Files changed on disk.
pub fn did_change_watched_files(state: &mut State, params: DidChangeWatchedFilesParams) -> Effects {
    let uris: Vec<Uri> = params.changes.into_iter().map(|change| change.uri).collect();
    let paths: Vec<_> = uris.iter().filter_map(file_path).collect();
    if paths.is_empty() {
        return Effects::new();
    }
    let mut effects = changed_on_disk(state, uris);
    effects.push(Effect::Changed(paths));
    effects
}

/// Files may be there that were not, or hold something else.
fn changed_on_disk(state: &mut State, uris: impl IntoIterator<Item = Uri>) -> Effects {
    let paths: Vec<PathBuf> = uris.into_iter().filter_map(|uri| document::file_path(&uri)).collect();
    let is_configuration = |path: &PathBuf| path.file_name().is_some_and(|name| name == checks::FILE);
    let is_configured = paths.iter().any(is_configuration);
    let mut effects = state.files_changed(paths);
    effects.extend(is_configured.then_some(Effect::ReadConfiguration));
    effects
}

/// Files or folders were created, renamed or removed by the editor.
pub fn did_change_files<P>(state: &mut State, _params: P) -> Effects {
    let folders = state.folder_paths();
    let mut effects = state.files_changed(folders);
    effects.push(Effect::Rescan);
    effects
}

/// The workspace has other folders.
pub fn did_change_workspace_folders(state: &mut State, params: DidChangeWorkspaceFoldersParams) -> Effects {
    let removed: Vec<_> = params.event.removed.iter().filter_map(Folder::of).collect();
    let mut folders = state.folders.as_ref().clone();
    folders.retain(|folder| !removed.contains(folder));
    for added in params.event.added.iter().filter_map(Folder::of) {
        if !folders.contains(&added) {
            folders.push(added);
        }
    }
    state.set_folders(folders)
}

/// The person trusts folders, or no longer. What runs by a trust that is taken back is stopped.
pub fn did_change_trust(state: &mut State, params: ChangedTrustParams) -> Effects {
    let before = state.said_trust();
    for FolderTrust { folder_uri, trusted } in params.items {
        if let Some(folder) = file_path(&folder_uri) {
            state.editor_trust.insert(folder, trusted);
        }
    }
    stop_untrusted(state, &before);
    if state.said_trust() == before {
        return Effects::new();
    }
    vec![Effect::Rescan]
}

/// The person looks at another document. What lies outside the workspace, such as a transcript, is where they write and
/// not what they write about.
pub fn did_focus(state: &mut State, params: FocusParams) -> Effects {
    let Some(document) = params.text_document else {
        state.focus = None;
        return Effects::new();
    };
    let path = file_path(&document.uri);
    let folders = state.folder_paths();
    if path.is_some_and(|path| folders.iter().any(|folder| path.starts_with(folder))) {
        state.focus = Some(Focus {
            uri: document.uri,
            selection: params.selection,
        });
    }
    Effects::new()
}

/// Stops what runs by a trust that was there before and is taken back.
fn stop_untrusted(state: &mut State, before: &SaidTrust) {
    let now = state.said_trust();
    let is_taken_back = |folder: &PathBuf| {
        let (before, now) = (before.of(folder), now.of(folder));
        before != now && (before == Some(true) || now == Some(false))
    };
    if state.folder_paths().iter().any(is_taken_back) {
        state.agent.sessions.revoke();
    }
}

/// The person's settings changed.
pub fn did_change_configuration(state: &mut State, params: DidChangeConfigurationParams) -> Effects {
    // Clients that only hand on what they are configured with send the section's content alone.
    let section = match params.settings.get("skills") {
        Some(section) => section,
        None if Settings::are_in(&params.settings) => &params.settings,
        None => return Effects::new(),
    };
    if section.is_null() {
        return Effects::new();
    }
    let (settings, problems) = state.initial_settings.with_those_of(state.agent.authority(), section);
    let is_checked_otherwise = settings.checks != state.settings.checks;
    let toggles_hints = settings.inlay_hints != state.settings.inlay_hints;
    let trusted_before = state.said_trust();
    state.settings = Arc::new(settings);
    stop_untrusted(state, &trusted_before);
    let mut effects = vec![Effect::Rescan, Effect::ModelChanged];
    effects.extend(problems.into_iter().map(Effect::Warn));
    effects.extend(is_checked_otherwise.then_some(Effect::ReadConfiguration));
    if toggles_hints && state.client.refreshes_hints {
        effects.push(Effect::RefreshHints);
    }
    effects
}
