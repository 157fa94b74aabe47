//! The files of a workspace that a command must not change or read: found before it runs, and looked at again afterwards.
//!
//! Where a command has mounts of its own, what is there is held by the kernel. What is not there yet can't be: it is taken
//! back when the command has ended, and told. The folder is walked for it, because names decide, at any depth.
#![expect(
    clippy::disallowed_methods,
    reason = "what a command wrote is taken back as it wrote it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::permission::{Access, git};
use crate::record::private_folder;
use crate::workspace::sensitive::{is_held, is_secret};
use crate::workspace::{Workspace, slashed};

/// Folders of what others made, in which nobody looks for what runs or configures; they hold most files of a project.
const PASSED_OVER: &[&str] = &["node_modules", "target", "__pycache__", ".venv", "venv"];
/// The parts of a repository that git runs or is configured by; the rest changes with every command of git.
const OF_REPOSITORY: &[&str] = &["hooks", "config", "config.worktree", "commondir", "info/attributes"];
/// The deepest folder that is looked into.
const MAX_DEPTH: usize = 40;
/// The most files and folders that are looked at, which takes about half a second.
const MAX_ENTRIES: usize = 500_000;
/// The longest file whose text is kept to be put back, in bytes.
const MAX_KEPT_BYTES: u64 = 1 << 20;

/// How a workspace is looked at.
#[derive(Debug)]
pub(crate) struct Look {
    /// Whether the person saw this very command: then only the person's own rules count.
    pub(crate) was_asked: bool,
    /// Whether texts are kept, because nothing holds the files.
    pub(crate) keeps_texts: bool,
    /// Where files go that are taken back.
    pub(crate) taken_folder: Option<PathBuf>,
    /// The folders that the command can move others to.
    pub(crate) writable: Vec<PathBuf>,
}

/// What was found before a command ran.
#[derive(Debug)]
pub(crate) struct Guarded {
    folders: Vec<PathBuf>,
    look: Look,
    /// What must not be read.
    pub(crate) hidden: Vec<PathBuf>,
    /// Files and folders that must not be changed.
    pub(crate) held: BTreeSet<PathBuf>,
    /// Repositories, which stay where they are.
    pub(crate) repositories: Vec<PathBuf>,
    /// The texts of files in them, where the kernel does not hold them.
    texts: BTreeMap<PathBuf, Vec<u8>>,
    /// The folders above them, each with what it is: a command can move one away, and put another in its place.
    above: BTreeMap<PathBuf, Identity>,
}

/// What a file or a folder is, whatever it is called: its device, its number, and when it was made where the file system
/// says so, because numbers are given again.
type Identity = (u64, u64, Option<SystemTime>);

/// Something that a command changed and must not.
#[derive(Debug)]
enum Change {
    /// A file or a folder that was not there.
    New(PathBuf),
    /// A file that had this text.
    Old(PathBuf, Vec<u8>),
    /// A folder in whose place another one is; it is elsewhere itself.
    Swapped {
        /// Where it was.
        place: PathBuf,
        /// Where it is.
        now: Found,
    },
}

/// Something that was put back as it was.
#[derive(Debug)]
pub(crate) struct TakenBack {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it is called in the workspace.
    pub(crate) name: String,
    /// What the person and the model are told.
    pub(crate) line: String,
}

impl Guarded {
    /// Looks through the folders of a workspace. `access` says what the person's rules forbid.
    pub(crate) fn find(workspace: &Workspace, look: Look, access: Option<&dyn Fn(&Path) -> Access>) -> Self {
        let mut guarded = Self {
            folders: workspace.folders().iter().map(|folder| folder.path.clone()).collect(),
            look,
            hidden: Vec::new(),
            held: BTreeSet::new(),
            repositories: Vec::new(),
            texts: BTreeMap::new(),
            above: BTreeMap::new(),
        };
        if guarded.look.was_asked && access.is_none() {
            return guarded;
        }
        (guarded.hidden, guarded.held, guarded.repositories) = walk(&guarded.folders, guarded.look.was_asked, access);
        guarded.add_other_names();
        let is_inside = |path: &&Path| {
            guarded
                .folders
                .iter()
                .any(|root| path.starts_with(root) && path != root)
        };
        let above = guarded
            .held
            .iter()
            .flat_map(|place| place.ancestors().skip(1).filter(is_inside));
        guarded.above = above
            .filter_map(|folder| Some((folder.to_owned(), identity(folder)?)))
            .collect();
        if guarded.look.keeps_texts {
            let files = guarded.held.iter().flat_map(|place| files(place));
            guarded.texts = files
                .filter_map(|file| Some((text(&file)?, file)))
                .map(|(text, file)| (file, text))
                .collect();
        }
        guarded
    }

