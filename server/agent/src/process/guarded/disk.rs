//! Files and folders as the disk has them, links not followed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

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
    let _ = rights(folder).is_some_and(|rights| set_rights(folder, rights | 0o700));
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
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        rights(folder)
            .is_some_and(|has| has == wanted || fs::set_permissions(folder, fs::Permissions::from_mode(wanted)).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = (folder, wanted);
        false
    }
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
