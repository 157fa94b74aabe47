//! `skills.server.newSkill`: a skill that passes every check, to begin with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use skills_agent::workspace::Workspace;
use skills_schema::{rename, template};
use tower_lsp::ls_types::{ApplyWorkspaceEditResponse, Command, MessageType, ShowDocumentParams, Uri};

use crate::document;
use crate::refusal::Refusal;
use crate::sources;
use crate::state::{Shared, Snapshot};
use crate::to_proto;

/// Where skills are kept below a folder of the workspace; the first that is there is taken, else the first.
const PLACES: [&str; 3] = [".agents/skills", ".claude/skills", ".openhands/skills"];

/// Makes a skill of that name in a folder of skills, by default the workspace's own, and opens it. Answers with its
/// URI, or with nothing where the person was told what is missing.
pub fn new_skill(shared: &Arc<Shared>, name: &str, folder: Option<&str>) -> Result<Value, Refusal> {
    if name.is_empty() {
        let message = "A new skill needs a name: skills.server.newSkill [\"release-notes\"]";
        let client = shared.client.clone();
        tokio::spawn(async move { client.show_message(MessageType::INFO, message).await });
        return Ok(Value::Null);
    }
    rename::check_skill_name(name)?;
    let snapshot = shared.state().snapshot(None);
    let path = place(&snapshot, folder)?.join(name).join(template::FILE_NAME);
    if let Some(other) = snapshot.catalog.skills.iter().find(|skill| skill.name == name) {
        let place = other.path.as_deref().unwrap_or(Path::new("the server itself"));
        return Err(format!(
            "there is a skill `{name}` already, in {}; take another name",
            place.display()
        )
        .into());
    }
    if path.symlink_metadata().is_ok() {
        return Err(Refusal::Taken(path));
    }
    let uri = sources::uri(&snapshot.folders, &path).ok_or_else(|| Refusal::NoUri(path.clone()))?;
    let answer = json!({"uri": uri});
    let (shared, text) = (shared.clone(), template::skill(name));
    tokio::spawn(async move {
        if let Err(message) = create(&shared, &snapshot, &path, &uri, text).await {
            shared.client.show_message(MessageType::ERROR, message).await;
        }
    });
    Ok(answer)
}

/// The command that makes a skill of that name, for a menu.
pub fn command(name: &str) -> Command {
    Command {
        title: format!("Create the skill {name}"),
        command: super::NEW_SKILL.to_owned(),
        arguments: Some(vec![json!(name)]),
    }
}

/// The folder of skills, with links resolved, inside the workspace.
fn place(snapshot: &Snapshot, folder: Option<&str>) -> Result<PathBuf, Refusal> {
    let folders = snapshot.folders.as_ref();
    let Some(first) = folders.first() else {
        return Err("open a folder first: a skill belongs to one".into());
    };
    let path = match folder {
        Some(folder) => match folder.parse::<Uri>().ok().and_then(|uri| document::file_path(&uri)) {
            Some(path) => path,
            None => document::resolved(&first.path.join(folder)),
        },
        None => {
            let mut places = PLACES.iter().map(|place| first.path.join(place));
            let there = places.find(|place| place.is_dir());
            document::resolved(&there.unwrap_or_else(|| first.path.join(PLACES[0])))
        }
    };
    let has_parents = path.components().any(|part| part == std::path::Component::ParentDir);
    if has_parents || !folders.iter().any(|open| path.starts_with(&open.path)) {
        return Err(format!(
            "{} lies outside of the workspace; open its folder first",
            path.display()
        )
        .into());
    }
    Ok(path)
}

/// Creates the file by an edit of the editor where that takes such, else on the disk; then opens it.
async fn create(
    shared: &Arc<Shared>,
    snapshot: &Snapshot,
    path: &Path,
    uri: &Uri,
    text: String,
) -> Result<(), Refusal> {
    if snapshot.client.applies_edits && snapshot.client.creates_files {
        match shared.client.apply_edit(to_proto::creation(uri, text)).await {
            Ok(ApplyWorkspaceEditResponse { applied: true, .. }) => {}
            Ok(refused) => {
                let reason = refused.failure_reason.unwrap_or_else(|| "it gave no reason".to_owned());
                return Err(format!("the editor did not create {}: {reason}", path.display()).into());
            }
            Err(error) => return Err(format!("the editor did not create {}: {error}", path.display()).into()),
        }
    } else {
        let folders: Vec<PathBuf> = snapshot.folders.iter().map(|folder| folder.path.clone()).collect();
        let target = path.to_owned();
        let write = move || {
            let workspace = Workspace::open(&folders).map_err(Refusal::of)?;
            let target = workspace.resolve_path(&target).map_err(Refusal::of)?;
            let written = workspace.write_atomically(&target, text.as_bytes(), None);
            written.map_err(Refusal::of)
        };
        let written = tokio::task::spawn_blocking(write).await.map_err(Refusal::of)?;
        written.map_err(|error| format!("{} can't be written: {error}", path.display()))?;
    }
    shared.rescan.notify_one();
    if snapshot.client.shows_documents {
        let params = ShowDocumentParams {
            uri: uri.clone(),
            external: None,
            take_focus: Some(true),
            selection: None,
        };
        if shared.client.show_document(params).await.unwrap_or_default() {
            return Ok(());
        }
    }
    let message = format!("{} is made: open it to write the skill", path.display());
    shared.client.show_message(MessageType::INFO, message).await;
    Ok(())
}
