//! The names in a folder of the workspace, as far as they matter for commands, remembered from one command to the next.
//!
//! A folder of packages can hold tens of thousands of files, and each command is looked at twice. So a folder is read again
//! only where something in it changed: the kernel tells of that ([`super::watch`]), and where it can't, the time of the
//! folder's last change does.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use super::watch::Watch;
use crate::permission::{Access, PathRules, git};
use crate::workspace::sensitive;

/// The parts of a repository that git runs or is configured by; the rest changes with every command of git.
/// `remotes` and `branches` say where remotes are that no configuration knows, and a push there runs hooks.
const OF_REPOSITORY: &[&str] = &[
    "hooks",
    "config",
    "config.worktree",
    "commondir",
    "info/attributes",
    "remotes",
    "branches",
];
/// Folders that package managers fill.
const OF_PACKAGES: &[&str] = &["node_modules", ".venv", "venv"];
/// The deepest folder that is looked into.
pub(super) const MAX_DEPTH: usize = 40;
/// The most files and folders that are looked at, which takes about a second the first time.
pub(super) const MAX_ENTRIES: usize = 500_000;
/// From how many folders on several threads share the work.
const MIN_SHARED: usize = 64;
/// The most threads that do.
const MAX_THREADS: usize = 8;
/// A file system may count times in seconds: a change that young can be followed by another with the same time.
const MIN_AGE: Duration = Duration::from_secs(2);

/// The folders of the workspaces that commands of a server ran in.
#[derive(Debug)]
pub(crate) struct Trees {
    pub(super) trees: Mutex<BTreeMap<PathBuf, Tree>>,
    /// The most files and folders of each that are looked at.
    pub(super) most: usize,
}

impl Default for Trees {
    fn default() -> Self {
        Self {
            trees: Mutex::default(),
            most: MAX_ENTRIES,
        }
    }
}

/// What names say of the files in a folder.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// What must not be read.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// What must not be changed.
    pub(super) held: BTreeSet<PathBuf>,
    /// Folders named `.git`.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// What git is still to do in each repository: such a list can name commands.
    pub(super) plans: BTreeSet<PathBuf>,
    /// What links lead to that must not be changed, each with its links. It counts as long as they do.
    pub(super) targets: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Folders that nobody can look into.
    pub(super) closed: BTreeSet<PathBuf>,
    /// Whether there was more than is looked at.
    pub(super) is_cut: bool,
    /// The folders that hold it.
    pub(super) unseen: BTreeSet<PathBuf>,
}

impl Trees {
    /// What must not be read and what must not be changed below a folder: by the person's rules, and by the table of sensitive
    /// files if that counts: not in folders of packages if the command `installs`.
    pub(super) fn find(&self, root: &Path, by_table: bool, installs: bool, rules: Option<&Arc<PathRules>>) -> Names {
        let mut trees = self.trees.lock();
        let tree = trees.entry(root.to_owned()).or_default();
        tree.look(root, self.most, rules);
        tree.found(root, by_table, installs)
    }

    /// How many folders were seen to move so far: who looks through them meanwhile can miss one.
    pub(in crate::process) fn moves(&self) -> u64 {
        let mut trees = self.trees.lock();
        let moves = trees.values_mut().map(|tree| {
            tree.listen();
            tree.watch.moves
        });
        moves.sum()
    }

    /// Whether a folder, which has more than is looked at, was not told of yet.
    pub(super) fn is_first(&self, root: &Path) -> bool {
        let mut trees = self.trees.lock();
        trees
            .get_mut(root)
            .is_some_and(|tree| !std::mem::replace(&mut tree.is_told, true))
    }

    /// The folders that may hold one of these files, by its number, under any name.
    pub(super) fn folders_with(&self, root: &Path, numbers: &HashSet<u64>) -> Vec<PathBuf> {
        let trees = self.trees.lock();
        let folders = trees.get(root).into_iter().flat_map(|tree| &tree.folders);
        let with = folders.filter(|(_, folder)| folder.files.iter().any(|number| numbers.contains(number)));
        with.map(|(path, _)| path.clone()).collect()
    }
}