    /// Other names of the files (hard links) are as good as their own.
    fn add_other_names(&mut self) {
        let linked = |path: &PathBuf| identity(path).filter(|_| has_other_names(path));
        let hidden: BTreeSet<Identity> = self.hidden.iter().filter_map(linked).collect();
        let held: BTreeSet<Identity> = self.held.iter().filter_map(linked).collect();
        if hidden.is_empty() && held.is_empty() {
            return;
        }
        for file in self.folders.iter().flat_map(|folder| files(folder)).take(MAX_ENTRIES) {
            let Some(is) = identity(&file) else { continue };
            if hidden.contains(&is) && !self.hidden.contains(&file) {
                self.hidden.push(file);
            } else if held.contains(&is) {
                self.held.insert(file);
            }
        }
    }

    /// Whether what is new is taken back.
    pub(crate) fn takes_new(&self) -> bool {
        !self.look.was_asked
    }

    /// Takes back what is new while the command runs, as [`Guarded::settle`]; files in which nothing is yet can wait, because
    /// their text may make them harmless.
    pub(crate) fn look(&self, is_theirs: &dyn Fn(&Path) -> bool) -> Vec<TakenBack> {
        let is_empty = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() == 0);
        self.put_back(&[Self::made], &|path| is_empty(path) || is_theirs(path))
    }

    /// Takes back what is otherwise now, and must not be. `is_theirs` says what somebody else made.
    pub(crate) fn settle(&self, is_theirs: &dyn Fn(&Path) -> bool) -> Vec<TakenBack> {
        // What is taken away with a new folder is missing afterwards.
        self.put_back(&[Self::made, Self::rewritten], is_theirs)
    }

    fn put_back(&self, finds: &[fn(&Self) -> Vec<Change>], is_theirs: &dyn Fn(&Path) -> bool) -> Vec<TakenBack> {
        let mut done = Vec::new();
        // What lies in a folder is looked at where it belongs. Each that is put back can have others in it.
        let mut left: BTreeMap<&PathBuf, &Identity> = self.above.iter().collect();
        while let Some((place, change)) = self.swapped(&left) {
            left.remove(&place);
            done.extend(change.map(|change| self.take_back(&change)));
        }
        for find in finds {
            let found = find(self).into_iter().filter(|change| !is_theirs(change.path()));
            done.extend(found.map(|change| self.take_back(&change)));
        }
        done
    }

    /// The outermost folder in whose place another one is, and what to do about it.
    fn swapped(&self, left: &BTreeMap<&PathBuf, &Identity>) -> Option<(PathBuf, Option<Change>)> {
        let is_swapped = |(place, was): &(&&PathBuf, &&Identity)| identity(place).is_some_and(|is| is != ***was);
        let (place, was) = left.iter().find(is_swapped)?;
        let place = (**place).clone();
        let roots = self.folders.iter().chain(&self.look.writable);
        let now = roots.into_iter().find_map(|root| folder_of(root, **was));
        // A folder that is gone was made anew, as git does it; a link in its place leads elsewhere.
        let is_link = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink());
        let change = match now {
            Some(now) => Some(Change::Swapped {
                place: place.clone(),
                now,
            }),
            None => is_link.then(|| Change::New(place.clone())),
        };
        Some((place, change))
    }

    /// What is new.
    fn made(&self) -> Vec<Change> {
        if self.look.was_asked {
            return Vec::new();
        }
        let (_, now, _) = walk(&self.folders, false, None);
        let is_same = |folder: &Path| self.above.get(folder).is_none_or(|was| identity(folder) == Some(*was));
        let is_known = |place: &Path| {
            let held = place.ancestors().find(|above| self.held.contains(*above));
            held.is_some_and(|held| held.ancestors().skip(1).all(is_same))
        };
        let new = now.iter().filter(|place| !is_known(place) && !is_harmless(place));
        new.cloned().map(Change::New).collect()
    }

    /// What has another text than was kept.
    fn rewritten(&self) -> Vec<Change> {
        if !self.look.keeps_texts {
            return Vec::new();
        }
        let now = self.held.iter().flat_map(|place| files(place));
        let new = now.filter(|file| !self.texts.contains_key(file)).map(Change::New);
        let differs = |(file, before): &(&PathBuf, &Vec<u8>)| text(file).as_ref() != Some(before);
        let old = self.texts.iter().filter(differs);
        let old = old.map(|(file, before)| Change::Old(file.clone(), before.clone()));
        new.chain(old).collect()
    }

    /// What a place is called in the workspace.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let inner = self.folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
        slashed(inner.unwrap_or(path)).into_owned()
    }

    /// Puts things back as they were; what was made is kept elsewhere. A line for the person and the model.
    fn take_back(&self, change: &Change) -> TakenBack {
        let path = change.path();
        let name = self.shown(path);
        let done = match change {
            Change::New(path) => self.keep(path).map(|kept| format!("it is kept as {}", kept.display())),
            Change::Old(path, before) => self
                .keep(path)
                .map(|kept| format!("the changed one is kept as {}", kept.display()))
                .and_then(|said| {
                    fs::create_dir_all(path.parent().unwrap_or(path))?;
                    fs::write(path, before).map(|()| said)
                }),
            Change::Swapped { place, now } => self
                .keep(place)
                .map(|kept| format!("what was in its place is kept as {}", kept.display()))
                .and_then(|said| fs::rename(&now.path, place).map(|()| said)),
        };
        let line = match done {
            Ok(kept) => format!("took back {name}, which the command may not write without being asked; {kept}"),
            Err(error) => format!("{name} was written without being asked, and could not be taken back: {error}"),
        };
        TakenBack {
            path: path.to_owned(),
            name,
            line,
        }
    }

    /// Moves something to where it can do no harm.
    fn keep(&self, path: &Path) -> io::Result<PathBuf> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(PathBuf::from("nothing: it was removed"));
        }
        let folder = self
            .look
            .taken_folder
            .as_ref()
            .ok_or_else(|| io::Error::other("there is no state folder"))?;
        private_folder(folder)?;
        let place = tempfile::Builder::new().prefix("taken-").tempdir_in(folder)?.keep();
        open_up(path.parent().unwrap_or(path));
        open_up(path);
        let kept = place.join(path.file_name().unwrap_or_default());
        if fs::rename(path, &kept).is_err() {
            copy(path, &kept)?;
            if fs::symlink_metadata(path)?.is_dir() {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        Ok(kept)
    }
}

