//! The folders that exist here, out of those where a system looks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::dialect::Dialect;
use skills_schema::reader::search::{Flat, Holds, Search, SkillsFolder};

use super::ignored::Ignored;
use super::repository::{main_checkout, repository};
use super::{Discovery, always_on, plugins};
use skills_schema::reader::search::Source;

/// One folder of skills.
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub(super) source: Source,
    /// The project's, home or managed folder that it lies below.
    pub(super) base: PathBuf,
    pub(super) path: PathBuf,
    pub(super) holds: Holds,
    /// Its place among all, the best first.
    pub(super) order: usize,
    /// The folders that patterns start at.
    pub(super) bases: Arc<[PathBuf]>,
    /// The folder that links must not lead out of.
    pub(super) fence: Option<PathBuf>,
    /// What it says may take effect once the person confirms it.
    pub(super) is_trusted: bool,
    /// The folder of the workspace that its skills are for, where that is not all of it.
    pub(super) nested_in: Option<String>,
    /// What stands before its skills' names.
    pub(super) plugin: Option<String>,
}

/// The roots of a reader, the best first. Each is there once.
pub(super) fn roots(discovery: &Discovery, reader: &Search) -> Vec<Root> {
    let everywhere: Arc<[PathBuf]> = discovery.folders.iter().flat_map(|folder| spellings(folder)).collect();
    let mut roots = Roots {
        discovery,
        reader,
        everywhere,
        seen: BTreeSet::new(),
        roots: Vec::new(),
    };
    if let Some(managed) = &discovery.managed {
        roots.add_base(Source::Managed, managed);
    }
    for folder in &discovery.folders {
        let repository = repository(folder);
        for project in reader.project.of(folder, repository) {
            roots.add_project(project);
        }
        roots.add_main_checkout(repository);
        roots.add_nested(folder);
    }
    if let Some(home) = &discovery.home {
        roots.add_base(Source::User, home);
    }
    for directory in &discovery.directories {
        roots.add_directory(directory);
    }
    if reader.plugins {
        let home = discovery.home.iter().flat_map(|home| plugins::installed(home));
        let plugins: Vec<_> = home.chain(discovery.folders.iter().cloned()).collect();
        plugins.iter().for_each(|folder| roots.add_plugin(folder));
    }
    roots.roots
}

struct Roots<'a> {
    discovery: &'a Discovery,
    reader: &'a Search,
    /// Where patterns start of what belongs to no project.
    everywhere: Arc<[PathBuf]>,
    seen: BTreeSet<PathBuf>,
    roots: Vec<Root>,
}

