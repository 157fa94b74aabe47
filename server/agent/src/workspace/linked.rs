//! Other names of files that hold keys: a hard link shows nothing of what it names but its number on the disk.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use parking_lot::Mutex;

use super::sensitive::{Row, is_secret};

/// Why a read of such a file asks.
pub(super) static LINKED: Row = Row {
    at: "",
    why: "is another name of a file that holds keys or passwords",
    asks: None,
    secret: true,
    held: false,
};

/// How long the numbers are believed. A link that is made meanwhile has the number of its file.
const MAX_AGE: Duration = Duration::from_secs(60);
/// The most files that are looked at.
const MAX_FILES: usize = 200_000;
/// Folders full of what others wrote. They are looked through last, so that what a person wrote is among the most files.
const LAST: &[&str] = &[".git", "node_modules", "target"];

/// The numbers of the files that hold keys, in the workspace and in the person's home.
#[derive(Debug, Default)]
pub(super) struct Secrets(Mutex<Option<(Instant, HashSet<Number>)>>);

/// The device and the number of a file on it.
pub(super) type Number = (u64, u64);

impl Secrets {
    /// Whether a file with several names is one of them. Only for such files the folders are looked through.
    pub(super) fn has<'a>(&self, number: Number, folders: impl Iterator<Item = &'a Path>) -> bool {
        let mut known = self.0.lock();
        let fresh = known.take().filter(|(read, _)| read.elapsed() < MAX_AGE);
        let (_, numbers) = known.insert(fresh.unwrap_or_else(|| (Instant::now(), look(folders))));
        numbers.contains(&number)
    }
}

fn look<'a>(folders: impl Iterator<Item = &'a Path>) -> HashSet<Number> {
    let mut numbers = HashSet::new();
    for folder in folders {
        collect(folder, None, LAST, &mut numbers);
        collect(folder, None, &[], &mut numbers);
    }
    // Of the home its own files and those of folders such as `.ssh`.
    if let Some(home) = std::env::home_dir() {
        collect(&home, Some(1), LAST, &mut numbers);
        for entry in std::fs::read_dir(&home).into_iter().flatten().flatten() {
            if is_secret(Path::new(&entry.file_name())) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                collect_all(&entry.path(), &mut numbers);
            }
        }
    }
    numbers
}

/// The files with telling names, down to a depth, but in folders of these names.
fn collect(folder: &Path, depth: Option<usize>, but: &'static [&str], numbers: &mut HashSet<Number>) {
    let is_passed_over = |name: &std::ffi::OsStr| but.iter().any(|passed| name == *passed);
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).follow_links(false).max_depth(depth);
    walk.filter_entry(move |entry| !is_passed_over(entry.file_name()));
    for entry in walk.build().flatten().take(MAX_FILES) {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        if is_file && is_secret(path) {
            numbers.extend(entry.metadata().ok().and_then(|metadata| number(&metadata)));
        }
    }
}

/// All files of a folder that holds keys.
fn collect_all(folder: &Path, numbers: &mut HashSet<Number>) {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).follow_links(false).max_depth(Some(4));
    let metadata = walk
        .build()
        .flatten()
        .take(MAX_FILES)
        .filter_map(|entry| entry.metadata().ok());
    let files = metadata.filter(|metadata| metadata.is_file());
    numbers.extend(files.filter_map(|metadata| number(&metadata)));
}

/// A file's number, where the system has such.
#[cfg(unix)]
pub(super) fn number(metadata: &std::fs::Metadata) -> Option<Number> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn number(_: &std::fs::Metadata) -> Option<Number> {
    None
}
