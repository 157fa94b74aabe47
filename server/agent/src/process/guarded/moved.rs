//! Folders that a command moved away: each comes back to its place.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::Guarded;
use super::disk::{Found, Identity, Pinned, identity, is_own, open_up, rights, set_rights};
use super::taking::{Change, TakenBack};

/// The most files and folders that are looked at to find some that were moved.
const MAX_WALKED: usize = 5_000_000;

impl Guarded {
    /// Moves back what was moved away; what is missing is looked for once nothing of the command runs any more.
    pub(super) fn move_back(&self, is_over: bool) -> Vec<TakenBack> {
        let mut done = Vec::new();
        let mut left: BTreeMap<&PathBuf, &Identity> = self.before.above.iter().collect();
        // What lies in a folder is looked at where it belongs. Each that is put back can have others in it.
        loop {
            let displaced = displaced(&left, is_over);
            if displaced.is_empty() {
                return done;
            }
            let wanted = displaced.iter().map(|(_, was)| *was);
            let roots = self.folders.iter().chain(&self.look.writable);
            let found = folders_of(roots, &wanted.collect::<Vec<_>>());
            let before = left.len();
            for (place, was) in displaced {
                let now = found.get(was);
                if now.is_some_and(|now| identity(&now.path).as_ref() != Some(was)) {
                    // It came along with the one before.
                    continue;
                }
                left.remove(place);
                // A folder that is gone was made anew, as git does it; a link in its place leads elsewhere.
                let is_link = fs::symlink_metadata(place).is_ok_and(|metadata| metadata.is_symlink());
                let change = match now {
                    Some(now) => Some(Change::Swapped {
                        place: place.clone(),
                        now: now.clone(),
                        was: *was,
                    }),
                    None => is_link.then(|| Change::Instead(place.clone())),
                };
                done.extend(change.and_then(|change| self.take_back(&change)));
            }
            if left.len() == before {
                return done;
            }
        }
    }
}

/// The outermost folders in whose place another one is, or none when the command has ended.
fn displaced<'a>(left: &BTreeMap<&'a PathBuf, &'a Identity>, is_over: bool) -> Vec<(&'a PathBuf, &'a Identity)> {
    let mut displaced: Vec<(&PathBuf, &Identity)> = Vec::new();
    for (place, was) in left {
        if displaced.last().is_some_and(|(above, _)| place.starts_with(above)) {
            continue;
        }
        let is_displaced = match identity(place) {
            Some(is) => is != **was,
            // What goes with its parent comes back with it.
            None => is_over && place.parent().is_some_and(Path::is_dir),
        };
        if is_displaced {
            displaced.push((place, was));
        }
    }
    displaced
}

/// Where folders are now, below others. Those that a command closed are looked into too.
fn folders_of<'a>(roots: impl Iterator<Item = &'a PathBuf>, wanted: &[&Identity]) -> HashMap<Identity, Found> {
    let mut left = MAX_WALKED;
    let mut found = HashMap::new();
    let mut opened: Vec<(Found, Identity, u32)> = Vec::new();
    let mut waiting: Vec<Found> = roots.map(|root| Found::at(root.clone())).collect();
    while let Some(above) = waiting.pop() {
        let above = above.shortened();
        let entries = fs::read_dir(&above.path).or_else(|error| {
            let pinned = Pinned::of(&above.path, false)?;
            let had = rights(pinned.path()).filter(|_| is_own(pinned.path()));
            let (is, had) = identity(pinned.path()).zip(had).ok_or(error)?;
            open_up(pinned.path());
            opened.push((above.clone(), is, had));
            fs::read_dir(&above.path)
        });
        for entry in entries.into_iter().flatten().flatten() {
            if found.len() == wanted.len() || left == 0 {
                waiting.clear();
                break;
            }
            left -= 1;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let folder = Found {
                    path: entry.path(),
                    start: above.start.clone(),
                };
                if let Some(is) = identity(&folder.path).filter(|is| wanted.contains(&is)) {
                    found.entry(is).or_insert_with(|| folder.clone());
                }
                waiting.push(folder);
            }
        }
    }
    // One with nothing in it that was looked for is as it was; what comes out of the others needs them open.
    for (folder, is, had) in opened.into_iter().rev() {
        let is_above = |found: &Found| found.start.is_some() || found.path.starts_with(&folder.path);
        let pinned = Pinned::of(&folder.path, false).ok();
        let pinned = pinned.filter(|pinned| identity(pinned.path()) == Some(is));
        if let Some(pinned) = pinned.filter(|_| !found.values().any(is_above)) {
            set_rights(pinned.path(), had);
        }
    }
    found
}