impl Change {
    /// Where it is.
    fn path(&self) -> &Path {
        match self {
            Self::New(path) | Self::Old(path, _) | Self::Swapped { place: path, .. } => path,
        }
    }
}

/// The keys and passwords that programs keep in a home folder: its hidden files, those of its hidden folders, and those of
/// each program in `.config`.
pub(crate) fn secrets_of(home: &Path) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = entries(home).filter(is_hidden).collect();
    while let Some(path) = waiting.pop() {
        let inner = path.strip_prefix(home).unwrap_or(&path);
        if is_secret(inner) {
            found.extend(path.canonicalize().ok().filter(|target| *target != path));
            found.push(path);
        } else if inner.components().count() == 1 || inner.parent() == Some(Path::new(".config")) {
            waiting.extend(entries(&path));
        }
    }
    found
}

/// What is in a folder; nothing where it is none, or a link to one.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    entries.into_iter().flatten().flatten().map(|entry| entry.path())
}

/// What must not be read and what must not be changed in some folders, and the repositories in them.
fn walk(
    folders: &[PathBuf],
    was_asked: bool,
    access: Option<&dyn Fn(&Path) -> Access>,
) -> (Vec<PathBuf>, BTreeSet<PathBuf>, Vec<PathBuf>) {
    let (mut hidden, mut held, mut repositories) = (Vec::new(), BTreeSet::new(), Vec::new());
    for root in folders {
        let mut walk = Walk {
            root,
            was_asked,
            access,
            hidden: Vec::new(),
            held: BTreeSet::new(),
            repositories: Vec::new(),
            left: MAX_ENTRIES,
        };
        walk.folder(root, 0);
        if walk.left == 0 {
            tracing::warn!(
                "{} has more than {MAX_ENTRIES} files: what commands write in the others is not looked at",
                root.display()
            );
        }
        hidden.append(&mut walk.hidden);
        held.append(&mut walk.held);
        repositories.append(&mut walk.repositories);
    }
    (hidden, held, repositories)
}

