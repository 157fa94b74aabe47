use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::syntax::SkillFile;

use crate::digest::Digest;
use crate::workspace::sensitive;

use super::read::{self, Unreadable};
use super::repository::repository;
use super::{CatalogError, Discovery};

/// The files by their names, in any case, and what they are called.
const FILES: &[(&str, &str)] = &[
    ("AGENTS.md", "agents"),
    ("AGENT.md", "agents"),
    ("CLAUDE.md", "claude"),
    ("CLAUDE.local.md", "claude"),
    ("GEMINI.md", "gemini"),
    (".cursorrules", "cursorrules"),
];

/// How many imports may lead to one another.
const MAX_DEPTH: usize = 5;
/// The most files that one imports.
const MAX_IMPORTS: usize = 100;

/// A file of instructions that counts without being chosen. Its text is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlwaysOn {
    /// `agents`, `claude`, `gemini` or `cursorrules`; with `:` and its folder where it lies below the project's root.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Other paths of the same file, sorted.
    pub aliases: Vec<PathBuf>,
    /// The project that it is for.
    pub root: PathBuf,
    /// Which files it is for, relative to the project: `DIR/**`. `None`: always.
    pub scope: Option<String>,
    /// The digest of its bytes; `None` where they can't be read.
    pub sha256: Option<Digest>,
    /// How many bytes it has, without its imports.
    pub bytes: usize,
    /// The files that it imports with `@path`, and those that they import, in the order of the text.
    pub imports: Vec<PathBuf>,
    /// What is wrong with it.
    pub errors: Vec<String>,
    /// Whether its folder is trusted.
    pub is_trusted: bool,
    home: Option<PathBuf>,
}

/// The files of the workspace's folders, of those above them up to the root of the repository, and of those beside
/// what is open.
pub(super) fn find(discovery: &Discovery, errors: &mut Vec<CatalogError>) -> Vec<Arc<AlwaysOn>> {
    let mut found: BTreeMap<PathBuf, AlwaysOn> = BTreeMap::new();
    for opened in &discovery.folders {
        let root = repository(opened).unwrap_or(opened);
        for folder in opened.ancestors().take_while(|folder| folder.starts_with(root)) {
            add(discovery, folder, folder, &mut found, errors);
        }
        let touched = discovery.touched.iter().filter(|path| path.starts_with(opened));
        let nested: BTreeSet<&Path> = touched
            .flat_map(|path| path.ancestors().skip(1).take_while(|folder| *folder != opened))
            .filter(|folder| !folder.iter().any(|name| name == "node_modules"))
            .collect();
        for folder in nested {
            add(discovery, opened, folder, &mut found, errors);
        }
    }
    found.into_values().map(Arc::new).collect()
}

/// Whether a folder has such a file, in its usual spelling.
pub(super) fn is_in(folder: &Path) -> bool {
    FILES.iter().any(|(file, _)| folder.join(file).is_file())
}

/// Adds the files of one folder. Of `CLAUDE.md` that is a link to `AGENTS.md`, one counts.
fn add(
    discovery: &Discovery,
    root: &Path,
    folder: &Path,
    found: &mut BTreeMap<PathBuf, AlwaysOn>,
    errors: &mut Vec<CatalogError>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => {
            return errors.push(CatalogError {
                path: folder.to_owned(),
                message: format!("can't be read: {error}"),
            });
        }
    };
    let named = |name: &str| FILES.iter().position(|(file, _)| name.eq_ignore_ascii_case(file));
    let mut files: Vec<(usize, String)> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| Some((named(&name)?, name)))
        .collect();
    files.sort();
    for (row, file) in files {
        let path = folder.join(file);
        let is_trusted = discovery.trusts(root);
        let Ok(real) = path.canonicalize() else { continue };
        if !is_trusted && !root.canonicalize().is_ok_and(|root| real.starts_with(root)) {
            errors.push(CatalogError {
                path,
                message: "leads out of the workspace; trust the folder to load it".to_owned(),
            });
            continue;
        }
        if let Some(known) = found.get_mut(&real) {
            if known.path != path && !known.aliases.contains(&path) {
                known.aliases.push(path);
                known.aliases.sort();
            }
            continue;
        }
        let below = folder.strip_prefix(root).unwrap_or(folder);
        let below: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        let below = Some(below.join("/")).filter(|below| !below.is_empty());
        let name = FILES[row].1;
        let mut file = AlwaysOn {
            name: below
                .as_ref()
                .map_or(name.to_owned(), |below| format!("{name}:{below}")),
            aliases: if real == path { Vec::new() } else { vec![real.clone()] },
            path,
            root: root.to_owned(),
            scope: below.map(|below| format!("{below}/**")),
            sha256: None,
            bytes: 0,
            imports: Vec::new(),
            errors: Vec::new(),
            is_trusted,
            home: discovery.home.clone(),
        };
        match read::read(&file.path) {
            Ok(content) => {
                file.sha256 = Some(content.sha256);
                file.bytes = content.bytes;
                let mut importing = Importing::new(&file, &|_| None);
                importing.expand(&file.path, &content.text);
                (file.imports, file.errors) = (importing.imports, importing.errors);
            }
            Err(error) => file.errors.push(error.to_string()),
        }
        found.insert(real, file);
    }
}

