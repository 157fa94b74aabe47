//! The texts that name skills: open ones as the editor has them, the others from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::syntax::SkillFile;
use tower_lsp::ls_types::{TextDocumentItem, Uri};

use crate::document::Document;
use crate::state::{Folder, State};
use crate::uri;

/// The most files that are read.
const MAX_FILES: usize = 20_000;
/// How deep a folder is looked through.
const MAX_DEPTH: usize = 4;
/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Folders of a project whose Markdown files may name skills, beside the skills' own.
const FOLDERS: [&str; 2] = [".claude/agents", ".claude/commands"];
/// Files of a project that may name skills.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Where such texts are.
#[derive(Debug)]
pub struct Sources {
    open: Vec<Document>,
    folders: Arc<Vec<Folder>>,
    skills: Vec<PathBuf>,
}

/// One text.
#[derive(Debug)]
pub struct Source {
    /// The text and where it lies; of a closed file as if it had been opened.
    pub document: Document,
    /// The editor has it.
    pub is_open: bool,
    /// Its tree.
    pub file: SkillFile,
}

impl Sources {
    /// What the state knows of; reads nothing.
    pub fn of(state: &State) -> Self {
        let skills = state.catalog.skills.iter().filter_map(|skill| skill.path.clone());
        Self {
            open: state.documents.iter().cloned().collect(),
            folders: state.folders.clone(),
            skills: skills.collect(),
        }
    }

    /// The paths of the open texts: files that are not saved yet count too.
    pub fn open(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().filter_map(|document| document.path.as_deref())
    }

    /// The text at a path, whatever its sort: as the editor has it, else as it lies on the disk, which is read. `None`
    /// where neither has one that can be read.
    pub fn at(&self, path: &Path, uri: &Uri) -> Option<Document> {
        let mut open = self.open.iter();
        let open = open.find(|document| document.path.as_deref() == Some(path));
        open.cloned().or_else(|| closed(path, uri.clone()))
    }

    /// The texts in which a word stands, and one text anyway, sorted by path. Reads the disk, so it belongs on a thread
    /// that may block.
    pub fn with(self, word: &str, anyway: Option<&Path>) -> Vec<Source> {
        let mut paths = BTreeSet::new();
        for skill in &self.skills {
            // A link to a skill is another name of the same file.
            let skill = skill.canonicalize().unwrap_or_else(|_| skill.clone());
            if let Some(folder) = skill.parent() {
                markdown_files(folder, MAX_DEPTH, &mut paths);
            }
        }
        for folder in self.folders.iter() {
            for name in FOLDERS {
                markdown_files(&folder.path.join(name), MAX_DEPTH, &mut paths);
            }
            let files = FILES.iter().map(|name| folder.path.join(name));
            paths.extend(files.filter(|path| path.is_file()));
        }
        let mut open: BTreeMap<PathBuf, Document> = BTreeMap::new();
        for document in self.open {
            if let Some(path) = document.path.clone().filter(|path| is_markdown(path)) {
                open.insert(path, document);
            }
        }
        paths.extend(open.keys().cloned());
        let mut found = Vec::new();
        for path in paths {
            let source = match open.remove(&path) {
                Some(document) => Some((document, true)),
                None => uri(&self.folders, &path)
                    .and_then(|uri| closed(&path, uri))
                    .map(|document| (document, false)),
            };
            let is_wanted = |document: &Document| anyway == Some(path.as_path()) || document.text().contains(word);
            if let Some((document, is_open)) = source.filter(|(document, _)| is_wanted(document)) {
                found.push(Source {
                    file: SkillFile::parse(document.text().clone()),
                    document,
                    is_open,
                });
            }
        }
        found
    }
}

/// The URI of a file as the client spells the folder that it lies in.
pub fn uri(folders: &[Folder], path: &Path) -> Option<Uri> {
    let spelt = folders.iter().find_map(|folder| {
        let inner = path.strip_prefix(&folder.path).ok()?.to_str()?;
        let base: Uri = format!("{}/", folder.uri.as_str().trim_end_matches('/')).parse().ok()?;
        uri::beside(&base, &inner.replace(std::path::MAIN_SEPARATOR, "/"), "")
    });
    spelt.or_else(|| Uri::from_file_path(path))
}

/// A closed file as a document.
pub fn closed(path: &Path, uri: Uri) -> Option<Document> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    // A pipe would block, and a link may lead anywhere.
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(Document::open(TextDocumentItem {
        uri,
        language_id: "markdown".to_owned(),
        version: 0,
        text,
    }))
}

fn markdown_files(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        // What is not there or not readable names nobody.
        return;
    };
    for entry in entries.flatten() {
        if found.len() >= MAX_FILES {
            return;
        }
        let (path, name) = (entry.path(), entry.file_name());
        let is_hidden = name.to_string_lossy().starts_with('.') || name == "node_modules";
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_hidden && depth > 0 => markdown_files(&path, depth - 1, found),
            Ok(kind) if kind.is_file() && is_markdown(&path) => _ = found.insert(path),
            _ => {}
        }
    }
}

fn is_markdown(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
