//! `textDocument/rename` and `workspace/willRenameFiles`: skills with all that names them, and arguments.

use std::path::{Path, PathBuf};

use skills_agent::catalog::Skill;
use skills_agent::workspace::slashed;
use skills_schema::rename;
use skills_schema::skill_names::SkillNameKind;
use skills_schema::subject::{Subject, parameter_at, subject};
use tower_lsp::ls_types::{
    DocumentChangeOperation, DocumentChanges, PrepareRenameResponse, RenameFile, RenameFileOptions, RenameFilesParams,
    RenameParams, ResourceOp, TextDocumentEdit, TextDocumentPositionParams, Uri, WorkspaceEdit,
};

use super::subject::{file, place, skill};
use crate::document;
use crate::position::Encoding;
use crate::refusal::Refusal;
use crate::sources::{self, Sources};
use crate::state::{FolderMove, Snapshot};
use crate::to_proto;

/// What would be renamed at a position; the error says why it can't be.
pub fn prepare_rename(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, Refusal> {
    let Some((document, analysis, offset)) = place(snapshot, params.position) else {
        return Ok(None);
    };
    let answer = |range, placeholder: &str| PrepareRenameResponse::RangeWithPlaceholder {
        range: to_proto::range(document, snapshot.client.encoding, range),
        placeholder: placeholder.to_owned(),
    };
    if let Some((_, used)) = parameter_at(&analysis.file, offset) {
        return Ok(Some(answer(used.range, analysis.file.slice(used.range))));
    }
    let Some(Subject::Skill(named)) = subject(&analysis.file, offset) else {
        return Ok(None);
    };
    match skill(snapshot, document, &named) {
        Some(skill) => {
            folder(snapshot, &skill)?;
            Ok(Some(answer(named.range, &skill.name)))
        }
        None if named.kind == SkillNameKind::Mentioned => Ok(None),
        None => Err(Refusal::Unnamed(named.name)),
    }
}

/// The edit that gives what stands at a position another name; for a skill also where its folder goes. The error says
/// why it can't be.
pub async fn rename(
    snapshot: &Snapshot,
    sources: Sources,
    params: &RenameParams,
) -> Result<Option<(WorkspaceEdit, Option<FolderMove>)>, Refusal> {
    let Some((document, analysis, offset)) = place(snapshot, params.text_document_position.position) else {
        return Ok(None);
    };
    let new = params.new_name.trim();
    match subject(&analysis.file, offset) {
        Some(Subject::Parameter(parameter)) => {
            let edits = rename::parameter(&analysis.file, parameter, new.trim_start_matches('$'))?;
            let edit = to_proto::document_edit(document, snapshot.client.encoding, &edits);
            Ok(Some((to_proto::workspace_edit(edit), None)))
        }
        Some(Subject::Skill(named)) => {
            let Some(skill) = skill(snapshot, document, &named) else {
                return Err(Refusal::Unnamed(named.name));
            };
            let from = folder(snapshot, &skill)?;
            let new = new.trim_start_matches(['/', '$']);
            rename::check_skill_name(new)?;
            if new == skill.name {
                return Ok(Some((WorkspaceEdit::default(), None)));
            }
            if let Some(other) = snapshot.catalog.skills.iter().find(|other| other.name == new) {
                let place = other
                    .path
                    .as_deref()
                    .map_or(String::new(), |path| format!(", {}", path.display()));
                return Err(format!("there is a skill `{new}` already{place}; take another name").into());
            }
            let to = from.with_file_name(new);
            let renaming = Renaming::new(snapshot, &skill, &from, new);
            let target = to.clone();
            let edits = tokio::task::spawn_blocking(move || match target.symlink_metadata() {
                Ok(_) => Err(Refusal::Taken(target)),
                Err(_) => Ok(renaming.edits(sources)),
            });
            let edits = edits.await.map_err(|error| format!("the rename failed: {error}"))??;
            let moved = RenameFile {
                old_uri: folder_uri(snapshot, &from)?,
                new_uri: folder_uri(snapshot, &to)?,
                options: Some(RenameFileOptions {
                    overwrite: Some(false),
                    ignore_if_exists: Some(false),
                }),
                annotation_id: None,
            };
            // The texts first: afterwards the files that were edited are elsewhere.
            let operations = edits
                .into_iter()
                .map(DocumentChangeOperation::Edit)
                .chain([DocumentChangeOperation::Op(ResourceOp::Rename(moved))]);
            let edit = WorkspaceEdit {
                document_changes: Some(DocumentChanges::Operations(operations.collect())),
                ..WorkspaceEdit::default()
            };
            Ok(Some((edit, Some((from, to)))))
        }
        Some(Subject::Link(_)) | None => Err("only skills and arguments can be renamed here".into()),
    }
}

/// The edits that follow when the client renames folders of skills. `expected` is a move that the server asked for
/// itself: its edits were made with it.
pub async fn will_rename_files(
    snapshot: &Snapshot,
    sources: Sources,
    expected: Option<FolderMove>,
    params: &RenameFilesParams,
) -> Option<WorkspaceEdit> {
    // One folder at a time: the edits of two could meet in one line.
    let [moved] = params.files.as_slice() else {
        return None;
    };
    let path = |uri: &str| document::file_path(&uri.parse::<Uri>().ok()?);
    let (from, to) = (path(&moved.old_uri)?, path(&moved.new_uri)?);
    if expected.as_ref() == Some(&(from.clone(), to.clone())) || from.parent() != to.parent() {
        return None;
    }
    let new = to.file_name()?.to_str()?;
    rename::check_skill_name(new).ok()?;
    let skills = snapshot.catalog.skills.iter();
    let mut skills = skills.filter(|skill| from.file_name().is_some_and(|name| name == skill.name.as_str()));
    let skill = skills.find(|skill| file(skill).is_some_and(|path| path.parent() == Some(&from)))?;
    let renaming = Renaming::new(snapshot, skill, &from, new);
    let edits = tokio::task::spawn_blocking(move || renaming.edits(sources))
        .await
        .ok()?;
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(edits)),
        ..WorkspaceEdit::default()
    })
}