/// The folders below one.
#[derive(Debug)]
pub(super) struct Tree {
    rules: Option<Arc<PathRules>>,
    folders: HashMap<PathBuf, Folder>,
    watch: Watch,
    /// The folders that changed since they were read; `None` where some changes were not told.
    changed: Option<Vec<PathBuf>>,
    is_cut: bool,
    unseen: BTreeSet<PathBuf>,
    is_told: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            rules: None,
            folders: HashMap::new(),
            watch: Watch::default(),
            changed: Some(Vec::new()),
            is_cut: false,
            unseen: BTreeSet::new(),
            is_told: false,
        }
    }
}

/// One folder, as it was read.
#[derive(Debug, Default)]
struct Folder {
    /// What tells of changes in it.
    watched: Option<i32>,
    /// Where nothing does; `None` means that it is read each time.
    stamp: Option<Stamp>,
    /// What it is, whatever it is called.
    number: u64,
    folders: Vec<(OsString, u64)>,
    /// The numbers of the files in it, where the system has such.
    files: Vec<u64>,
    telling: Vec<Telling>,
    /// Whether git takes it for a repository.
    is_repository: bool,
    /// Whether nobody can look into it.
    is_closed: bool,
}

/// An entry that rules or the table say something of.
#[derive(Debug)]
struct Telling {
    name: OsString,
    is_link: bool,
    /// What the person's rules leave.
    access: Access,
    /// What the table says.
    is_secret: bool,
    is_held: bool,
}

/// The state of a folder: its device, its number, and when an entry of it last came or went.
type Stamp = (u64, u64, SystemTime);

impl Tree {
    /// Takes in what was told.
    fn listen(&mut self) {
        let more = self.watch.changed();
        if let (Some(changed), Some(more)) = (&mut self.changed, &more) {
            changed.extend(more.iter().cloned());
        } else {
            self.changed = None;
        }
    }

    /// Brings it up to date.
    fn look(&mut self, root: &Path, most: usize, rules: Option<&Arc<PathRules>>) {
        if self.rules.as_deref() != rules.map(Arc::as_ref) {
            *self = Self {
                rules: rules.cloned(),
                is_told: self.is_told,
                ..Self::default()
            };
        }
        self.listen();
        let changed = self.changed.replace(Vec::new());
        let is_told = changed.is_some();
        let mut stale = changed.unwrap_or_default();
        let doubtful = self
            .folders
            .iter()
            .filter(|(_, folder)| !is_told || folder.watched.is_none());
        let doubtful: Vec<_> = doubtful.collect();
        let differs = in_parts(&doubtful, |(path, folder)| {
            folder.stamp.is_none() || stamp(path) != folder.stamp
        });
        let differing = doubtful.iter().zip(differs).filter(|(_, differs)| *differs);
        stale.extend(differing.map(|((path, _), _)| (*path).clone()));
        let mut gone = Vec::new();
        for path in stale {
            gone.extend(self.folders.remove_entry(&path));
        }
        if gone.is_empty() && self.folders.contains_key(root) {
            return;
        }
        gone.extend(self.read(root, most));
        for (path, folder) in gone {
            let is_over = |watched| self.folders.get(&path).is_none_or(|now| now.watched != Some(watched));
            if let Some(watched) = folder.watched.filter(|watched| is_over(*watched)) {
                self.watch.forget(watched, &path);
            }
        }
    }