impl Roots<'_> {
    /// The folders of a home or of an administrator.
    fn add_base(&mut self, source: Source, base: &Path) {
        for folder in self.reader.folders.iter().filter(|it| it.below.contains(&source)) {
            self.push(Root {
                source,
                path: base.join(folder.path),
                holds: folder.holds,
                ..self.outside(base)
            });
        }
        let synced = base.join(".claude/skills/synced");
        if source == Source::User && self.reader.plugins && synced.is_dir() {
            self.push(Root {
                source: Source::Synced,
                path: synced,
                holds: DIRECT,
                is_trusted: false,
                ..self.outside(base)
            });
        }
    }

    /// The folders of a project, which may lie above the opened one.
    fn add_project(&mut self, project: &Path) {
        let is_trusted = self.discovery.trusts(project);
        // Patterns of what lies above start there, and can only match below the opened folder.
        let bases: Arc<[PathBuf]> = spellings(project).into();
        for folder in self
            .reader
            .folders
            .iter()
            .filter(|it| it.below.contains(&Source::Project))
        {
            self.push(Root {
                source: Source::Project,
                base: project.to_owned(),
                path: project.join(folder.path),
                holds: folder.holds,
                order: 0,
                bases: bases.clone(),
                fence: fence(project, is_trusted),
                is_trusted,
                nested_in: None,
                plugin: None,
            });
        }
    }

    /// The skills of the checkout that a linked worktree belongs to, behind the worktree's own. Claude Code 2.1.47.
    fn add_main_checkout(&mut self, repository: Option<&Path>) {
        let Some((worktree, main)) = repository.and_then(|worktree| Some((worktree, main_checkout(worktree)?))) else {
            return;
        };
        let is_trusted = self.discovery.trusts(&main);
        let bases: Arc<[PathBuf]> = spellings(worktree).into();
        for folder in self.reader.folders.iter().filter(|folder| folder.nested) {
            self.push(Root {
                source: Source::Project,
                path: main.join(folder.path),
                holds: folder.holds,
                bases: bases.clone(),
                fence: fence(&main, is_trusted),
                is_trusted,
                ..self.outside(&main)
            });
        }
    }

    /// The folders beside what is open, deeper first.
    fn add_nested(&mut self, opened: &Path) {
        let is_nested = |folder: &&SkillsFolder| folder.nested;
        if !self.reader.folders.iter().any(|folder| is_nested(&folder)) {
            return;
        }
        let inside = |path: &PathBuf| path.starts_with(opened);
        let folders: BTreeSet<&Path> = self
            .discovery
            .touched
            .iter()
            .filter(|path| inside(path))
            .flat_map(|path| path.ancestors().take_while(|folder| *folder != opened))
            .collect();
        let is_trusted = self.discovery.trusts(opened);
        let bases: Arc<[PathBuf]> = spellings(opened).into();
        for folder in folders.into_iter().rev() {
            let rows = self.reader.folders.iter().filter(is_nested);
            let present: Vec<_> = rows.filter(|row| folder.join(row.path).is_dir()).collect();
            let Ok(below) = folder.strip_prefix(opened) else {
                continue;
            };
            if present.is_empty() || is_ignored(opened, below) {
                continue;
            }
            let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
            for row in present {
                self.push(Root {
                    source: Source::Project,
                    base: opened.to_owned(),
                    path: folder.join(row.path),
                    holds: row.holds,
                    order: 0,
                    bases: bases.clone(),
                    fence: fence(opened, is_trusted),
                    is_trusted,
                    nested_in: Some(names.join("/")),
                    plugin: None,
                });
            }
        }
    }

    /// A folder of the configuration: a plugin; or skills, those in the folders of a project included.
    fn add_directory(&mut self, directory: &Path) {
        if self.reader.plugins && plugins::name(directory).is_some() {
            return self.add_plugin(directory);
        }
        // First, so that their skills have the plugin's name: two plugins may have one of the same name.
        if self.reader.plugins {
            plugins::below(directory)
                .iter()
                .for_each(|plugin| self.add_plugin(plugin));
        }
        let rows = self.reader.folders.iter();
        let mut present: Vec<_> = rows.map(|row| (directory.join(row.path), row.holds)).collect();
        present.retain(|(path, _)| path.is_dir());
        let collection = Holds::Skills {
            depth: 8,
            flat: Flat::None,
        };
        present.push((directory.to_owned(), collection));
        for (path, holds) in present {
            self.push(Root {
                source: Source::Configured,
                path,
                holds,
                ..self.outside(directory)
            });
        }
    }

    fn add_plugin(&mut self, folder: &Path) {
        let Some(name) = plugins::name(folder) else { return };
        let of_workspace = self.discovery.folders.iter().any(|opened| folder.starts_with(opened));
        let is_trusted = !of_workspace || self.discovery.trusts(folder);
        for (path, holds) in [("skills", DIRECT), ("commands", Holds::Commands)] {
            self.push(Root {
                source: Source::Plugin,
                path: folder.join(path),
                holds,
                plugin: Some(name.clone()),
                is_trusted,
                fence: fence(folder, is_trusted),
                ..self.outside(folder)
            });
        }
    }

    /// A root that belongs to no project: its patterns start at each.
    fn outside(&self, base: &Path) -> Root {
        Root {
            source: Source::User,
            base: base.to_owned(),
            path: PathBuf::new(),
            holds: DIRECT,
            order: 0,
            bases: self.everywhere.clone(),
            fence: None,
            is_trusted: true,
            nested_in: None,
            plugin: None,
        }
    }

    fn push(&mut self, root: Root) {
        if self.seen.insert(root.path.clone()) {
            let order = self.roots.len();
            self.roots.push(Root { order, ..root });
        }
    }
}

/// Whether a folder below an opened one has skills or instructions of its own, which count once something in it is
/// touched. Asks the disk.
pub fn has_nested(folder: &Path) -> bool {
    let mut skills = Dialect::Unified
        .search()
        .folders
        .iter()
        .filter(|row| row.nested)
        .map(|row| row.path);
    skills.any(|path| folder.join(path).is_dir()) || always_on::is_in(folder)
}

const DIRECT: Holds = Holds::Skills {
    depth: 1,
    flat: Flat::None,
};

/// Links of a folder that is not trusted must not lead out of it.
fn fence(folder: &Path, is_trusted: bool) -> Option<PathBuf> {
    (!is_trusted).then(|| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()))
}

/// Whether `.gitignore` names a folder below an opened one, or it is one of packages that others made.
fn is_ignored(opened: &Path, below: &Path) -> bool {
    let mut ignored = Ignored::above(&opened.join("any"));
    let mut folder = opened.to_owned();
    below.iter().any(|name| {
        folder.push(name);
        let is_ignored = name == "node_modules" || ignored.names(&folder, true);
        ignored.enter(&folder);
        is_ignored
    })
}

/// The path as given and without symbolic links.
fn spellings(folder: &Path) -> Vec<PathBuf> {
    let real = folder.canonicalize().ok().filter(|real| real != folder);
    std::iter::once(folder.to_owned()).chain(real).collect()
}