/// A way through one folder of the workspace.
struct Walk<'a> {
    root: &'a Path,
    was_asked: bool,
    access: Option<&'a dyn Fn(&Path) -> Access>,
    hidden: Vec<PathBuf>,
    held: BTreeSet<PathBuf>,
    repositories: Vec<PathBuf>,
    /// How many files and folders it may still look at.
    left: usize,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            // What nobody can look into may hold anything.
            if !self.was_asked && folder != self.root {
                self.hidden.push(folder.to_owned());
                self.held.insert(folder.to_owned());
            }
            return;
        };
        for entry in entries.flatten() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if entry.file_name() == "HEAD" && git::is_repository(folder) {
                self.repository(folder, depth);
            }
            if self.judge(&path) || !kind.is_dir() || depth == MAX_DEPTH {
                if !kind.is_dir() && !self.was_asked && entry.file_name() == ".git" {
                    // It leads to a repository elsewhere.
                    self.held.insert(path);
                }
                continue;
            }
            match entry.file_name().to_str() {
                Some(".git") => {
                    self.repository(&path, depth);
                    self.repositories.push(path);
                }
                Some(name) if PASSED_OVER.contains(&name) => {}
                _ => self.folder(&path, depth + 1),
            }
        }
    }

    /// Whether a place is dealt with as a whole.
    fn judge(&mut self, path: &Path) -> bool {
        let access = self.access.map_or(Access::ALL, |access| access(path));
        // What the folder of the workspace lies in says nothing of its files.
        let inner = path.strip_prefix(self.root).unwrap_or(path);
        let is_hidden = !access.read || (!self.was_asked && is_secret(inner));
        let is_kept = !access.write || (!self.was_asked && is_held(inner));
        // Where it is a link, what it leads to is meant.
        let target = path.is_symlink().then(|| path.canonicalize().ok()).flatten();
        if is_hidden {
            self.hidden.extend([path.to_owned()].into_iter().chain(target.clone()));
        }
        if is_kept {
            let inside = target.filter(|target| target.starts_with(self.root) && target != self.root);
            self.held.extend([path.to_owned()].into_iter().chain(inside));
        }
        is_hidden || is_kept
    }

    /// What git runs, or is told by, in a repository's folder and in those of its submodules and worktrees.
    fn repository(&mut self, folder: &Path, depth: usize) {
        if self.was_asked || depth > MAX_DEPTH {
            return;
        }
        let parts = OF_REPOSITORY.iter().map(|part| folder.join(part));
        let mut named = Vec::new();
        for config in ["config", "config.worktree"] {
            git::named_by(&folder.join(config), folder.parent(), &mut named, 0);
        }
        named.retain(|place| place.starts_with(self.root) && place != self.root);
        let parts = parts.chain(named);
        self.held
            .extend(parts.filter(|part| fs::symlink_metadata(part).is_ok()));
        for below in ["modules", "worktrees"] {
            self.repositories(&folder.join(below), depth + 1);
        }
    }

    /// The repositories in a folder; a submodule's name may have several parts.
    fn repositories(&mut self, folder: &Path, depth: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = entry.path();
            if path.join("HEAD").exists() || depth > MAX_DEPTH {
                self.repository(&path, depth);
            } else {
                self.repositories(&path, depth + 1);
            }
        }
    }
}