    /// Reads what is not known, from the top; gives what is not there any more.
    fn read(&mut self, root: &Path, most: usize) -> HashMap<PathBuf, Folder> {
        let mut old = std::mem::take(&mut self.folders);
        let (mut left, mut frontier) = (most, vec![(root.to_owned(), number_of(root))]);
        self.is_cut = false;
        self.unseen.clear();
        for _ in 0..=MAX_DEPTH {
            // Another folder may be in its place, which nothing tells of the folders inside.
            let is_known = |(path, number): &(PathBuf, u64)| old.get(path).is_some_and(|it| it.number == *number);
            let (known, new): (Vec<_>, Vec<_>) = frontier.into_iter().partition(is_known);
            let new: Vec<PathBuf> = new.into_iter().map(|(path, _)| path).collect();
            // First it is watched and then read, so that no change falls between.
            let watched: Vec<_> = new.iter().map(|path| self.watch.add(path)).collect();
            let rules = self.rules.as_deref();
            let read = in_parts(&new, |path| Folder::read(root, path, rules));
            let read = new.into_iter().zip(read).zip(watched);
            let read: Vec<_> = read
                .map(|((path, folder), watched)| {
                    let is_same = |folder: &Folder, watch: &mut Watch| {
                        watch.add(&path) == watched && number_of(&path) == folder.number
                    };
                    let folder = match watched {
                        None => folder,
                        Some(_) if is_same(&folder, &mut self.watch) => Folder { watched, ..folder },
                        // Another one came in between, and changes would be reported for it: this is read each time.
                        Some(_) => Folder { stamp: None, ..folder },
                    };
                    (path, folder)
                })
                .collect();
            let known = known.into_iter().filter_map(|(path, _)| old.remove_entry(&path));
            frontier = Vec::new();
            for (path, folder) in known.collect::<Vec<_>>().into_iter().chain(read) {
                let entries = folder.folders.len() + folder.files.len();
                let below = folder.folders.iter().map(|(name, number)| (path.join(name), *number));
                if entries <= left / 2 {
                    left -= entries;
                    frontier.extend(below);
                } else {
                    // One that is too large for itself hides nothing but what is in it.
                    self.is_cut = true;
                    match path == root {
                        true => self.unseen.extend(below.map(|(path, _)| path)),
                        false if folder.folders.is_empty() => {}
                        false => drop(self.unseen.insert(path.clone())),
                    }
                }
                self.folders.insert(path, folder);
            }
            if frontier.is_empty() {
                return old;
            }
        }
        self.is_cut = true;
        let above = frontier.iter().filter_map(|(path, _)| path.parent());
        self.unseen.extend(above.map(Path::to_owned));
        old
    }

    /// What its names say now; what links lead to, and what git's configurations name, is looked up each time.
    fn found(&self, root: &Path, by_table: bool, installs: bool) -> Names {
        let mut found = Names {
            is_cut: self.is_cut,
            unseen: self.unseen.clone(),
            ..Names::default()
        };
        let inside = |path: &PathBuf| path.starts_with(root) && path != root;
        for (folder, known) in &self.folders {
            let by_table = by_table && !(installs && is_of_packages(root, folder));
            if by_table && known.is_closed && folder != root {
                // What nobody can look into may hold anything.
                found.hidden.insert(folder.clone());
                found.held.insert(folder.clone());
                found.closed.insert(folder.clone());
            }
            let is_named_so = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
            if by_table && (known.is_repository || is_named_so) {
                found.held.extend(repository(root, folder, 0));
                found.plans.extend(plans(folder));
            }
            if by_table && is_named_so {
                found.repositories.insert(folder.clone());
            }
            for entry in &known.telling {
                let path = folder.join(&entry.name);
                // Where it is a link, what it leads to is meant.
                let target = entry.is_link.then(|| path.canonicalize().ok()).flatten();
                if !entry.access.read || by_table && entry.is_secret {
                    found.hidden.extend([path.clone()].into_iter().chain(target.clone()));
                }
                if !entry.access.write || by_table && entry.is_held {
                    if let Some(target) = target.filter(inside) {
                        found.targets.entry(target).or_default().push(path.clone());
                    }
                    found.held.insert(path);
                }
            }
        }
        for all in [&mut found.hidden, &mut found.held] {
            outermost(all);
        }
        found
    }
}

impl Folder {
    fn read(root: &Path, folder: &Path, rules: Option<&PathRules>) -> Self {
        let mut read = Self {
            stamp: stamp(folder),
            number: number_of(folder),
            ..Self::default()
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let is_gone = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                read.is_closed = !is_gone;
                return read;
            }
        };
        #[cfg(unix)]
        {
            read.is_closed = rustix::fs::access(folder, rustix::fs::Access::EXEC_OK).is_err();
        }
        let inner = folder.strip_prefix(root).unwrap_or(folder);
        // Git's own record is looked at as a repository.
        let is_record = inner.components().any(|part| part.as_os_str() == ".git");
        for entry in entries.flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else {
                continue;
            };
            let access = rules.map_or(Access::ALL, |rules| rules.access(&folder.join(&name)));
            let inner = inner.join(&name);
            let (is_secret, is_held) = match is_record {
                true => (false, false),
                false => {
                    let found = sensitive::find(&inner);
                    (found.secret.is_some(), found.protection.is_some_and(|row| row.held))
                }
            };
            // One that is no folder leads to a repository elsewhere.
            // Some file systems take capitals for the same letters, and git with them.
            let is_held = is_held || name.eq_ignore_ascii_case(".git") && !kind.is_dir();
            if name.eq_ignore_ascii_case("HEAD") && git::is_repository(folder) {
                read.is_repository = true;
            }
            if kind.is_dir() {
                read.folders.push((name.clone(), number(&entry)));
            } else {
                read.files.push(number(&entry));
            }
            if access != Access::ALL || is_secret || is_held {
                read.telling.push(Telling {
                    name,
                    is_link: kind.is_symlink(),
                    access,
                    is_secret,
                    is_held,
                });
            }
        }
        read
    }
}

