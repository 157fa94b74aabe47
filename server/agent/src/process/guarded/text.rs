//! What a file says, as far as it is kept to be put back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The longest file whose text is kept to be put back, in bytes.
const MAX_KEPT_BYTES: u64 = 1 << 20;

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    Bytes(Vec<u8>),
    /// Where a link leads.
    Link(PathBuf),
    /// Too long to be kept, or no file.
    Other,
}

impl Text {
    pub(super) fn of(file: &Path) -> Self {
        let link = fs::read_link(file).map(Self::Link).ok();
        link.or_else(|| text(file).map(Self::Bytes)).unwrap_or(Self::Other)
    }

    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => fs::write(file, bytes),
            #[cfg(unix)]
            Self::Link(target) => std::os::unix::fs::symlink(target, file),
            #[cfg(not(unix))]
            Self::Link(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Other => Err(io::Error::other("it was too long to be kept")),
        }
    }

    /// The commands in a list of what git is to do: `exec LINE`, or `x LINE`.
    pub(super) fn commands(&self) -> Vec<&[u8]> {
        let Self::Bytes(bytes) = self else { return Vec::new() };
        let lines = bytes
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii);
        let is_command = |line: &&[u8]| {
            let word = line.split(u8::is_ascii_whitespace).next();
            word.is_some_and(|word| word == b"exec" || word == b"x")
        };
        lines.filter(is_command).collect()
    }
}

/// The bytes of a file that is not too long to be kept.
pub(super) fn text(file: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(file).ok()?;
    (metadata.is_file() && metadata.len() <= MAX_KEPT_BYTES).then(|| fs::read(file).ok())?
}