/// Whether something new of a repository can make nothing run, as what `git clone` and `git init` make.
fn is_harmless(place: &Path) -> bool {
    let name = place.file_name().unwrap_or_default();
    if name == "config" || name == "config.worktree" {
        return text(place).is_some_and(|text| git::is_harmless_git_config(&String::from_utf8_lossy(&text)));
    }
    if name == "commondir" {
        // As every work tree has it.
        let is_of_tree = place
            .ancestors()
            .nth(2)
            .is_some_and(|folder| folder.ends_with(".git/worktrees"));
        return is_of_tree && text(place).is_some_and(|text| text.trim_ascii() == b"../..");
    }
    if name == ".git" {
        // As submodules and work trees have it: it leads into a repository that is looked after.
        let leads_to = git::linked(place).filter(|_| !place.is_symlink());
        let is_known = |folder: &Path| {
            let names: Vec<_> = folder.components().map(|part| part.as_os_str()).collect();
            names
                .windows(2)
                .any(|pair| pair[0] == ".git" && (pair[1] == "modules" || pair[1] == "worktrees"))
        };
        return leads_to
            .and_then(|folder| folder.canonicalize().ok())
            .is_some_and(|folder| is_known(&folder));
    }
    name == "hooks" && files(place).all(|file| file.extension().is_some_and(|it| it == "sample"))
}

/// What something is, links not followed; `None` where there is nothing, or the system has no numbers for it.
fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::symlink_metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino(), metadata.created().ok()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Lets the person into a folder again that a command closed; where that fails, what comes next says why.
fn open_up(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if let Ok(metadata) = fs::symlink_metadata(folder)
            && metadata.is_dir()
        {
            let mode = metadata.permissions().mode() | 0o700;
            let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Whether a file has a second name somewhere.
fn has_other_names(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A folder, at any depth.
#[derive(Debug, Clone)]
struct Found {
    path: PathBuf,
    /// The folder that the path starts at, where it would be too long from the root.
    _start: Option<Arc<fs::File>>,
}

/// Where a folder is now, below another.
fn folder_of(root: &Path, wanted: Identity) -> Option<Found> {
    let mut left = MAX_ENTRIES;
    let mut waiting = vec![Found {
        path: root.to_owned(),
        _start: None,
    }];
    while let Some(above) = waiting.pop() {
        let above = above.shortened();
        for entry in fs::read_dir(&above.path).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let folder = Found {
                    path: entry.path(),
                    _start: above._start.clone(),
                };
                if identity(&folder.path) == Some(wanted) {
                    return Some(folder);
                }
                waiting.push(folder);
            }
        }
    }
    None
}

impl Found {
    /// The longest path that is used as it is, in bytes; the system takes 4,096.
    const LONGEST: usize = 2000;

    /// The same folder by a short path.
    fn shortened(self) -> Self {
        #[cfg(target_os = "linux")]
        if self.path.as_os_str().len() > Self::LONGEST
            && let Ok(folder) = fs::File::open(&self.path)
        {
            use std::os::fd::AsRawFd;
            return Self {
                path: PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())),
                _start: Some(Arc::new(folder)),
            };
        }
        self
    }
}

/// The files of a place: itself, or those below it.
fn files(place: &Path) -> impl Iterator<Item = PathBuf> {
    let mut waiting = vec![place.to_owned()];
    std::iter::from_fn(move || {
        loop {
            let path = waiting.pop()?;
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
            if !is_folder {
                return Some(path);
            }
            waiting.extend(
                fs::read_dir(&path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path()),
            );
        }
    })
}

