//! Walks by the rules of `.gitignore` and its like, which anybody may have written.
//!
//! `globset` goes down into itself for each brace of a pattern, as deep as a line is long: a file of a few kilobytes is
//! enough to leave the stack, and nothing catches that. Git knows no braces there. A pipe in the place of a file would be
//! waited for.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

/// The most braces of one pattern.
const MAX_BRACES: usize = 64;
/// The longest file of rules, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Whether a pattern can be compiled without harm.
pub(crate) fn is_plain(pattern: &str) -> bool {
    pattern.matches('{').count() <= MAX_BRACES
}

/// The rules of a file for a folder. A line that can't be read names nothing; the others hold.
pub(super) fn rules(folder: &Path, file: &Path) -> Gitignore {
    let mut rules = GitignoreBuilder::new(folder);
    let text = text(file).ok().flatten().unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for line in text.lines().filter(|line| is_plain(line)) {
        let _ = rules.add_line(Some(file.to_owned()), line);
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}

/// A walk of these folders, by their rules where they can be read. Git's own folders are not looked into, nor are folders
/// below with rules that nobody can have meant.
pub fn walk(first: &Path, others: &[PathBuf]) -> WalkBuilder {
    let mut walk = WalkBuilder::new(first);
    for other in others {
        walk.add(other);
    }
    let mut places = std::iter::once(first).chain(others.iter().map(PathBuf::as_path));
    if !places.all(|place| place.ancestors().all(has_plain_rules)) {
        walk.parents(false).ignore(false).git_ignore(false).git_exclude(false);
    }
    walk.filter_entry(is_looked_into);
    walk
}

fn is_looked_into(entry: &DirEntry) -> bool {
    // What is no plain file may be a link to a folder that is followed.
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    entry.file_name() != ".git" && (is_file || has_plain_rules(entry.path()))
}

/// Whether all rules that a walk reads in a folder can be read without harm.
fn has_plain_rules(folder: &Path) -> bool {
    let files = [folder.join(".gitignore"), folder.join(".ignore"), exclude(folder)];
    files.iter().all(|file| match text(file) {
        Ok(text) => text.is_none_or(|text| text.lines().all(is_plain)),
        Err(_) => false,
    })
}

/// The file of rules in a folder's repository, found as a walk finds it.
fn exclude(folder: &Path) -> PathBuf {
    let git = folder.join(".git");
    let line = |file: &Path| Some(text(file).ok()??.lines().next()?.to_owned());
    let common = || {
        let own = PathBuf::from(line(&git)?.strip_prefix("gitdir: ")?);
        Some(own.join(line(&own.join("commondir"))?))
    };
    common().unwrap_or(git).join("info/exclude")
}

/// The text of a file; nothing where there is none, or a folder.
fn text(file: &Path) -> io::Result<Option<String>> {
    let is_there = |metadata: &std::fs::Metadata| !metadata.is_dir();
    let Some(metadata) = file.metadata().ok().filter(is_there) else {
        return Ok(None);
    };
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    match File::open(file) {
        Ok(file) => file.take(MAX_BYTES).read_to_end(&mut bytes)?,
        // A walk can't read it either.
        Err(_) => return Ok(None),
    };
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
