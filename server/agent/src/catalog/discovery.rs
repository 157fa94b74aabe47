use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use super::skill::{Place, Skill, Source};
use super::{Catalog, CatalogError, precedence};

/// The folders that hold skills, in their order of precedence, and how deep a skill may lie below each.
///
/// Claude Code looks at `NAME/SKILL.md` alone; the shared folder may hold collections, down to thndrs's depth.
const ROOTS: &[(&str, usize)] = &[(".agents/skills", 8), (".claude/skills", 1)];

/// The most entries looked at below one root.
const MAX_ENTRIES: usize = 20_000;
/// The most skills of one root.
const MAX_SKILLS: usize = 5_000;
/// The longest skill, in bytes.
const MAX_SKILL_BYTES: u64 = 4 << 20;

/// Where to look for skills.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The workspace's folders, absolute, in their order.
    pub folders: Vec<PathBuf>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// Whether links of the workspace that lead out of it are followed: only where it is trusted.
    pub follow_outside: bool,
    /// The texts of open skill files, by absolute path: they count instead of the disk's, on the disk or not.
    pub open: BTreeMap<PathBuf, Arc<str>>,
}

/// One root while it is walked.
struct Root<'a> {
    source: Source,
    /// The project's or home folder.
    folder: &'a Path,
    path: PathBuf,
    depth: usize,
    order: usize,
    bases: Arc<[PathBuf]>,
    /// The folder that links must not lead out of.
    fence: Option<PathBuf>,
}

impl Discovery {
    /// Finds and reads all skills. Reads the disk, so it belongs on a thread that may block.
    pub fn run(&self) -> Catalog {
        // By real path: what is reached twice is one skill.
        let mut found = BTreeMap::new();
        let mut errors = Vec::new();
        for root in self.roots() {
            let mut folder = None;
            for path in self.skill_files(&root, &mut errors) {
                // `SKILL.md` beside `skill.md`: the first in order counts.
                if folder.as_deref() != path.parent() {
                    folder = path.parent().map(Path::to_owned);
                    add(path, &root, &mut found);
                }
            }
        }
        Catalog {
            skills: precedence::resolved(self.read(found)),
            errors,
        }
    }

    fn roots(&self) -> Vec<Root<'_>> {
        let everywhere: Arc<[PathBuf]> = self.folders.iter().flat_map(|folder| spellings(folder)).collect();
        let projects = self.folders.iter().map(|folder| (Source::Project, folder));
        let mut roots = Vec::new();
        for (source, folder) in projects.chain(self.home.iter().map(|home| (Source::User, home))) {
            let (bases, is_fenced) = match source {
                Source::Project => (spellings(folder).into(), !self.follow_outside),
                Source::User => (everywhere.clone(), false),
            };
            let fence = is_fenced.then(|| folder.canonicalize().unwrap_or_else(|_| folder.clone()));
            for (name, depth) in ROOTS {
                roots.push(Root {
                    source,
                    folder,
                    path: folder.join(name),
                    depth: *depth,
                    order: roots.len(),
                    bases: bases.clone(),
                    fence: fence.clone(),
                });
            }
        }
        roots
    }

    /// The skill files of a root, open ones that are not on the disk included, sorted.
    fn skill_files(&self, root: &Root<'_>, errors: &mut Vec<CatalogError>) -> BTreeSet<PathBuf> {
        let mut files: BTreeSet<PathBuf> = self.open.keys().filter(|path| root.may_hold(path)).cloned().collect();
        files.retain(|path| !path.exists());
        if !root.path.is_dir() {
            return files;
        }
        let outside: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        if !is_inside(root.fence.as_deref(), &root.path) {
            errors.push(leads_out(root.path.clone()));
            return files;
        }
        let mut builder = WalkBuilder::new(&root.path);
        builder
            .follow_links(true)
            .max_depth(Some(root.depth + 1))
            .require_git(false)
            .sort_by_file_name(Ord::cmp);
        if root.source == Source::User {
            // A home kept in git often ignores everything that it does not name.
            builder.git_ignore(false).git_exclude(false).parents(false);
        }
        let (fence, refused) = (root.fence.clone(), outside.clone());
        builder.filter_entry(move |entry| {
            let stays = !entry.path_is_symlink() || is_inside(fence.as_deref(), entry.path());
            if !stays {
                let path = entry.path().to_owned();
                refused.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
            stays && takes(entry)
        });
        let mut add_error = |message: String| {
            errors.push(CatalogError {
                path: root.path.clone(),
                message,
            });
        };
        for (count, entry) in builder.build().enumerate() {
            if count == MAX_ENTRIES || files.len() == MAX_SKILLS {
                let limit = if count == MAX_ENTRIES { "entries" } else { "skills" };
                add_error(format!("too many {limit}; the rest is not loaded"));
                break;
            }
            match entry {
                Ok(entry) if root.may_hold(entry.path()) && !entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    files.insert(entry.into_path());
                }
                Ok(_) => {}
                Err(error) => add_error(error.to_string()),
            }
        }
        let outside = std::mem::take(&mut *outside.lock().unwrap_or_else(PoisonError::into_inner));
        errors.extend(outside.into_iter().map(leads_out));
        files
    }

    fn read(&self, found: BTreeMap<PathBuf, Place>) -> Vec<Skill> {
        found
            .into_values()
            .map(|place| {
                let open = std::iter::once(&place.path)
                    .chain(&place.aliases)
                    .find_map(|path| self.open.get(path));
                let text = open.cloned().map_or_else(|| read(&place.path), Ok);
                Skill::read(place, text)
            })
            .collect()
    }
}

