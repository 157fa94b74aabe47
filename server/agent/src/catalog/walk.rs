//! Finding the files of one folder of skills.

use std::fs::{DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use skills_schema::facts::FileKind;
use skills_schema::reader::search::{Flat, Holds, Ignores, Search};

use super::CatalogError;
use super::ignored::{GITIGNORE, Ignored};
use super::roots::Root;
use skills_schema::reader::search::Source;

/// The most entries looked at below one root.
const MAX_ENTRIES: usize = 200_000;
/// The most skills of one root.
const MAX_SKILLS: usize = 50_000;
/// How deep plain Markdown files and commands may lie.
const MAX_FLAT_DEPTH: usize = 8;

/// A file that is a skill by its place.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Without symbolic links.
    pub(super) real: PathBuf,
    pub(super) kind: FileKind,
    /// What the place calls it.
    pub(super) name: String,
}

/// The skills of a root, in the order of their names.
pub(super) fn skills(root: &Root, reader: &Search, errors: &mut Vec<CatalogError>) -> Vec<Found> {
    let Ok(real) = root.path.canonicalize() else {
        return Vec::new();
    };
    let mut walk = Walk {
        root,
        reader,
        ignored: Ignored::default(),
        inside: Vec::new(),
        entries: 0,
        found: Vec::new(),
        errors,
    };
    if !walk.may_follow(&real) {
        walk.error(&root.path, LEADS_OUT);
        return Vec::new();
    }
    if reader.ignores == Ignores::Repository && root.source == Source::Project {
        walk.ignored = Ignored::above(&root.path);
    }
    walk.enter(&root.path, real, 0, &[]);
    walk.found
}

/// The skill that a file would be which is not on the disk yet.
pub(super) fn would_be(root: &Root, reader: &Search, path: &Path) -> Option<Found> {
    let inner = path.strip_prefix(&root.path).ok()?;
    let mut parts: Vec<&str> = inner.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let file = parts.pop()?;
    let is_skill = file == SKILL || reader.any_case && file.eq_ignore_ascii_case(SKILL);
    let folder = || parts.last().map(|name| (*name).to_owned());
    let (kind, name) = match root.holds {
        Holds::Skills { depth, .. } if is_skill && (1..=depth).contains(&parts.len()) => (FileKind::Skill, folder()?),
        Holds::Skills { flat, .. } if !is_skill && takes(flat, parts.len()) => {
            (FileKind::FlatSkill, flat_name(&parts, file, "/", reader)?)
        }
        Holds::Commands if is_skill => (FileKind::Command, parts.join(":")),
        Holds::Commands => (FileKind::Command, flat_name(&parts, file, ":", reader)?),
        Holds::Skills { .. } => return None,
    };
    Some(Found {
        path: path.to_owned(),
        real: path.to_owned(),
        kind,
        name,
    })
}

const SKILL: &str = "SKILL.md";
const LEADS_OUT: &str = "leads out of the workspace, or nowhere; trust the folder to load skills from elsewhere";

struct Walk<'a> {
    root: &'a Root,
    reader: &'a Search,
    ignored: Ignored,
    /// The real paths of the folders that the walk is in: a link to one of them is a circle.
    inside: Vec<PathBuf>,
    entries: usize,
    found: Vec<Found>,
    errors: &'a mut Vec<CatalogError>,
}

