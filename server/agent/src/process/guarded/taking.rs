//! How a change is taken back: what was there comes back, and what a command made is kept where it does no harm.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Guarded;
use super::disk::{Found, open_up, rights, set_rights};
use super::keeping::{copy, remove};
use super::text::Text;
use crate::record::private_folder;

/// Something that a command changed and must not.
#[derive(Debug)]
pub(super) enum Change {
    /// A file or a folder that was not there.
    New(PathBuf),
    /// A file that had this text.
    Old(PathBuf, Text),
    /// A folder that nobody can look into any more.
    Closed(PathBuf),
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
        let took =
            |said: String| format!("took back {name}, which the command may not write without being asked; {said}");
        let done = match change {
            Change::New(path) => self.keep(path, "it").map(took),
            Change::Old(path, before) if before.is_kept() => self.keep(path, "the changed one").and_then(|said| {
                fs::create_dir_all(path.parent().unwrap_or(path))?;
                before.write(path).map(|()| took(said))
            }),
            // Without it there would be nothing.
            Change::Old(..) => Ok(format!(
                "{name} was changed by the command and can't be put back; look at it"
            )),
            Change::Closed(folder) => open_again(folder, self.before.rights.get(folder))
                .map(|()| format!("opened {name} again, which the command closed")),
            Change::Rights(folder, before) => {
                let error = || io::Error::other("its rights can't be set");
                set_rights(folder, *before)
                    .then(|| took("its rights are as before".to_owned()))
                    .ok_or_else(error)
            }
            Change::Swapped { place, now } if fs::symlink_metadata(place).is_err() => {
                fs::rename(&now.path, place).map(|()| took("it was moved".to_owned()))
            }
            Change::Swapped { place, now } => self
                .keep_whole(place)
                .map(|kept| format!("what was in its place is kept as {}", kept.display()))
                .and_then(|said| fs::rename(&now.path, place).map(|()| took(said))),
        };
        let line = done.unwrap_or_else(|error| {
            format!("{name} was written without being asked, and could not be taken back: {error}")
        });
        TakenBack {
            path: path.to_owned(),
            name,
            line,
        }
    }

    /// Takes something to where it can do no harm, and says where: all of it, or as much as can be kept. `what` is what it
    /// is called.
    fn keep(&self, path: &Path, what: &str) -> io::Result<String> {
        if fs::symlink_metadata(path).is_err() {
            return Ok("it was removed".to_owned());
        }
        if self.look.taken_folder.is_none() {
            return Err(io::Error::other("there is no state folder"));
        }
        self.in_open_folder(path, || {
            let place = self.place_for(path);
            let place = place.and_then(|kept| {
                fs::rename(path, &kept).map(|()| kept.clone()).or_else(|_| {
                    let copied = copy(path, &kept).map(|()| kept.clone());
                    copied.map_err(|error| io::Error::new(error.kind(), format!("{error}; see {}", kept.display())))
                })
            });
            // What is not there any more was moved.
            if fs::symlink_metadata(path).is_ok() {
                remove(path)?;
            }
            Ok(match place {
                Ok(kept) => format!("{what} is kept as {}", kept.display()),
                Err(error) => format!("it is gone, and not all of it is kept: {error}"),
            })
        })
    }

    /// The same for what does no harm where it is called otherwise, which may be much, and the person's.
    fn keep_whole(&self, path: &Path) -> io::Result<PathBuf> {
        self.in_open_folder(path, || {
            let kept = self.place_for(path);
            kept.and_then(|kept| fs::rename(path, &kept).map(|()| kept))
                .or_else(|_| {
                    let kept = place_in(path.parent().unwrap_or(path), path)?;
                    fs::rename(path, &kept).map(|()| kept)
                })
        })
    }

    /// A new place in the folder of what was taken.
    fn place_for(&self, path: &Path) -> io::Result<PathBuf> {
        let folder = self.look.taken_folder.as_ref();
        let folder = folder.ok_or_else(|| io::Error::other("there is no state folder"))?;
        private_folder(folder)?;
        place_in(folder, path)
    }

    /// Does something with what is in a folder that a command may have closed.
    fn in_open_folder<T>(&self, path: &Path, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let above = path.parent().unwrap_or(path);
        let had = self.before.rights.get(above).copied().or_else(|| rights(above));
        open_up(above);
        open_up(path);
        let done = work();
        // Where it can't be set it is what it was.
        let _ = had.is_some_and(|had| set_rights(above, had));
        done
    }
}

/// A new place in a folder for something of this name.
fn place_in(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let place = tempfile::Builder::new().prefix("taken-").tempdir_in(folder)?.keep();
    Ok(place.join(path.file_name().unwrap_or_default()))
}

/// Lets the person into a folder again, and into the one that it lies in; with the rights that it had, if they are known.
fn open_again(folder: &Path, had: Option<&u32>) -> io::Result<()> {
    if rights(folder).is_none() {
        open_up(folder.parent().unwrap_or(folder));
    }
    let now = rights(folder).ok_or_else(|| io::Error::other("its rights can't be read"))?;
    let is_open = set_rights(folder, had.copied().unwrap_or(now) | 0o700);
    is_open
        .then_some(())
        .ok_or_else(|| io::Error::other("its rights can't be set"))
}

impl Change {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::New(path)
            | Self::Old(path, _)
            | Self::Closed(path)
            | Self::Rights(path, _)
            | Self::Swapped { place: path, .. } => path,
        }
    }
}
