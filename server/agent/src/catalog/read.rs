//! Reading a file that anybody may have made: bounded, and without waiting for what is no file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::digest::Digest;
use crate::workspace::sensitive;

/// The longest file of instructions, in bytes.
pub(super) const MAX_BYTES: u64 = 4 << 20;

/// A file as it was read.
#[derive(Debug, Clone)]
pub(super) struct Content {
    /// The text, with replacement characters for what is no UTF-8.
    pub(super) text: Arc<str>,
    pub(super) is_utf8: bool,
    /// Of the bytes.
    pub(super) sha256: Digest,
    /// How many bytes there were.
    pub(super) bytes: usize,
}

impl Content {
    /// A text that is not read from the disk.
    pub(super) fn of(text: Arc<str>) -> Self {
        Self {
            is_utf8: true,
            sha256: Digest::of(text.as_bytes()),
            bytes: text.len(),
            text,
        }
    }
}

/// Why the text of a file can't be had.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The system does not give it.
    #[error("can't be read: {0}")]
    Failed(#[from] io::Error),
    /// A folder, a pipe or a device.
    #[error("is no regular file")]
    Irregular,
    /// Its name, or what it is a link to, says that it holds keys: whoever writes a repository chose it.
    #[error("looks like keys or passwords, and is not read")]
    Secret,
    /// It has more bytes than are read.
    #[error("is longer than {MAX_BYTES} bytes; move parts of it to other files")]
    Long,
    /// Something else that a file of instructions may not do.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The same, of this path.
    #[error("{path} {1}", path = .0.display())]
    At(PathBuf, #[source] Box<Unreadable>),
    /// It is another text than the one that is known.
    #[error("{} was just changed; try again", .0.display())]
    Changed(PathBuf),
    /// A skill that is no file.
    #[error("the skill {0} has no file")]
    NoFile(String),
}

impl Unreadable {
    /// The same, with the path in its text.
    pub(super) fn at(self, path: &Path) -> Self {
        Self::At(path.to_owned(), Box::new(self))
    }
}

/// Reads a file; `Err` says why there is none. A link may lead to keys, which nobody was asked about.
pub(super) fn read(path: &Path) -> Result<Content, Unreadable> {
    let file = open(path)?;
    let is_link = path.symlink_metadata()?.is_symlink();
    if is_link && path.canonicalize().is_ok_and(|real| sensitive::is_secret(&real)) {
        return Err(Unreadable::Secret);
    }
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Unreadable::Irregular);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(MAX_BYTES)).unwrap_or_default() + 1);
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Unreadable::Long);
    }
    let (sha256, count) = (Digest::of(&bytes), bytes.len());
    let (text, is_utf8) = match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    };
    Ok(Content {
        text: text.into(),
        is_utf8,
        sha256,
        bytes: count,
    })
}

/// Opens without waiting: a pipe of that name would block for ever.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}