impl Walk<'_> {
    /// Looks at a folder; `names` are those of the folders between it and the root.
    fn enter(&mut self, folder: &Path, real: PathBuf, depth: usize, names: &[String]) {
        if self.inside.contains(&real) {
            return;
        }
        let takes_skill = match self.root.holds {
            Holds::Skills { depth: most, .. } => {
                let takes_root = self.root.source == Source::Configured || self.reader.takes_root;
                depth <= most && (depth > 0 || takes_root)
            }
            Holds::Commands => depth > 0,
        };
        let goes_on = self.reader.below_skills;
        if takes_skill && self.add(folder, &real, SKILL, self.skill(names, folder)) && !goes_on {
            return;
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.error(folder, &format!("can't be read: {error}")),
        };
        let mut entries: Vec<(String, FileType)> = entries.filter_map(|entry| self.named(folder, entry)).collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        self.entries += entries.len();
        let rules: &[&str] = match self.reader.ignores {
            Ignores::Repository if self.root.source == Source::Project => &[GITIGNORE],
            Ignores::Inside(names) => names,
            Ignores::Repository | Ignores::None => &[],
        };
        let before = self.ignored.len();
        if entries.iter().any(|(name, _)| rules.contains(&name.as_str())) {
            self.ignored.enter_with(folder, rules);
        }
        if takes_skill && self.reader.any_case {
            let other = entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(SKILL));
            if let Some((name, _)) = other
                && self.add(folder, &real, name, self.skill(names, folder))
            {
                return;
            }
        }
        self.inside.push(real);
        for (name, kind) in &entries {
            let most = self.reader.max_entries.unwrap_or(MAX_ENTRIES);
            if self.entries > most || self.found.len() >= MAX_SKILLS {
                let message = format!("holds more than {MAX_SKILLS} skills or {most} files; the rest is not loaded");
                let root = self.root.path.clone();
                if !self.errors.iter().any(|error| error.path == root) {
                    self.error(&root, &message);
                }
                break;
            }
            self.entry(folder, name, *kind, depth, names);
        }
        self.inside.pop();
        self.ignored.leave(before);
    }

    /// The name and the sort of an entry; what can't be had is an error.
    fn named(&mut self, folder: &Path, entry: io::Result<DirEntry>) -> Option<(String, FileType)> {
        let problem = match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
            Ok((name, kind)) => match name.into_string() {
                Ok(name) => return Some((name, kind)),
                Err(name) => format!("has an entry whose name is no UTF-8; rename it: {}", name.display()),
            },
            // It vanished since the folder was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => format!("has an entry that can't be read: {error}"),
        };
        self.error(folder, &problem);
        None
    }

    fn entry(&mut self, folder: &Path, name: &str, kind: FileType, depth: usize, names: &[String]) {
        let path = folder.join(name);
        let real = |walk: &Self| match walk.inside.last() {
            Some(parent) if !kind.is_symlink() => Some(parent.join(name)),
            _ => path.canonicalize().ok(),
        };
        let is_folder = if kind.is_symlink() {
            path.is_dir()
        } else {
            kind.is_dir()
        };
        if !is_folder {
            let is_passed_over = self.ignored.names(&path, false);
            if is_markdown(name) && self.takes_flat(depth) && !is_passed_over {
                let separator = if self.root.holds == Holds::Commands { ":" } else { "/" };
                let parts: Vec<&str> = names.iter().map(String::as_str).collect();
                if let (Some(name), Some(parent)) = (
                    flat_name(&parts, name, separator, self.reader),
                    self.inside.last().cloned(),
                ) {
                    let file_name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    self.add(folder, &parent, file_name, (self.flat_kind(), name));
                }
            } else if kind.is_symlink() && !path.exists() {
                self.error(&path, LEADS_OUT);
            }
            return;
        }
        let skipped = (name.starts_with('.') && !self.reader.hidden)
            || self.reader.skips.contains(&name)
            || (kind.is_symlink() && !self.reader.links)
            || self.ignored.names(&path, true);
        if skipped || depth >= self.deepest() {
            return;
        }
        match real(self) {
            Some(real) if !kind.is_symlink() || self.may_follow(&real) => {
                let mut names = names.to_vec();
                names.push(name.to_owned());
                self.enter(&path, real, depth + 1, &names);
            }
            _ => self.error(&path, LEADS_OUT),
        }
    }

    /// Adds a file if there is one of that name.
    fn add(&mut self, folder: &Path, real: &Path, file: &str, (kind, name): (FileKind, String)) -> bool {
        let path = folder.join(file);
        let Ok(metadata) = path.symlink_metadata() else {
            return false;
        };
        let target = if metadata.is_symlink() {
            path.canonicalize().ok()
        } else {
            Some(real.join(file))
        };
        let is_passed_over = metadata.is_symlink() && !self.reader.linked_files;
        if metadata.is_dir() || is_passed_over || metadata.is_symlink() && path.is_dir() {
            return false;
        }
        match target {
            Some(target) if !metadata.is_symlink() || self.may_follow(&target) => self.found.push(Found {
                path,
                real: target,
                kind,
                name,
            }),
            _ => self.error(&path, LEADS_OUT),
        }
        true
    }

    /// What a `SKILL.md` in a folder is, and what it is called.
    fn skill(&self, names: &[String], folder: &Path) -> (FileKind, String) {
        let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
        match self.root.holds {
            Holds::Commands => (FileKind::Command, names.join(":")),
            Holds::Skills { .. } => (FileKind::Skill, names.last().cloned().or_else(own).unwrap_or_default()),
        }
    }

    fn flat_kind(&self) -> FileKind {
        match self.root.holds {
            Holds::Commands => FileKind::Command,
            Holds::Skills { .. } => FileKind::FlatSkill,
        }
    }

    fn takes_flat(&self, depth: usize) -> bool {
        match self.root.holds {
            Holds::Commands => true,
            Holds::Skills { flat, .. } => takes(flat, depth),
        }
    }

    /// How deep a folder may lie that is entered.
    fn deepest(&self) -> usize {
        match self.root.holds {
            Holds::Skills { depth, flat } if flat != Flat::Deep => depth,
            _ => MAX_FLAT_DEPTH,
        }
    }

    fn may_follow(&self, real: &Path) -> bool {
        self.root.fence.as_deref().is_none_or(|fence| real.starts_with(fence))
    }

    fn error(&mut self, path: &Path, message: &str) {
        self.errors.push(CatalogError {
            path: path.to_owned(),
            message: message.to_owned(),
        });
    }
}

/// Whether plain files so deep are skills.
fn takes(flat: Flat, depth: usize) -> bool {
    match flat {
        Flat::None => false,
        Flat::Direct => depth == 0,
        Flat::Below => (1..=MAX_FLAT_DEPTH).contains(&depth),
        Flat::Deep => depth <= MAX_FLAT_DEPTH,
    }
}

fn is_markdown(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The name of a plain Markdown file: its path without the extension. `README.md` tells people about the folder.
fn flat_name(folders: &[&str], file: &str, separator: &str, reader: &Search) -> Option<String> {
    // To who knows `SKILL.md` in these letters alone, `skill.md` is a plain file.
    let is_skill = file == SKILL || file.eq_ignore_ascii_case(SKILL) && (reader.any_case || separator == ":");
    if file == "README.md" || is_skill || !is_markdown(file) {
        return None;
    }
    let stem = Path::new(file).file_stem()?.to_str()?;
    let mut parts = folders.to_vec();
    parts.push(stem);
    Some(parts.join(separator))
}