impl AlwaysOn {
    /// The text, with what it imports in the place of each import. An import that can't be had stays as it is. Of a file
    /// that is open, `open` gives the text.
    ///
    /// # Errors
    /// Where the file can't be read.
    pub fn text(&self, open: impl Fn(&Path) -> Option<Arc<str>>) -> Result<String, Unreadable> {
        // Read in any case: what may not be read may not be read from a buffer either.
        let content = read::read(&self.path).map_err(|error| error.at(&self.path))?;
        let text = open(&self.path).unwrap_or(content.text);
        Ok(Importing::new(self, &open).expand(&self.path, &text))
    }

    fn imports(&self) -> bool {
        self.name.starts_with("claude")
    }
}

/// The imports of one file, while they are followed.
struct Importing<'a> {
    of: &'a AlwaysOn,
    /// The texts of files that are open.
    open: &'a dyn Fn(&Path) -> Option<Arc<str>>,
    /// The files that the current one is imported by, itself last.
    inside: Vec<PathBuf>,
    imports: Vec<PathBuf>,
    errors: Vec<String>,
}

impl<'a> Importing<'a> {
    fn new(of: &'a AlwaysOn, open: &'a dyn Fn(&Path) -> Option<Arc<str>>) -> Self {
        Self {
            of,
            open,
            inside: Vec::new(),
            imports: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn expand(&mut self, path: &Path, text: &str) -> String {
        if !self.of.imports() {
            return text.to_owned();
        }
        self.inside
            .push(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        let mut out = String::with_capacity(text.len());
        let mut rest = 0;
        for (range, target) in imports(text) {
            if let Some(imported) = self.import(path, target) {
                out.push_str(&text[rest..range.start]);
                out.push_str(imported.trim_end());
                rest = range.end;
            }
        }
        out.push_str(&text[rest..]);
        self.inside.pop();
        out
    }

    /// The text of an import; `None` where it stays as it is.
    fn import(&mut self, from: &Path, target: &str) -> Option<String> {
        let path = match target.strip_prefix("~/") {
            Some(rest) => self.of.home.as_ref()?.join(rest),
            None => from.parent()?.join(target),
        };
        // A word with an `@` that names no file is a word.
        let real = path.canonicalize().ok()?;
        let root = self.of.root.canonicalize().ok()?;
        let is_secret = |path: &Path| sensitive::is_secret(path.strip_prefix(&root).unwrap_or(path));
        let problem = if is_secret(&real) || is_secret(Path::new(target)) {
            Some("looks like keys or passwords, and is not imported")
        } else if self.inside.contains(&real) {
            Some("leads back to itself")
        } else if self.inside.len() > MAX_DEPTH {
            Some("is imported too deep: at most five imports may lead to one another")
        } else if self.imports.len() >= MAX_IMPORTS {
            Some("is one import too many")
        } else if !self.of.is_trusted && !real.starts_with(&root) {
            Some("lies outside of the workspace; trust the folder to import it")
        } else {
            None
        };
        let text = match problem {
            Some(problem) => Err(Unreadable::Forbidden(problem)),
            None => (self.open)(&path)
                .or_else(|| (self.open)(&real))
                .map_or_else(|| read::read(&real).map(|content| content.text), Ok),
        };
        match text {
            Ok(text) => {
                self.imports.push(real.clone());
                Some(self.expand(&real, &text))
            }
            Err(problem) => {
                self.errors.push(format!("@{target} {problem}"));
                None
            }
        }
    }
}

/// The imports of a text outside of code: their bytes, the `@` included, and what they name.
fn imports(text: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    // As a body alone: what looks like frontmatter is text here.
    let body: Arc<str> = format!("\n{text}").into();
    let file = SkillFile::parse(body);
    let markdown = file.markdown();
    let code = |at: usize| {
        let spans = markdown.code_spans.iter().map(|span| span.range);
        let blocks = markdown.code_blocks.iter().map(|block| block.range);
        spans
            .chain(blocks)
            .any(|range| (usize::from(range.start())..range.end().into()).contains(&(at + 1)))
    };
    let starts = |at: usize| text[..at].chars().next_back().is_none_or(char::is_whitespace);
    text.match_indices('@')
        .filter(|(at, _)| starts(*at) && !code(*at))
        .filter_map(|(at, _)| {
            let target = text[at + 1..].split(char::is_whitespace).next()?;
            let target = target.trim_end_matches(['.', ',', ':', ';', ')', '!', '?']);
            (!target.is_empty()).then_some((at..at + 1 + target.len(), target))
        })
        .collect()
}
