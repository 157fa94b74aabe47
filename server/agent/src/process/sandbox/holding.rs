//! What is hidden from a command and what it can't change, by mounts, for as long as it runs. The kernel takes such a mount
//! away with its file when somebody outside puts another file in its place, as `git config` and editors do. The supervisor
//! is notified of that, and holds the new file within a fraction of a millisecond.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use super::spec::{Held, Loose, Text, Why};
use super::{Number, mounts};

/// How often to look where nobody is notified of changes, in milliseconds: in the beginning, and where the system lets this
/// person watch no more.
pub(super) const ROUND: i64 = 20;
/// How long a command runs before changes are told: it takes the kernel 10 ms to let go of what told them, which is long
/// for a command that ends at once.
const BEGINNING: Duration = Duration::from_millis(50);

/// What happens in a folder when a name is given and taken away, and when a file was written.
const EVENTS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ONLYDIR);

/// How something is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    ReadOnly,
    Hidden,
}

/// What is held, and the folders in which that can get lost.
#[derive(Debug)]
pub(super) struct Holding {
    places: BTreeMap<PathBuf, How>,
    /// What each was in the beginning.
    first: BTreeMap<PathBuf, Number>,
    /// Folders in which others can be moved.
    writable: Vec<PathBuf>,
    began: Instant,
    /// Whether notification of changes was tried.
    is_begun: bool,
    /// `None` where nobody tells of them.
    pub(super) changes: Option<OwnedFd>,
    watched: BTreeMap<i32, PathBuf>,
    /// What is not there any more, so that nobody holds it.
    gone: BTreeSet<PathBuf>,
    /// What was not held for a moment, and used in it.
    loose: Vec<Loose>,
}

impl Holding {
    /// Holds what is there.
    ///
    /// # Errors
    /// Where the kernel refuses a mount, or something else is in a place: then nothing may run, because something would be
    /// open.
    pub(super) fn new(hidden: Vec<Held>, read_only: Vec<Held>, writable: Vec<PathBuf>) -> io::Result<Self> {
        let read_only = read_only.into_iter().map(|held| (held, How::ReadOnly));
        let hidden = hidden.into_iter().map(|held| (held, How::Hidden));
        let all: BTreeMap<PathBuf, (Option<Number>, How)> = read_only
            .chain(hidden)
            .map(|(held, how)| (held.path.path(), (held.number, how)))
            .collect();
        let mut holding = Self {
            places: BTreeMap::new(),
            first: BTreeMap::new(),
            writable,
            began: Instant::now(),
            is_begun: false,
            changes: None,
            watched: BTreeMap::new(),
            gone: BTreeSet::new(),
            loose: Vec::new(),
        };
        let mut hidden = BTreeSet::new();
        // Folders come before what is in them.
        for (path, (number, how)) in all {
            if path.ancestors().any(|above| hidden.contains(above)) {
                continue;
            }
            let is_there = hold(&path, how, number)?;
            match (how, number) {
                (How::Hidden, _) if is_there => drop(hidden.insert(path.clone())),
                (How::ReadOnly, Some(number)) => drop(holding.first.insert(path.clone(), number)),
                _ => {}
            }
            holding.places.insert(path, how);
        }
        Ok(holding)
    }

    /// Watches the folders of these places, and those above that the command could move.
    fn watch(&mut self, places: &[(PathBuf, How)]) {
        let Some(changes) = &self.changes else { return };
        let is_movable = |folder: &Path| self.writable.iter().any(|root| folder.starts_with(root));
        let folders: BTreeSet<&Path> = places
            .iter()
            .flat_map(|(place, _)| place.ancestors().skip(1).enumerate())
            .filter(|(number, folder)| *number == 0 || is_movable(folder))
            .map(|(_, folder)| folder)
            .collect();
        for folder in folders {
            match inotify::add_watch(changes, folder, EVENTS) {
                Ok(watch) => {
                    self.watched.insert(watch, folder.to_owned());
                }
                // It is seen from above when it comes.
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {}
                Err(_) => {
                    self.changes = None;
                    return;
                }
            }
        }
    }

