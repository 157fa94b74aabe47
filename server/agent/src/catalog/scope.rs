use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::dialect::{Dialect, Profiles, View};
use skills_schema::glob::{Flavour, PathMatcher};

use crate::workspace::slashed;

use super::bundled::Conditions;
use skills_schema::reader::search::Source;

/// Where to look for skills, and as whom.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The workspace's folders, absolute, in their order.
    pub folders: Vec<PathBuf>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// The folder that an administrator manages for Claude Code.
    pub managed: Option<PathBuf>,
    /// Further folders, absolute: of skills, of projects with skills, or of plugins.
    pub directories: Vec<PathBuf>,
    /// The folders that the person trusts. Only there are links followed that lead out of the folder.
    pub trusted: Vec<PathBuf>,
    /// Files that were opened or read: folders of skills beside them count, too.
    pub touched: BTreeSet<PathBuf>,
    /// The texts of open skill files, by absolute path: they count instead of the disk's, on the disk or not.
    pub open: BTreeMap<PathBuf, Arc<str>>,
    /// What the bundled skills depend on; `None` for none of them.
    pub bundled: Option<Conditions>,
    /// The system whose catalog is wanted, as it finds, reads and prefers skills; `None` for that of all.
    pub reader: Option<View>,
    /// How the files of folders are read, where somebody said so.
    pub configured: Arc<[Configured]>,
}

/// How the files below a folder are read, where somebody said so.
#[derive(Debug, Clone, Default)]
pub struct Configured {
    /// The folder: the innermost around a file counts. An empty path is for files in no other.
    pub folder: PathBuf,
    /// Who reads the files that a pattern matches, by their paths from the folder; the first that matches counts.
    pub dialects: Vec<(PathMatcher, Dialect)>,
    /// Which profile of each reader counts.
    pub profiles: Profiles,
    /// How the patterns of `paths` are read, instead of as each skill's own system does.
    pub flavour: Option<Flavour>,
}

impl Configured {
    /// Who reads a file below the folder; `None` where nobody said so.
    pub(super) fn dialect(&self, file: &Path) -> Option<Dialect> {
        let relative = slashed(file.strip_prefix(&self.folder).unwrap_or(file));
        let relative = relative.trim_start_matches('/');
        let mut dialects = self.dialects.iter();
        let found = dialects.find(|(files, _)| files.matches(relative).is_some());
        found.map(|(_, dialect)| *dialect)
    }
}

/// A folder where skills are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The folder, which may not be there.
    pub path: PathBuf,
    /// The project's, home or other folder that it lies below.
    pub base: PathBuf,
    /// Whose it is.
    pub source: Source,
    /// Whether what lies there may ask for anything.
    pub is_trusted: bool,
}

impl Discovery {
    /// Whether the person trusts a folder.
    pub(super) fn trusts(&self, folder: &Path) -> bool {
        self.trusted.iter().any(|trusted| trusted == folder)
    }
}
