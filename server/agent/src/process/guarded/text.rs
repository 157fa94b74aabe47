//! What a file says, as far as it is kept to be put back.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The longest file whose text is kept to be put back, in bytes.
const MAX_KEPT_BYTES: u64 = 1 << 20;

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    Bytes(Vec<u8>),
    /// Where a link leads.
    Link(PathBuf),
    /// Too long to be kept, or closed: by this its changes are seen.
    Unread(Stamp),
    /// No file.
    Other,
}

/// The state of a file, which any change of it changes: its device, its number, its length, and when it was changed last.
type Stamp = (u64, u64, u64, Option<SystemTime>);

impl Text {
    pub(super) fn of(file: &Path) -> Self {
        if let Ok(target) = fs::read_link(file) {
            return Self::Link(target);
        }
        let stamp = || {
            let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
            Some(Self::Unread(stamp(&metadata)))
        };
        text(file).map(Self::Bytes).or_else(stamp).unwrap_or(Self::Other)
    }

    /// Whether it can be written again.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self, Self::Bytes(_) | Self::Link(_))
    }

    /// Makes a file of it where none is.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        match self {
            // A link that comes there meanwhile is not followed.
            Self::Bytes(bytes) => fs::File::create_new(file)?.write_all(bytes),
            #[cfg(unix)]
            Self::Link(target) => std::os::unix::fs::symlink(target, file),
            #[cfg(not(unix))]
            Self::Link(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Unread(_) | Self::Other => Err(io::Error::other("its text was not kept")),
        }
    }
}

/// The bytes of a file that is not too long to be kept.
pub(crate) fn text(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open(file).ok()?;
    file.take(MAX_KEPT_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_KEPT_BYTES).then_some(bytes)
}

/// Opens a file, and nothing else: a command can put a link or a pipe in its place at any moment, and a pipe without a
/// writer would be waited for.
pub(super) fn open(file: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    // A device can do something when it is opened.
    let is_file = fs::symlink_metadata(file)?.is_file();
    let opened = is_file.then(|| options.open(file)).transpose()?;
    let opened = opened.filter(|opened| opened.metadata().is_ok_and(|metadata| metadata.is_file()));
    opened.ok_or_else(|| io::Error::other("it is no file"))
}

fn stamp(metadata: &fs::Metadata) -> Stamp {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
        // Unlike the time of the last write nobody can set this one.
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds));
        (metadata.dev(), metadata.ino(), metadata.len(), changed)
    }
    #[cfg(not(unix))]
    (0, 0, metadata.len(), metadata.modified().ok())
}