    /// Holds again what somebody replaced. Whether the command may run on: not when it has one of them open, or it can't be
    /// held.
    pub(super) fn renew(&mut self) -> bool {
        let mut replaced = BTreeSet::new();
        let begins = !self.is_begun && self.began.elapsed() >= BEGINNING;
        if begins {
            self.is_begun = true;
            self.changes = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
            // From here on nothing is missed.
            self.watch(&self.places.clone().into_iter().collect::<Vec<_>>());
            self.note_early();
        }
        let mut is_first = begins;
        loop {
            let (events, is_all) = self.events();
            let is_all = std::mem::take(&mut is_first) || is_all;
            let mut changed = BTreeSet::new();
            for (path, event) in events {
                if event.contains(ReadFlags::CLOSE_WRITE) {
                    if replaced.contains(&path) {
                        self.loose.push(Loose::new(&path, Why::Written));
                    }
                    continue;
                }
                if event.contains(ReadFlags::MOVED_TO) && self.places.contains_key(&path) {
                    replaced.insert(path.clone());
                }
                changed.insert(path);
            }
            let is_concerned = |place: &Path| is_all || place.ancestors().any(|above| changed.contains(above));
            let concerned = self.places.iter().filter(|(place, _)| is_concerned(place));
            let concerned: Vec<_> = concerned.map(|(place, how)| (place.clone(), *how)).collect();
            if concerned.is_empty() {
                return true;
            }
            self.watch(&concerned);
            let mut renewed = Vec::new();
            for (place, how) in concerned.into_iter().filter(|(place, _)| !is_held(place)) {
                // Where the first try meets the next rename, the second one does not.
                match hold(&place, how, None).or_else(|_| hold(&place, how, None)) {
                    Ok(true) => {
                        if self.gone.remove(&place) && how == How::ReadOnly {
                            self.loose.push(Loose::new(&place, Why::Back));
                        }
                        renewed.push((place, how));
                    }
                    Ok(false) => drop(self.gone.insert(place)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => drop(self.gone.insert(place)),
                    Err(_) => {
                        self.loose.push(Loose::new(&place, Why::NotHeld));
                        return false;
                    }
                }
            }
            let opened = renewed.iter().filter(|(place, how)| is_open(place, *how));
            let opened: Vec<_> = opened.map(|(place, _)| Loose::new(place, Why::Opened)).collect();
            if !opened.is_empty() {
                self.loose.extend(opened);
                return false;
            }
            if self.changes.is_none() {
                return true;
            }
        }
    }

    /// What is to be said once nothing of the command is left: what it made again at last, nobody held any more.
    pub(super) fn finish(mut self) -> Vec<Loose> {
        if !self.is_begun {
            self.note_early();
        }
        let is_back = |path: &&PathBuf| self.places.get(*path) == Some(&How::ReadOnly) && mounts::is_there(path);
        let back = self.gone.iter().filter(is_back);
        let back = back.map(|path| Loose::new(path, Why::Back));
        self.loose.iter().cloned().chain(back).collect()
    }

    /// Notes what was replaced while nobody was notified of changes: it may have been written to.
    fn note_early(&mut self) {
        let now = |path: &Path| fs::symlink_metadata(path).ok().filter(|it| !it.is_symlink());
        let is_other = |(path, first): &(&PathBuf, &Number)| {
            now(path).is_some_and(|metadata| (metadata.dev(), metadata.ino()) != **first)
        };
        let replaced = self.first.iter().filter(is_other);
        let replaced: Vec<_> = replaced.map(|(path, _)| Loose::new(path, Why::Early)).collect();
        self.loose.extend(replaced);
    }

    /// What happened to which paths; whether anything may have happened.
    fn events(&mut self) -> (Vec<(PathBuf, ReadFlags)>, bool) {
        let mut events = Vec::new();
        let Some(changes) = &self.changes else {
            return (events, true);
        };
        let mut is_all = false;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(changes, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    is_all |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                    let folder = self.watched.get(&event.wd());
                    let path = folder.zip(event.file_name());
                    let path = path.map(|(folder, name)| folder.join(OsStr::from_bytes(name.to_bytes())));
                    events.extend(path.map(|path| (path, event.events())));
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return (events, is_all),
            }
        }
    }
}

