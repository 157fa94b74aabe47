//! Files and folders as the disk has them, links not followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A file or a folder by a handle of the folder that it lies in. Links that a command puts in the place of folders above it
/// lead nowhere: what is done to it is done there, or fails.
#[derive(Debug)]
pub(super) struct Pinned {
    path: PathBuf,
    folder: PathBuf,
    #[cfg(target_os = "linux")]
    _handle: std::os::fd::OwnedFd,
}

impl Pinned {
    /// Where it is now; `makes` whether folders above it that are missing are made.
    ///
    /// # Errors
    /// Where a folder above it is missing, or is a link.
    #[cfg(target_os = "linux")]
    pub(super) fn of(path: &Path, makes: bool) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        use std::path::Component;

        use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
        use rustix::io::Errno;

        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = path.parent().unwrap_or(path);
        // A handle of our own, as long paths begin with.
        let known: PathBuf = folder.components().take(5).collect();
        let is_handle = known.starts_with("/proc/self/fd") && known.components().count() == 5;
        let start = if is_handle { known } else { PathBuf::from("/") };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut handle = openat(CWD, &start, flags, Mode::empty())?;
        for part in folder.strip_prefix(&start).unwrap_or(folder).components() {
            let Component::Normal(part) = part else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            let open = || openat(&handle, part, flags | OFlags::NOFOLLOW, Mode::empty());
            handle = match open() {
                Err(Errno::NOENT) if makes => {
                    mkdirat(&handle, part, Mode::from_bits_truncate(0o777))?;
                    open()
                }
                opened => opened,
            }?;
        }
        // With the slash it is the folder, not the link in `/proc`.
        let folder = PathBuf::from(format!("/proc/self/fd/{}/", handle.as_raw_fd()));
        Ok(Self {
            path: folder.join(name),
            folder,
            _handle: handle,
        })
    }

    /// As it is called: no command is confined here.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(path: &Path, makes: bool) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(path).to_owned();
        if makes {
            fs::create_dir_all(&folder)?;
        }
        let path = path.to_owned();
        Ok(Self { path, folder })
    }

    /// A path that leads to it, or to what is in its place, as long as this lives.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The same of the folder that it lies in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// What a file or a folder is, whatever it is called: its device, its number, and when it was made where the file system
/// says so, because numbers are given again.
pub(super) type Identity = (u64, u64, Option<SystemTime>);

/// A folder, at any depth.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The folder that the path starts at, where it would be too long from the root.
    pub(super) start: Option<Arc<fs::File>>,
}

impl Found {
    /// The longest path that is used as it is, in bytes; the system takes 4,096.
    const LONGEST: usize = 2000;

    /// A folder by its whole path.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, start: None }
    }

    /// The same folder by a short path.
    pub(super) fn shortened(self) -> Self {
        #[cfg(target_os = "linux")]
        if self.path.as_os_str().len() > Self::LONGEST
            && let Ok(folder) = fs::File::open(&self.path)
        {
            use std::os::fd::AsRawFd;
            return Self {
                path: PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())),
                start: Some(Arc::new(folder)),
            };
        }
        self
    }
}

/// What is in a folder; nothing where it is none, or a link to one.
pub(super) fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    entries.into_iter().flatten().flatten().map(|entry| entry.path())
}

/// What something is, links not followed; `None` where there is nothing, or the system has no numbers for it.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::symlink_metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino(), metadata.created().ok()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Lets the person into a folder again that a command closed; where that fails, what comes next says why.
pub(super) fn open_up(folder: &Path) {
    let _ = change_rights(folder, |rights| rights | 0o700);
}

/// Whether something belongs to the person who runs this: a command can make nothing else.
pub(super) fn is_own(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = fs::symlink_metadata(path).map(|metadata| metadata.uid());
        owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    {
        path.exists()
    }
}

/// Who may do what in a folder; `None` where it is none, or the system says it otherwise.
pub(super) fn rights(folder: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = fs::symlink_metadata(folder).ok().filter(fs::Metadata::is_dir)?;
        Some(metadata.permissions().mode() & 0o7777)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Whether they are set now.
pub(super) fn set_rights(folder: &Path, wanted: u32) -> bool {
    change_rights(folder, |_| wanted)
}

/// Changes the rights of a folder itself: a link that comes in its place is not followed. Whether they are so now.
fn change_rights(folder: &Path, change: impl FnOnce(u32) -> u32) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        #[cfg(target_os = "linux")]
        let Some(handle) = handle_of(folder) else { return false };
        #[cfg(target_os = "linux")]
        let folder = &*{
            use std::os::fd::AsRawFd;
            PathBuf::from(format!("/proc/self/fd/{}/", handle.as_raw_fd()))
        };
        rights(folder).is_some_and(|has| {
            let wanted = change(has);
            has == wanted || fs::set_permissions(folder, fs::Permissions::from_mode(wanted)).is_ok()
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (folder, change);
        false
    }
}

/// A folder's handle, which needs no right to look into it.
#[cfg(target_os = "linux")]
fn handle_of(folder: &Path) -> Option<std::os::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, folder, flags, Mode::empty()).ok()
}

/// Whether a file has a second name somewhere.
pub(super) fn has_other_names(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The files of a place: itself, or those below it.
pub(super) fn files(place: &Path) -> impl Iterator<Item = PathBuf> {
    let mut waiting = vec![place.to_owned()];
    std::iter::from_fn(move || {
        loop {
            let path = waiting.pop()?;
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
            if !is_folder {
                return Some(path);
            }
            waiting.extend(
                fs::read_dir(&path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path()),
            );
        }
    })
}
