//! Files that no document shows: edited in the editor where it saves what it opens, else on the disk.
//!
//! An editor that opens a file for an edit and does not save it keeps a buffer that nobody sees, and the next command
//! that runs reads the old text. While a command runs it is the disk: an editor follows the links that a command puts in the
//! place of folders, out of the workspace too.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ropey::Rope;
use skills_agent::changes::{Observed, observe};
use skills_agent::host::{Applied, ApplyError};
use skills_agent::workspace::Workspace;
use tower_lsp::ls_types::Uri;

use super::saving::save;
use super::{Plan, comparable, send, text_edits};
use crate::settings::ClosedFiles;
use crate::state::Shared;

/// Applies a plan to a closed file. New files are made and old ones removed on the disk, where nothing of what somebody
/// else wrote meanwhile is replaced; `None` where the file was opened meanwhile.
pub(super) async fn apply(
    shared: &Shared,
    workspace: &Arc<Workspace>,
    path: &Path,
    label: &str,
    plan: Plan<'_>,
) -> Result<Option<Applied>, ApplyError> {
    let before = read(workspace, path).await?;
    let after: Option<Arc<str>> = plan(before.as_deref())?.map(Into::into);
    if after == before {
        return Ok(Some(Applied::alone(before, after)));
    }
    let in_editor = {
        let state = shared.state();
        if state.documents.of_path(path).is_some() {
            return Ok(None);
        }
        let client = &state.client;
        client.applies_edits
            && client.agent.save
            && state.settings.closed_files == ClosedFiles::Editor
            && !shared.environment.launcher().is_busy()
    };
    let applied = match (before, after) {
        (Some(before), Some(after)) if in_editor => {
            edit_and_save(shared, workspace, path, label, before, after).await?
        }
        (before, after) => {
            write(workspace, path, before.clone(), after.clone()).await?;
            Applied::alone(before, after)
        }
    };
    Ok(Some(applied))
}

/// Applies a plan to the disk, whatever is open: what goes is the file.
pub(super) async fn remove(workspace: &Arc<Workspace>, path: &Path, plan: Plan<'_>) -> Result<Applied, ApplyError> {
    let before = read(workspace, path).await?;
    let after: Option<Arc<str>> = plan(before.as_deref())?.map(Into::into);
    if after != before {
        write(workspace, path, before.clone(), after.clone()).await?;
    }
    Ok(Applied::alone(before, after))
}

/// Has the editor open, edit and save a file, and believes what is on the disk then.
async fn edit_and_save(
    shared: &Shared,
    workspace: &Arc<Workspace>,
    path: &Path,
    label: &str,
    before: Arc<str>,
    after: Arc<str>,
) -> Result<Applied, ApplyError> {
    let name = path.display();
    let uri = Uri::from_file_path(path).ok_or_else(|| ApplyError::Io(format!("{name} has no URI")))?;
    let encoding = shared.state().client.encoding;
    let edits = text_edits(encoding, &Rope::from_str(&before), &before, &after);
    let refused = send(shared, uri.clone(), None, label, edits).await.err();
    let not_saved = match &refused {
        None => save(shared, vec![uri]).await.pop(),
        Some(_) => None,
    };
    let saved = read(workspace, path).await?.unwrap_or_default();
    // Where it could not be saved the buffer has it, and is what counts from now on.
    let shown = shared
        .state()
        .documents
        .of_path(path)
        .map(|document| document.text().clone());
    for text in [Some(saved), shown].into_iter().flatten() {
        match observe(&comparable(&before), &comparable(&after), &comparable(&text)) {
            Observed::Within if refused.is_some() => {}
            Observed::Applied | Observed::Within => return Ok(Applied::observed(Some(before), after, text)),
            Observed::NotApplied => {}
            Observed::Diverged => {
                return Err(ApplyError::Diverged(format!(
                    "{name} became something else when the editor saved it; read it again before another edit"
                )));
            }
        }
    }
    let reason = refused
        .or(not_saved)
        .unwrap_or_else(|| "the editor said that it was applied and saved, but the file did not change".to_owned());
    Err(ApplyError::Rejected(format!("{name} was not edited: {reason}")))
}

async fn read(workspace: &Arc<Workspace>, path: &Path) -> Result<Option<Arc<str>>, ApplyError> {
    on_disk(workspace, path, |workspace, path| {
        let target = workspace.resolve_path(path).map_err(io::Error::other)?;
        match target.exists {
            true => Ok(Some(workspace.read(&target).map_err(io::Error::other)?.into())),
            false => Ok(None),
        }
    })
    .await
}

async fn write(
    workspace: &Arc<Workspace>,
    path: &Path,
    before: Option<Arc<str>>,
    after: Option<Arc<str>>,
) -> Result<(), ApplyError> {
    on_disk(workspace, path, move |workspace, path| {
        let target = workspace.resolve_path(path).map_err(io::Error::other)?;
        match &after {
            Some(text) => workspace.write_atomically(&target, text.as_bytes(), before.as_deref()),
            None => workspace.remove(&target),
        }
    })
    .await
}

/// Works on the disk on a thread that may block.
async fn on_disk<T: Send + 'static>(
    workspace: &Arc<Workspace>,
    path: &Path,
    work: impl FnOnce(&Workspace, &Path) -> io::Result<T> + Send + 'static,
) -> Result<T, ApplyError> {
    let (workspace, owned) = (workspace.clone(), path.to_owned());
    let done = tokio::task::spawn_blocking(move || work(&workspace, &owned)).await;
    let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| ApplyError::Io(format!("{}: {error}", path.display())))
}
