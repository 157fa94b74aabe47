//! How a change is taken back: what was there comes back, and what a command made is kept where it does no harm.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Guarded;
use super::disk::{Found, copy, open_up, rights, set_rights};
use super::text::Text;
use crate::record::private_folder;

/// Something that a command changed and must not.
#[derive(Debug)]
pub(super) enum Change {
    /// A file or a folder that was not there.
    New(PathBuf),
    /// A file that had this text.
    Old(PathBuf, Text),
    /// A folder that had these rights.
    Rights(PathBuf, u32),
    /// A folder in whose place another one is; it is elsewhere itself.
    Swapped {
        /// Where it was.
        place: PathBuf,
        /// Where it is.
        now: Found,
    },
}

/// Something that was put back as it was.
#[derive(Debug)]
pub(crate) struct TakenBack {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it is called in the workspace.
    pub(crate) name: String,
    /// What the person and the model are told.
    pub(crate) line: String,
}

impl Guarded {
    /// Puts things back as they were; what was made is kept elsewhere. A line for the person and the model.
    pub(super) fn take_back(&self, change: &Change) -> TakenBack {
        let path = change.path();
        let name = self.shown(path);
        let done = match change {
            Change::New(path) => self.keep(path).map(|kept| format!("it is kept as {}", kept.display())),
            Change::Old(path, before) => self
                .keep(path)
                .map(|kept| format!("the changed one is kept as {}", kept.display()))
                .and_then(|said| {
                    fs::create_dir_all(path.parent().unwrap_or(path))?;
                    before.write(path).map(|()| said)
                }),
            Change::Rights(folder, before) => {
                let error = || io::Error::other("its rights can't be set");
                set_rights(folder, *before)
                    .then(|| "its rights are as before".to_owned())
                    .ok_or_else(error)
            }
            Change::Swapped { place, now } if fs::symlink_metadata(place).is_err() => {
                fs::rename(&now.path, place).map(|()| "it was moved".to_owned())
            }
            Change::Swapped { place, now } => self
                .keep(place)
                .map(|kept| format!("what was in its place is kept as {}", kept.display()))
                .and_then(|said| fs::rename(&now.path, place).map(|()| said)),
        };
        let line = match done {
            Ok(kept) => format!("took back {name}, which the command may not write without being asked; {kept}"),
            Err(error) => format!("{name} was written without being asked, and could not be taken back: {error}"),
        };
        TakenBack {
            path: path.to_owned(),
            name,
            line,
        }
    }

    /// Moves something to where it can do no harm.
    fn keep(&self, path: &Path) -> io::Result<PathBuf> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(PathBuf::from("nothing: it was removed"));
        }
        let folder = self
            .look
            .taken_folder
            .as_ref()
            .ok_or_else(|| io::Error::other("there is no state folder"))?;
        private_folder(folder)?;
        let place = tempfile::Builder::new().prefix("taken-").tempdir_in(folder)?.keep();
        let above = path.parent().unwrap_or(path);
        let had = self.rights.get(above).copied().or_else(|| rights(above));
        open_up(above);
        open_up(path);
        let kept = place.join(path.file_name().unwrap_or_default());
        let moved = fs::rename(path, &kept).or_else(|_| {
            copy(path, &kept)?;
            match fs::symlink_metadata(path)?.is_dir() {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            }
        });
        // Where it can't be set it is what it was.
        let _ = had.is_some_and(|had| set_rights(above, had));
        moved.map(|()| kept)
    }
}

impl Change {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::New(path) | Self::Old(path, _) | Self::Rights(path, _) | Self::Swapped { place: path, .. } => path,
        }
    }
}