impl Root<'_> {
    /// Whether a path is that of a skill's file at a place that counts.
    fn may_hold(&self, path: &Path) -> bool {
        let depth = path
            .strip_prefix(&self.path)
            .map_or(0, |inner| inner.components().count());
        let is_skill = path
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        is_skill && (2..=self.depth + 1).contains(&depth)
    }
}

/// Adds a skill, or another path to one that was found before.
fn add(path: PathBuf, root: &Root<'_>, found: &mut BTreeMap<PathBuf, Place>) {
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    if let Some(place) = found.get_mut(&real) {
        if place.path != path && !place.aliases.contains(&path) {
            place.aliases.push(path);
            place.aliases.sort();
        }
        return;
    }
    let aliases = if real == path { Vec::new() } else { vec![real.clone()] };
    let place = Place {
        source: root.source,
        path,
        aliases,
        root: root.folder.to_owned(),
        bases: root.bases.clone(),
        order: root.order,
    };
    found.insert(real, place);
}

/// Whether a path, its links followed, stays inside a fence.
fn is_inside(fence: Option<&Path>, path: &Path) -> bool {
    fence.is_none_or(|fence| path.canonicalize().is_ok_and(|real| real.starts_with(fence)))
}

fn leads_out(path: PathBuf) -> CatalogError {
    let message = "leads out of the workspace, or nowhere; trust the folder to load skills from elsewhere".to_owned();
    CatalogError { path, message }
}

/// The path as given and without symbolic links.
fn spellings(folder: &Path) -> Vec<PathBuf> {
    let real = folder.canonicalize().ok().filter(|real| real != folder);
    std::iter::once(folder.to_owned()).chain(real).collect()
}

/// Whether the walk goes on into an entry: not below a skill, which owns its folder.
fn takes(entry: &DirEntry) -> bool {
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    if !is_dir || entry.depth() == 0 {
        return true;
    }
    let is_skipped = entry.file_name() == "node_modules";
    let in_skill = entry.depth() > 1
        && entry
            .path()
            .parent()
            .is_some_and(|parent| parent.join("SKILL.md").is_file());
    !is_skipped && !in_skill
}

/// The text, or why there is none.
fn read(path: &Path) -> Result<Arc<str>, String> {
    let failed = |error: io::Error| format!("can't be read: {error}");
    let file = open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err("is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MAX_SKILL_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_SKILL_BYTES {
        return Err(format!(
            "is longer than {MAX_SKILL_BYTES} bytes; move parts of it to other files"
        ));
    }
    String::from_utf8(bytes)
        .map(Arc::from)
        .map_err(|_| "is not UTF-8; save it as UTF-8".to_owned())
}

/// Opens without waiting: a pipe of that name would block for ever.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}
