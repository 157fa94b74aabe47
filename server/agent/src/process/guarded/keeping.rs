//! A copy of what is taken away, where it can't be moved: to another disk.
//!
//! A command may have made it so that it can't be copied: without end, closed, of pipes. What must not stay goes all the
//! same.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::disk::{entries, open_up};
use super::text::open;
use crate::workspace::slashed;

/// The most that is copied, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The most files and folders that are copied.
const MAX_FILES: usize = 20_000;

/// Copies what can be copied; of a link, where it leads. An error says what is missing.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut left, mut files) = (MAX_BYTES, 0);
    let mut missing = Ok(());
    let mut waiting: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        files += 1;
        if files > MAX_FILES {
            return Err(io::Error::other("there is too much of it"));
        }
        let copied = copy_one(&from, &to, &mut left);
        match copied {
            Ok(inner) => waiting.extend(inner.into_iter().map(|name| (from.join(&name), to.join(&name)))),
            Err(error) => missing = missing.and(Err(error)),
        }
    }
    missing
}

/// Copies one file, or makes a folder; the names that are in it.
fn copy_one(from: &Path, to: &Path, left: &mut u64) -> io::Result<Vec<std::ffi::OsString>> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        fs::write(to, slashed(&fs::read_link(from)?).as_bytes())?;
    } else if metadata.is_dir() {
        fs::create_dir(to)?;
        open_up(from);
        return fs::read_dir(from)?.map(|entry| Ok(entry?.file_name())).collect();
    } else {
        let mut source = open(from)?.take(*left);
        let written = io::copy(&mut source, &mut fs::File::create(to)?)?;
        *left -= written;
        if written < metadata.len() {
            return Err(io::Error::other("it is too long"));
        }
    }
    Ok(Vec::new())
}

/// Removes it, with folders in it that a command closed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    open_up(path);
    fs::remove_dir_all(path).or_else(|_| {
        let mut waiting = vec![path.to_owned()];
        while let Some(folder) = waiting.pop() {
            open_up(&folder);
            waiting.extend(entries(&folder));
        }
        fs::remove_dir_all(path)
    })
}
