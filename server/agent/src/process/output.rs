//! The folder with what commands print: each file has an end, and old ones go.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use crate::record;

/// The most bytes of one file.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// The most bytes of all files, those in use included.
const MAX_FOLDER_BYTES: u64 = 512 << 20;
/// How long a file is kept.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How the names of files begin: of what was too long for memory, and of background commands.
const PREFIXES: [&str; 2] = ["output-", "job-"];

/// A file that output goes to. It is locked while it is written, so that nobody takes it away.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    path: PathBuf,
    room: u64,
    cut: Arc<AtomicBool>,
}

impl OutputFile {
    /// A file for the output of a command, after the old ones are gone.
    ///
    /// # Errors
    /// Where the folder or the file can't be made.
    pub(crate) fn of_command(folder: &Path) -> io::Result<Self> {
        Self::begin(folder, PREFIXES[0])
    }

    /// The same for a background command.
    ///
    /// # Errors
    /// As [`OutputFile::of_command`].
    pub(crate) fn of_job(folder: &Path) -> io::Result<Self> {
        Self::begin(folder, PREFIXES[1])
    }

    fn begin(folder: &Path, prefix: &str) -> io::Result<Self> {
        record::private_folder(folder)?;
        prune(folder);
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .suffix(".txt")
            .tempfile_in(folder)?;
        let (file, path) = file.keep().map_err(|error| error.error)?;
        // Without a lock it is only less sure to stay.
        let _ = file.try_lock();
        Ok(Self {
            file,
            path,
            room: MAX_FILE_BYTES,
            cut: Arc::default(),
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Becomes true when the file is full, so that the rest is dropped.
    pub(crate) fn cut(&self) -> Arc<AtomicBool> {
        self.cut.clone()
    }

    /// Adds a line of ours, for which there is always room.
    pub(crate) fn note(&mut self, line: &str) {
        if let Err(error) = writeln!(self.file, "[{line}]") {
            tracing::warn!("{} takes no more: {error}", self.path.display());
        }
    }

    /// Writes as much as there is room for; where it ends, the file says so.
    ///
    /// # Errors
    /// Where the disk takes no more.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.cut.load(Relaxed) {
            return Ok(());
        }
        let room = usize::try_from(self.room).unwrap_or(usize::MAX);
        let fitting = &bytes[..bytes.len().min(room)];
        self.file.write_all(fitting)?;
        self.room -= fitting.len() as u64;
        if fitting.len() < bytes.len() {
            self.cut.store(true, Relaxed);
            self.file.write_all(b"\n")?;
            self.note(&format!(
                "cut: only the first {} MiB of the output are kept",
                MAX_FILE_BYTES >> 20
            ));
        }
        Ok(())
    }
}

/// Takes away what is too old, and of the rest the oldest until the others fit; files in use stay. What can't be taken
/// away stays too.
pub fn prune(folder: &Path) {
    prune_to(folder, SystemTime::now(), MAX_FOLDER_BYTES);
}

fn prune_to(folder: &Path, now: SystemTime, most: u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_ours = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && name.ends_with(".txt");
    let ours = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    let mut files: Vec<(SystemTime, u64, PathBuf)> = ours
        .filter_map(|entry| {
            let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        })
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    for (written, length, path) in files {
        let is_old = now.duration_since(written).is_ok_and(|age| age > MAX_AGE);
        if (is_old || total > most) && take_away(&path) {
            total -= length;
        }
    }
}

/// Removes a file that nobody writes to.
fn take_away(path: &Path) -> bool {
    let is_free = OpenOptions::new()
        .write(true)
        .open(path)
        .is_ok_and(|file| file.try_lock().is_ok());
    #[allow(clippy::disallowed_methods, reason = "it lies in the state folder, in no workspace")]
    let removed = is_free && std::fs::remove_file(path).is_ok();
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_ends_where_it_is_full_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = OutputFile::of_job(folder.path()).unwrap();
        output.room = 10;
        let cut = output.cut();
        for _ in 0..5 {
            output.write(b"abcd").unwrap();
        }
        let text = std::fs::read_to_string(output.path()).unwrap();
        assert_eq!(
            text,
            "abcdabcdab\n[cut: only the first 64 MiB of the output are kept]\n"
        );
        assert!(cut.load(Relaxed));
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn what_is_old_or_too_much_goes_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let file = |name: &str, days: u64| {
            let path = folder.path().join(name);
            std::fs::write(&path, [0; 100]).unwrap();
            let written = now - Duration::from_secs(days * 24 * 60 * 60);
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(written)
                .unwrap();
        };
        for (name, days) in [
            ("job-old.txt", 8),
            ("output-old.txt", 8),
            ("job-3.txt", 3),
            ("job-2.txt", 2),
            ("output-1.txt", 1),
            ("notes.txt", 9),
            ("job-old.rs", 9),
        ] {
            file(name, days);
        }
        let in_use = OutputFile::of_job(folder.path()).unwrap();
        in_use
            .file
            .set_modified(now - Duration::from_secs(30 * 24 * 60 * 60))
            .unwrap();
        prune_to(folder.path(), now, 250);
        let mut left: Vec<_> = folder
            .path()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        left.sort();
        let mut expected: Vec<_> = ["job-2.txt", "output-1.txt", "notes.txt", "job-old.rs"]
            .map(|name| folder.path().join(name))
            .into();
        expected.push(in_use.path().to_owned());
        expected.sort();
        assert_eq!(left, expected);
    }
}
