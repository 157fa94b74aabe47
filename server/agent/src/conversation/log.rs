//! A session's log: JSON lines that are only ever appended, for their owner alone.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use super::entry::{Entry, Record};
use crate::record;
use crate::redaction::redact_value;

/// How long a session is waited for that another server may have open.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes a session down. What can't be written costs nothing else: the session goes on, and says so once.
#[derive(Debug, Default)]
pub struct Log {
    state: Mutex<LogWriter>,
}

#[derive(Debug, Default)]
struct LogWriter {
    /// Where it is written; nowhere while unset.
    path: Option<PathBuf>,
    /// The first line, until it is written.
    header: Option<Entry>,
    file: Option<File>,
    seq: u64,
    /// The last line may be a part of one.
    torn: bool,
    failing: bool,
    problem: Option<String>,
}

impl Log {
    /// Writes to this file from now on, where nothing else was said; the header first. The file is made with the first
    /// entry, so that a session in which nothing happens leaves none.
    pub fn keep_at(&self, path: PathBuf, header: Entry) {
        let mut state = self.state.lock();
        if state.path.is_none() {
            state.path = Some(path);
            state.header = Some(header);
        }
    }

    /// Goes on with a file that was read to this sequence number; `torn` where its last line has no end.
    ///
    /// # Errors
    ///
    /// Where the file can't be opened, or another process writes it.
    pub fn go_on(&self, path: PathBuf, seq: u64, torn: bool) -> io::Result<()> {
        let mut state = self.state.lock();
        state.file = Some(open(&path)?);
        state.path = Some(path);
        (state.seq, state.torn) = (seq, torn);
        Ok(())
    }

    /// Writes an entry.
    pub fn append(&self, entry: Entry) {
        let mut state = self.state.lock();
        if state.path.is_none() {
            return;
        }
        let header = state.header.take();
        let written = header.iter().chain([&entry]).try_for_each(|entry| state.write(entry));
        match written {
            Ok(()) => state.failing = false,
            Err(error) => {
                if state.seq == 0 {
                    state.header = header;
                }
                if !std::mem::replace(&mut state.failing, true) {
                    let path = state.path.as_deref().unwrap_or(Path::new("")).display().to_string();
                    state.problem = Some(format!(
                        "the session's log {path} can't be written ({error}): what happens now is not kept for later, \
                         and nothing else is lost"
                    ));
                }
            }
        }
    }

    /// What went wrong since it was asked last, for the person.
    pub fn take_problem(&self) -> Option<String> {
        self.state.lock().problem.take()
    }
}

impl LogWriter {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let path = self.path.as_deref().ok_or(io::ErrorKind::NotFound)?;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(path)?),
        };
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = Record {
            seq: self.seq + 1,
            time: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            entry: entry.clone(),
        };
        let mut value = serde_json::to_value(record)?;
        redact_value(&mut value);
        let torn = if self.torn { "\n" } else { "" };
        self.torn = true;
        // One write a line: a crash tears the last one only.
        file.write_all(format!("{torn}{value}\n").as_bytes())?;
        self.torn = false;
        self.seq += 1;
        Ok(())
    }
}

/// Opens a log for appending: its owner's, no link, and nobody else writes it.
fn open(path: &Path) -> io::Result<File> {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folder.mode(0o700);
        options.mode(0o600);
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    folder.create(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
    let file = options.open(path)?;
    let held = "another server has this session open; close it there, or fork it";
    record::hold(&file, PATIENCE, held)?;
    Ok(file)
}
