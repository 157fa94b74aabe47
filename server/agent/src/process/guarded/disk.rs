//! Files and folders as the disk has them, links not followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::tree::MAX_ENTRIES;
use crate::workspace::slashed;

/// What a file or a folder is, whatever it is called: its device, its number, and when it was made where the file system
/// says so, because numbers are given again.
pub(super) type Identity = (u64, u64, Option<SystemTime>);

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

/// A folder, at any depth.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The folder that the path starts at, where it would be too long from the root.
    _start: Option<Arc<fs::File>>,
}

/// Where a folder is now, below another.
pub(super) fn folder_of(root: &Path, wanted: Identity) -> Option<Found> {
    let mut left = MAX_ENTRIES;
    let mut waiting = vec![Found {
        path: root.to_owned(),
        _start: None,
    }];
    while let Some(above) = waiting.pop() {
        let above = above.shortened();
        for entry in fs::read_dir(&above.path).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let folder = Found {
                    path: entry.path(),
                    _start: above._start.clone(),
                };
                if identity(&folder.path) == Some(wanted) {
                    return Some(folder);
                }
                waiting.push(folder);
            }
        }
    }
    None
}

impl Found {
    /// The longest path that is used as it is, in bytes; the system takes 4,096.
    const LONGEST: usize = 2000;

    /// The same folder by a short path.
    fn shortened(self) -> Self {
        #[cfg(target_os = "linux")]
        if self.path.as_os_str().len() > Self::LONGEST
            && let Ok(folder) = fs::File::open(&self.path)
        {
            use std::os::fd::AsRawFd;
            return Self {
                path: PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())),
                _start: Some(Arc::new(folder)),
            };
        }
        self
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

/// The same in another place; of a link, where it leads.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return fs::write(to, slashed(&fs::read_link(from)?).as_bytes());
    }
    if metadata.is_file() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