/// The folder of a skill that can be renamed, with links resolved; the error says why it can't be.
fn folder(snapshot: &Snapshot, skill: &Skill) -> Result<PathBuf, Refusal> {
    let name = &skill.name;
    let path = file(skill).ok_or_else(|| format!("the skill `{name}` has no file to rename"))?;
    let folder = path
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|it| it == name.as_str()));
    let Some(folder) = folder else {
        return Err(format!(
            "{} is not named after its folder; rename the file itself",
            path.display()
        )
        .into());
    };
    if !snapshot.folders.iter().any(|open| folder.starts_with(&open.path)) {
        return Err(format!(
            "{} lies outside of the workspace; open its folder and rename it there",
            folder.display()
        )
        .into());
    }
    if !snapshot.client.renames_files {
        return Err(format!(
            "this editor can't rename folders for a server: rename {} yourself, then `name` in it and what mentions it",
            folder.display()
        )
        .into());
    }
    Ok(folder.to_owned())
}

fn folder_uri(snapshot: &Snapshot, folder: &Path) -> Result<Uri, Refusal> {
    sources::uri(&snapshot.folders, folder).ok_or_else(|| Refusal::NoUri(folder.to_owned()))
}

/// A skill that gets another name.
struct Renaming {
    old: String,
    new: String,
    file: Option<PathBuf>,
    folder: PathBuf,
    workspace: Vec<PathBuf>,
    encoding: Encoding,
}

impl Renaming {
    fn new(snapshot: &Snapshot, skill: &Skill, folder: &Path, new: &str) -> Self {
        Self {
            old: skill.name.clone(),
            new: new.to_owned(),
            file: file(skill),
            folder: folder.to_owned(),
            workspace: snapshot.folders.iter().map(|folder| folder.path.clone()).collect(),
            encoding: snapshot.client.encoding,
        }
    }

    /// The edits of all texts of the workspace. Reads the disk.
    fn edits(self, sources: Sources) -> Vec<TextDocumentEdit> {
        let moved = slashed(&self.folder);
        let roots: Vec<String> = self.workspace.iter().map(|it| slashed(it).into_owned()).collect();
        let mut all = Vec::new();
        for source in sources.with(&self.old, self.file.as_deref()) {
            let Some(path) = source.document.path.as_deref() else {
                continue;
            };
            if !self.workspace.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            let is_own = self.file.as_deref() == Some(path);
            let mut edits = rename::skill(&source.file, &self.old, &self.new, is_own);
            if let Some(folder) = path.parent() {
                let folder = slashed(folder);
                edits.extend(rename::paths_into(&source.file, &folder, &roots, &moved, &self.new));
            }
            edits.sort_by_key(|edit| edit.range.start());
            if !edits.is_empty() {
                let mut edit = to_proto::document_edit(&source.document, self.encoding, &edits);
                edit.text_document.version = source.is_open.then_some(source.document.version);
                all.push(edit);
            }
        }
        all
    }
}
