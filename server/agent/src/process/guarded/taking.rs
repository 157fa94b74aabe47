//! How a change is taken back: what was there comes back, and what a command made is kept where it does no harm.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Guarded;
use super::disk::{Found, Identity, Pinned, identity, open_up, rights, set_rights};
use super::keeping::{copy, remove};
use super::text::Text;
use crate::record::private_folder;

/// Something that a command changed and must not.
#[derive(Debug)]
pub(super) enum Change {
    /// A file or a folder that was not there.
    New(PathBuf),
    /// What is in the place of something that was held.
    Instead(PathBuf),
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
        /// What it is.
        was: Identity,
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
    /// Puts things back as they were; what was made is kept elsewhere. A line for the person and the model; `None` where nothing
    /// was to be done, because only a folder above moved.
    pub(super) fn take_back(&self, change: &Change) -> Option<TakenBack> {
        let path = change.path();
        let name = self.shown(path);
        let took =
            |said: String| format!("took back {name}, which the command may not write without being asked; {said}");
        let makes = matches!(change, Change::Old(..));
        let pinned = Pinned::of(path, makes);
        if let (Change::New(_), Ok(pinned)) = (change, &pinned)
            && self.was_there(pinned, path)
        {
            return None;
        }
        let done = pinned
            .and_then(|pinned| self.do_back(change, &pinned))
            .map(|done| match done {
                Done::Took(said) => took(said),
                Done::Opened => format!("opened {name} again, which the command closed"),
                // Without it there would be nothing.
                Done::Lost => format!("{name} was changed by the command and can't be put back; look at it"),
            });
        // What lay in a folder that is gone is gone with it.
        let done = done.or_else(|error| match change {
            Change::New(_) | Change::Instead(_) if error.kind() == io::ErrorKind::NotFound => {
                Ok(took(REMOVED.to_owned()))
            }
            _ => Err(error),
        });
        let line = done.unwrap_or_else(|error| {
            format!("{name} was written without being asked, and could not be taken back: {error}")
        });
        Some(TakenBack {
            path: path.to_owned(),
            name,
            line,
        })
    }

    /// Whether something of this name was held in this very folder before, wherever that was. Nobody moves the folder away from
    /// its handle, as from its name between two looks.
    fn was_there(&self, pinned: &Pinned, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        identity(pinned.folder()).is_some_and(|folder| self.before.had(&folder, name))
    }

    fn do_back(&self, change: &Change, pinned: &Pinned) -> io::Result<Done> {
        let place = pinned.path();
        match change {
            Change::New(path) | Change::Instead(path) => self.keep(path, pinned, "it").map(Done::Took),
            Change::Old(path, before) if before.is_kept() => {
                let said = self.keep(path, pinned, "the changed one")?;
                before.write(place).map(|()| Done::Took(said))
            }
            Change::Old(..) => Ok(Done::Lost),
            Change::Closed(folder) => open_again(pinned, self.before.rights.get(folder)).map(|()| Done::Opened),
            Change::Rights(_, before) => {
                let error = || io::Error::other("its rights can't be set");
                let said = || Done::Took("its rights are as before".to_owned());
                set_rights(place, *before).then(said).ok_or_else(error)
            }
            Change::Swapped { place: path, now, was } => {
                let now = Pinned::of(&now.path, false)?;
                // Something else may be there by now, such as a folder of the person's by way of a link.
                if identity(now.path()).as_ref() != Some(was) {
                    return Err(io::Error::other("it moves all the time"));
                }
                let said = match fs::symlink_metadata(place) {
                    Err(_) => "it was moved".to_owned(),
                    Ok(_) => {
                        let kept = self.keep_whole(path, pinned)?;
                        format!("what was in its place is kept as {}", kept.display())
                    }
                };
                fs::rename(now.path(), place).map(|()| Done::Took(said))
            }
        }
    }

    /// Takes something to where it can do no harm, and says where: all of it, or as much as can be kept. `what` is what it
    /// is called.
    fn keep(&self, path: &Path, pinned: &Pinned, what: &str) -> io::Result<String> {
        let place = pinned.path();
        if fs::symlink_metadata(place).is_err() {
            return Ok(REMOVED.to_owned());
        }
        if self.look.taken_folder.is_none() {
            return Err(io::Error::other("there is no state folder"));
        }
        self.in_open_folder(path, pinned, || {
            let kept = self.place_for(path).and_then(|kept| {
                fs::rename(place, &kept).map(|()| kept.clone()).or_else(|_| {
                    let copied = copy(place, &kept).map(|()| kept.clone());
                    copied.map_err(|error| io::Error::new(error.kind(), format!("{error}; see {}", kept.display())))
                })
            });
            // What is not there any more was moved.
            if fs::symlink_metadata(place).is_ok() {
                remove(place)?;
            }
            Ok(match kept {
                Ok(kept) => format!("{what} is kept as {}", kept.display()),
                Err(error) => format!("it is gone, and not all of it is kept: {error}"),
            })
        })
    }

    /// The same for what does no harm where it is called otherwise, which may be much, and the person's.
    fn keep_whole(&self, path: &Path, pinned: &Pinned) -> io::Result<PathBuf> {
        self.in_open_folder(path, pinned, || {
            let kept = self.place_for(path);
            kept.and_then(|kept| fs::rename(pinned.path(), &kept).map(|()| kept))
                .or_else(|_| {
                    let kept = place_in(pinned.folder(), path)?;
                    fs::rename(pinned.path(), Pinned::of(&kept, false)?.path())?;
                    let inner = kept.strip_prefix(pinned.folder()).unwrap_or(&kept);
                    Ok(path.parent().unwrap_or(path).join(inner))
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
    fn in_open_folder<T>(&self, path: &Path, pinned: &Pinned, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let (above, folder) = (path.parent().unwrap_or(path), pinned.folder());
        let had = self.before.rights.get(above).copied().or_else(|| rights(folder));
        open_up(folder);
        open_up(pinned.path());
        let done = work();
        // Where it can't be set it is what it was.
        let _ = had.is_some_and(|had| set_rights(folder, had));
        done
    }
}

/// What happened to a change.
enum Done {
    /// It is as before, and of what was there instead this is said.
    Took(String),
    /// The folder is open again.
    Opened,
    /// What was there before is lost.
    Lost,
}

const REMOVED: &str = "it was removed";

/// A new place in a folder for something of this name.
fn place_in(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let place = tempfile::Builder::new().prefix("taken-").tempdir_in(folder)?.keep();
    Ok(place.join(path.file_name().unwrap_or_default()))
}

/// Lets the person into a folder again, and into the one that it lies in; with the rights that it had, if they are known.
fn open_again(folder: &Pinned, had: Option<&u32>) -> io::Result<()> {
    if rights(folder.path()).is_none() {
        open_up(folder.folder());
    }
    let now = rights(folder.path()).ok_or_else(|| io::Error::other("its rights can't be read"))?;
    let is_open = set_rights(folder.path(), had.copied().unwrap_or(now) | 0o700);
    is_open
        .then_some(())
        .ok_or_else(|| io::Error::other("its rights can't be set"))
}

impl Change {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::New(path)
            | Self::Instead(path)
            | Self::Old(path, _)
            | Self::Closed(path)
            | Self::Rights(path, _)
            | Self::Swapped { place: path, .. } => path,
        }
    }
}
