//! `textDocument/completion` in skill files, manifests and prompts, and the documentation of what it proposes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skills_agent::catalog::SkillState;
use skills_agent::workspace::slashed;
use skills_schema::completion::{FolderEntry, What, complete};
use skills_schema::facts::normal;
use skills_schema::syntax::SkillFile;
use tower_lsp::ls_types::{
    CompletionItem, CompletionList, CompletionParams, CompletionResponse, Documentation, MarkupContent, MarkupKind, Uri,
};

use super::subject::place_of_fields;
use super::{hover, prompt};
use crate::document::{self, Document};
use crate::sources::Sources;
use crate::state::Snapshot;
use crate::to_proto;

/// The most entries of a folder that are proposed.
const MOST_ENTRIES: usize = 1_000;

/// What fits at the cursor.
pub async fn completion(
    snapshot: &Snapshot,
    sources: Sources,
    params: &CompletionParams,
) -> Option<CompletionResponse> {
    if let Some(calls) = prompt::calls(snapshot, params.text_document_position.position) {
        return Some(CompletionResponse::Array(calls));
    }
    let (document, analysis, offset) = place_of_fields(snapshot, params.text_document_position.position)?;
    let found = complete(&analysis.file, &analysis.facts(), offset);
    let to_item = |item, data| to_proto::completion(document, &snapshot.client, item, data);
    let mut items: Vec<CompletionItem> = found.items.into_iter().map(|item| to_item(item, None)).collect();
    let mut is_incomplete = false;
    match &found.wanted {
        None => {}
        Some(wanted) if wanted.what == What::Skills => {
            let counts = |skill: &&_| matches!(**skill, SkillState::Listed | SkillState::Hidden);
            let others = snapshot.catalog.skills.iter().filter(|skill| counts(&&skill.state));
            for skill in others.filter(|skill| document.path.as_deref().is_none_or(|path| !skill.is_at(path))) {
                let item = wanted.skill(&skill.name, skill.metadata.argument_hint.as_deref(), "");
                items.push(to_item(item, Some(json!({"skill": skill.name}))));
            }
        }
        Some(wanted) if matches!(wanted.what, What::Headings { .. }) => {
            let (root, path) = place(snapshot, document, &wanted.what)?;
            let read = tokio::task::spawn_blocking(move || text_in(&sources, &root, &path)).await;
            let headings = read.unwrap_or_default().map(|file| wanted.headings(&file));
            items.extend(headings.into_iter().flatten().map(|item| to_item(item, None)));
        }
        Some(wanted) => {
            let (root, folder) = place(snapshot, document, &wanted.what)?;
            let listed = root.join(&folder);
            let open: Vec<PathBuf> = sources.open().map(Path::to_owned).collect();
            let listing = tokio::task::spawn_blocking(move || entries(&root, &folder, &open)).await;
            let (entries, is_cut) = listing.unwrap_or_default();
            is_incomplete = is_cut;
            for item in wanted.entries(&entries) {
                let path = listed.join(&item.label);
                items.push(to_item(item, Some(json!({"file": path}))));
            }
        }
    }
    // Clients sort by the label where nothing else is said.
    for (at, item) in items.iter_mut().enumerate() {
        item.sort_text = Some(format!("{at:05}"));
    }
    Some(if is_incomplete {
        CompletionResponse::List(CompletionList { is_incomplete, items })
    } else {
        CompletionResponse::Array(items)
    })
}

/// Adds what a person wants to know of a skill or a file before choosing it.
pub async fn resolve(snapshot: &Snapshot, sources: Sources, mut item: CompletionItem) -> CompletionItem {
    let text = |key: &str| {
        item.data
            .as_ref()
            .and_then(|data| data.get(key))
            .and_then(Value::as_str)
    };
    let markdown = if let Some(skill) = text("skill").and_then(|name| snapshot.catalog.get(name)) {
        Some(hover::about(skill))
    } else if let Some(path) = text("file").map(PathBuf::from) {
        let folders: Vec<PathBuf> = snapshot.folders.iter().map(|folder| folder.path.clone()).collect();
        let look = move || {
            let path = document::resolved(&path);
            let folder = folders.into_iter().find(|folder| path.starts_with(folder))?;
            hover::file_in_words(&sources, &path, &folder, &Uri::from_file_path(&path)?)
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    } else {
        None
    };
    if let Some(value) = markdown {
        let kind = MarkupKind::Markdown;
        item.documentation = Some(Documentation::MarkupContent(MarkupContent { kind, value }));
    }
    item
}

/// The folder or the file that is wanted: what it must not lead out of, and the path in that.
fn place(snapshot: &Snapshot, document: &Document, what: &What) -> Option<(PathBuf, String)> {
    let path = document.path.as_deref()?;
    let project = snapshot.folders.iter().find(|folder| path.starts_with(&folder.path));
    match what {
        What::Skills => None,
        What::Files { folder: wanted, .. } | What::Headings { file: wanted } => {
            let own = path.parent()?;
            let wanted = normal(wanted);
            if !wanted.starts_with("..") {
                return Some((own.to_owned(), wanted));
            }
            // It leads out of the skill's folder: that of the workspace is the end.
            let project = &project?.path;
            let inner = slashed(own.strip_prefix(project).ok()?);
            let wanted = normal(format!("{inner}/{wanted}").trim_start_matches('/'));
            (!wanted.starts_with("..")).then(|| (project.clone(), wanted))
        }
        What::Globs { folder } => {
            let project = project.or_else(|| snapshot.folders.first())?;
            Some((project.path.clone(), folder.clone()))
        }
    }
}

/// A text that does not lie outside of a folder, as the editor has it or from the disk, which is read.
fn text_in(sources: &Sources, root: &Path, path: &str) -> Option<SkillFile> {
    let path = document::resolved(&root.join(path));
    let document = sources.at(&path, &Uri::from_file_path(&path)?)?;
    path.starts_with(root)
        .then(|| SkillFile::parse(document.text().clone()))
}

/// What lies in a folder and in the open documents below it, folders first; and whether there is more. Hidden files
/// are left out, and a folder that a link leads out of its root is empty.
fn entries(root: &Path, folder: &str, open: &[PathBuf]) -> (Vec<FolderEntry>, bool) {
    let path = root.join(folder);
    let mut found = BTreeSet::new();
    let is_shown = |name: &str| !name.starts_with('.') && name != "node_modules";
    for inner in open.iter().filter_map(|open| open.strip_prefix(&path).ok()) {
        let mut parts = inner.components();
        if let Some(name) = parts.next().and_then(|part| part.as_os_str().to_str()) {
            found.insert(FolderEntry {
                is_file: parts.next().is_none(),
                name: name.to_owned(),
            });
        }
    }
    let is_inside = match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    };
    let mut is_cut = false;
    if let Some(read) = is_inside.then(|| std::fs::read_dir(&path).ok()).flatten() {
        for entry in read.flatten() {
            if found.len() >= MOST_ENTRIES {
                is_cut = true;
                break;
            }
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            // A link is what it leads to.
            let is_file = !std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_dir());
            found.insert(FolderEntry { is_file, name });
        }
    }
    found.retain(|entry| is_shown(&entry.name));
    (found.into_iter().collect(), is_cut)
}