/// Whether a folder is one of packages, or in one.
pub(super) fn is_of_packages(root: &Path, folder: &Path) -> bool {
    let inner = folder.strip_prefix(root).unwrap_or(folder);
    let mut parts = inner.components();
    parts.any(|part| OF_PACKAGES.iter().any(|name| part.as_os_str() == *name))
}

/// Leaves out what lies in another one.
pub(super) fn outermost(paths: &mut BTreeSet<PathBuf>) {
    // In this order a folder stands right before what is in it.
    let mut last: Option<PathBuf> = None;
    paths.retain(|path| {
        if last.as_ref().is_some_and(|last| path.starts_with(last)) {
            return false;
        }
        last = Some(path.clone());
        true
    });
}

/// What git runs, or is told by, in a repository's folder and in those of its submodules and worktrees.
fn repository(root: &Path, folder: &Path, depth: usize) -> Vec<PathBuf> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let mut places: Vec<PathBuf> = OF_REPOSITORY.iter().map(|part| folder.join(part)).collect();
    let mut named = Vec::new();
    for config in ["config", "config.worktree"] {
        git::named_by(&folder.join(config), folder.parent(), &mut named);
    }
    places.extend(
        named
            .into_iter()
            .filter(|place| place.starts_with(root) && place != root),
    );
    places.retain(|place| fs::symlink_metadata(place).is_ok());
    for below in ["modules", "worktrees"] {
        places.extend(repositories(root, &folder.join(below), depth + 1));
    }
    places
}

/// What git is in the midst of, in a repository and in its work trees; submodules are found by themselves.
fn plans(repository: &Path) -> Vec<PathBuf> {
    let trees = fs::read_dir(repository.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten();
    let places = trees.map(|entry| entry.path()).chain([repository.to_owned()]);
    let plans = places.flat_map(|place| git::state::places(&place).collect::<Vec<_>>());
    plans.filter(|plan| fs::symlink_metadata(plan).is_ok()).collect()
}

/// The same of the repositories in a folder; a submodule's name may have several parts. A link among them leads to a
/// repository that nobody looks after.
fn repositories(root: &Path, folder: &Path, depth: usize) -> Vec<PathBuf> {
    let of = |path: PathBuf| match fs::symlink_metadata(&path).map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_symlink() => vec![path],
        Ok(kind) if kind.is_dir() && (path.join("HEAD").exists() || depth > MAX_DEPTH) => {
            repository(root, &path, depth)
        }
        Ok(kind) if kind.is_dir() => repositories(root, &path, depth + 1),
        _ => Vec::new(),
    };
    if folder.is_symlink() {
        return of(folder.to_owned());
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.flat_map(|entry| of(entry.path())).collect()
}

/// Does the same for each, on several threads where there are many.
fn in_parts<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MAX_THREADS);
    if items.len() < MIN_SHARED || threads == 1 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(threads));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let done = parts.into_iter().flat_map(|part| {
            // What went wrong there goes wrong here.
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.collect()
    })
}

/// A folder's state; `None` where it can't be relied on.
fn stamp(folder: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    #[cfg(unix)]
    let (device, number, changed) = {
        use std::os::unix::fs::MetadataExt;
        // Unlike the time of the last write nobody can set this one.
        let seconds = Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
        let rest = Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
        (metadata.dev(), metadata.ino(), SystemTime::UNIX_EPOCH + seconds + rest)
    };
    #[cfg(not(unix))]
    let (device, number, changed) = (0, 0, metadata.modified().ok()?);
    let is_old = SystemTime::now()
        .duration_since(changed)
        .is_ok_and(|age| age >= MIN_AGE);
    is_old.then_some((device, number, changed))
}

/// A folder's number on its disk; 0 where there is none.
fn number_of(folder: &Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::symlink_metadata(folder).map_or(0, |metadata| metadata.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        0
    }
}

/// The same of an entry, as its folder gives it.
fn number(entry: &fs::DirEntry) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirEntryExt;
        entry.ino()
    }
    #[cfg(not(unix))]
    {
        let _ = entry;
        0
    }
}
