//! The sessions of the state folder: found, read, copied and removed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Conversation;
use super::entry::{Entry, Happened, Record, VERSION};
use super::log::Log;
use crate::event::random_id;

/// The longest log that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// How much of a log is read for its line in a list, in bytes.
const HEAD_BYTES: u64 = 64 << 10;
/// The most characters of a title.
const TITLE_CHARS: usize = 80;

/// The folder of the logs, below the state folder.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its identifier.
    pub id: String,
    /// The workspace's folders when it began.
    pub folders: Vec<PathBuf>,
    /// Its first prompt or skill on one line, cut.
    pub title: String,
    /// When it was written last, in milliseconds since 1970 (UTC).
    pub updated: u64,
}

/// A session as it was read.
#[derive(Debug)]
pub struct Stored {
    /// The workspace's folders when it began.
    pub folders: Vec<PathBuf>,
    /// Every line that can be read.
    pub records: Vec<Record>,
    /// What was said, ready to go on with.
    pub conversation: Conversation,
    /// Whether the last line has no end.
    pub torn: bool,
}

impl Store {
    /// The sessions below a state folder.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            folder: state.join("sessions"),
        }
    }

    /// Where a session's log lies.
    ///
    /// # Errors
    ///
    /// Where the identifier is none: it would name another file.
    pub fn path(&self, id: &str) -> io::Result<PathBuf> {
        if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(self.folder.join(format!("{id}.jsonl")));
        }
        let message = format!("{id:?} is no session; list them to see which there are");
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }

    /// All sessions, the newest first. A file that can't be read is left out.
    #[must_use]
    pub fn list(&self) -> Vec<Summary> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let summaries = names.filter_map(|name| self.summary(name.strip_suffix(".jsonl")?).ok());
        let mut summaries: Vec<_> = summaries.collect();
        summaries.sort_by(|one, other| other.updated.cmp(&one.updated).then_with(|| one.id.cmp(&other.id)));
        summaries
    }

    fn summary(&self, id: &str) -> io::Result<Summary> {
        let file = open(&self.path(id)?)?;
        let updated = file.metadata()?.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let updated = updated.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let (mut folders, mut title) = (Vec::new(), String::new());
        for line in BufReader::new(file.take(HEAD_BYTES)).split(b'\n') {
            match serde_json::from_slice::<Record>(&line?).map(|record| record.entry) {
                Ok(Entry::Session { folders: found, .. }) => folders = found,
                Ok(Entry::Turn {
                    happened: Happened::Started { prompt, skill, .. },
                    ..
                }) => {
                    let skill = skill.map(|skill| format!("/{} ", skill.name)).unwrap_or_default();
                    title = format!("{skill}{prompt}");
                    break;
                }
                _ => {}
            }
        }
        let words: Vec<_> = title.split_whitespace().collect();
        Ok(Summary {
            id: id.to_owned(),
            folders,
            title: words.join(" ").chars().take(TITLE_CHARS).collect(),
            updated: u64::try_from(updated).unwrap_or(u64::MAX),
        })
    }

    /// Reads a session. A torn last line is ignored, as is one that can't be understood.
    ///
    /// # Errors
    ///
    /// Where there is no such session, it can't be read, or is no log of this program.
    pub fn read(&self, id: &str) -> io::Result<Stored> {
        let path = self.path(id)?;
        let mut text = Vec::new();
        open(&path)?.take(MAX_BYTES).read_to_end(&mut text)?;
        let torn = text.last().is_some_and(|byte| *byte != b'\n');
        let lines = text.split(|byte| *byte == b'\n');
        let mut stored = Stored {
            folders: Vec::new(),
            records: lines.filter_map(|line| serde_json::from_slice(line).ok()).collect(),
            conversation: Conversation::default(),
            torn,
        };
        match stored.records.first().map(|record| &record.entry) {
            Some(Entry::Session { version, folders, .. }) if *version <= VERSION => stored.folders = folders.clone(),
            _ => {
                let message = format!("{} is no session that this version can read", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
        for record in &stored.records {
            stored.conversation.replay(&record.entry);
        }
        Ok(stored)
    }

    /// Goes on writing a session that was read.
    ///
    /// # Errors
    ///
    /// Where it can't be opened for writing, or another process has it open.
    pub fn go_on(&self, id: &str, stored: &Stored) -> io::Result<Log> {
        let log = Log::default();
        let seq = stored.records.last().map_or(0, |record| record.seq);
        log.go_on(self.path(id)?, seq, stored.torn)?;
        Ok(log)
    }

    /// Copies a session under a new identifier, which is given.
    ///
    /// # Errors
    ///
    /// Where it can't be read, or the copy can't be written.
    pub fn fork(&self, id: &str) -> io::Result<String> {
        let stored = self.read(id)?;
        let fork = random_id();
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        for mut record in stored.records {
            if let Entry::Session {
                id: own, forked_from, ..
            } = &mut record.entry
            {
                *own = fork.clone();
                *forked_from = Some(id.to_owned());
            }
            serde_json::to_writer(&mut file, &record)?;
            file.write_all(b"\n")?;
        }
        file.persist_noclobber(self.path(&fork)?)?;
        Ok(fork)
    }

    /// Removes a session's log and transcript.
    ///
    /// # Errors
    ///
    /// Where there is none, or it can't be removed.
    #[expect(
        clippy::disallowed_methods,
        reason = "files of the state folder, which are no workspace's"
    )]
    pub fn delete(&self, id: &str) -> io::Result<()> {
        let path = self.path(id)?;
        std::fs::remove_file(&path)?;
        match std::fs::remove_file(path.with_extension("md")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Opens a log for reading: a file, and no link.
fn open(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file"))
}