impl Loose {
    fn new(path: &Path, why: Why) -> Self {
        Self {
            path: Text::from(path),
            why,
        }
    }
}

/// Whether it was there to be held; as this very file, if there is a number.
fn hold(path: &Path, how: How, number: Option<Number>) -> io::Result<bool> {
    match how {
        How::ReadOnly => mounts::close(path, number),
        How::Hidden => mounts::hide(path, number),
    }
}

/// Whether something is mounted there; a kernel before 5.8 does not say.
fn is_held(path: &Path) -> bool {
    let mount = |path: &Path| mount_of(path, AtFlags::SYMLINK_NOFOLLOW);
    match (mount(path), path.parent().and_then(mount)) {
        (Some(own), Some(above)) => own != above,
        _ => false,
    }
}

/// Whether a process of the command has a file open, for writing where it may be read; or a folder, or something in it,
/// past the mount that is there now: by a handle, or because it works in it. `/proc` shows those of its namespace alone.
fn is_open(path: &Path, how: How) -> bool {
    let Ok(place) = fs::symlink_metadata(path) else {
        return false;
    };
    if how == How::Hidden && !place.is_dir() {
        // What is mounted over it is another one.
        return false;
    }
    let mount = mount_of(path, AtFlags::SYMLINK_NOFOLLOW);
    let is_meant = |process: &Path, handle: &Path| match place.is_dir() {
        true => {
            let is_inside = fs::read_link(process.join(handle)).is_ok_and(|target| target.starts_with(path));
            is_inside && mount_of(&process.join(handle), AtFlags::empty()) != mount
        }
        false => {
            let target = fs::metadata(process.join(handle));
            let is_it = target.is_ok_and(|target| (target.dev(), target.ino()) == (place.dev(), place.ino()));
            let number = handle.strip_prefix("fd").ok();
            is_it && number.is_some_and(|number| writes(&process.join("fdinfo").join(number)))
        }
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    processes.map(|process| process.path()).any(|process| {
        let handles = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let handles = handles.map(|handle| Path::new("fd").join(handle.file_name()));
        let works_in = ["cwd", "root"].map(PathBuf::from);
        handles.chain(works_in).any(|handle| is_meant(&process, &handle)) || maps(&process, path, place.ino())
    })
}

/// In which mount something is; a kernel before 5.8 does not say.
fn mount_of(path: &Path, flags: AtFlags) -> Option<u64> {
    let found = statx(CWD, path, flags, StatxFlags::MNT_ID).ok()?;
    let is_known = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    is_known.then_some(found.stx_mnt_id)
}

/// Whether a handle can write, by its flags in octal (proc_pid_fdinfo(5)).
fn writes(handle: &Path) -> bool {
    let text = fs::read_to_string(handle).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 0o3 != 0)
}

/// Whether a process has a file in memory that it shares, or one that is in a folder, so that it can write to it without a
/// handle (proc_pid_maps(5)).
fn maps(process: &Path, place: &Path, number: u64) -> bool {
    let text = fs::read_to_string(process.join("maps")).unwrap_or_default();
    text.lines().any(|line| {
        let mut fields = line.splitn(6, ' ');
        let (rights, inode, path) = (fields.nth(1), fields.nth(2), fields.next());
        // One that can only be read now can be made one to write to.
        let is_shared = rights.is_some_and(|rights| rights.ends_with('s'));
        let is_inside = path.is_some_and(|path| Path::new(path.trim_start()).starts_with(place));
        is_shared && (is_inside || inode == Some(&number.to_string()))
    })
}