/// The bytes of a file that is not too long to be kept.
fn text(file: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(file).ok()?;
    (metadata.is_file() && metadata.len() <= MAX_KEPT_BYTES).then(|| fs::read(file).ok())?
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return fs::write(to, slashed(&fs::read_link(from)?).as_bytes());
    }
    if metadata.is_file() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What is taken back where the kernel holds nothing: each script may do what it wants.
    #[test]
    fn what_no_kernel_holds_is_put_back() {
        let targets =
            ".git/config .git/hooks/pre-commit tools/.git/config tools/.vscode/tasks.json .claude/settings.json";
        let missing = ".git/hooks/post-commit tools/.cursor/mcp.json AGENTS.md";
        let ways = [
            r#"mkdir -p "$(dirname "$t")"; echo won > "$t""#,
            r#"rm -rf "$t"; mkdir -p "$(dirname "$t")"; echo won > "$t""#,
            r#"echo won > n; mkdir -p "$(dirname "$t")"; mv n "$t""#,
            r#"d=$(dirname "$t"); [ "$d" = . ] || { mv "$d" m; mkdir -p "$d"; cp -r m/. "$d"; echo won > "$t"; }"#,
            r#"d=$(dirname "$t"); [ "$d" = . ] || { mkdir -p m; echo won > "m/${t##*/}"; rm -rf "$d"; ln -s "$PWD/m" "$d"; }"#,
            r#"d=${t%%/*}; mkdir -p "o/$(dirname "$t")"; echo won > "o/$t"; mv "$d" gone; mv "o/$d" "$d""#,
        ];
        for (way, clears) in ways.into_iter().flat_map(|way| [(way, false), (way, true)]) {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap().join("w");
            for target in targets.split(' ') {
                fs::create_dir_all(root.join(target).parent().unwrap()).unwrap();
                fs::write(root.join(target), "before").unwrap();
            }
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let look = Look {
                was_asked: false,
                keeps_texts: true,
                taken_folder: Some(folder.path().join("taken")),
                writable: Vec::new(),
            };
            let guarded = Guarded::find(&workspace, look, None);
            let clear = if clears { "rm -rf m n o gone" } else { "true" };
            let script = format!("for t in {targets} {missing}; do {way}; {clear}; done 2> /dev/null; true");
            let ran = std::process::Command::new("sh")
                .args(["-c", &script])
                .current_dir(&root)
                .status();
            assert!(ran.unwrap().success());
            let told = guarded.settle(&|_| false);
            let told: Vec<_> = told.into_iter().map(|taken| taken.line).collect();
            for target in targets.split(' ') {
                let text = fs::read_to_string(root.join(target)).unwrap_or_default();
                assert_eq!(text, "before", "{target}: {way}\n{}", told.join("\n"));
            }
            for target in missing.split(' ') {
                let is_there = root.join(target).exists();
                assert!(!is_there, "{target}: {way}\n{}", told.join("\n"));
            }
            assert!(!told.is_empty(), "{way}");
        }
    }

    /// Where it is moved out of the workspace, and deeper than a path is long.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_is_fetched_from_wherever_it_was_moved() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("w"), folder.path().join("other"));
        fs::create_dir_all(&other).unwrap();
        let deep = r#"d=$(printf "%0200d" 0); for n in $(seq 30); do mkdir $d; cd -P $d; done; perl -e 'rename "$ENV{W}/.git", "x"'"#;
        for way in [format!("mv .git {}", other.join("x").display()), deep.to_owned()] {
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git/HEAD"), "before").unwrap();
            fs::write(root.join(".git/config"), "before").unwrap();
            let workspace = Workspace::open(std::slice::from_ref(&root)).unwrap();
            let look = Look {
                was_asked: false,
                keeps_texts: true,
                taken_folder: Some(folder.path().join("taken")),
                writable: vec![other.clone()],
            };
            let guarded = Guarded::find(&workspace, look, None);
            let script = format!("{way}; cd \"$W\"; mkdir .git; echo won > .git/config");
            let ran = std::process::Command::new("sh")
                .args(["-c", &script])
                .env("W", &root)
                .current_dir(&root)
                .status();
            assert!(ran.unwrap().success());
            let told = guarded.settle(&|_| false);
            assert!(!told.is_empty(), "{way}");
            for name in [".git/HEAD", ".git/config"] {
                assert_eq!(
                    fs::read_to_string(root.join(name)).unwrap_or_default(),
                    "before",
                    "{way}: {told:?}"
                );
            }
        }
    }
}
