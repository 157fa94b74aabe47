//! Writing below the handles, for hosts alone: a tool goes through its host.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};

use super::{Target, Workspace, inside, other_than_file};

impl Workspace {
    /// Writes a file whole or not at all: a temporary file beside it, then a rename. For hosts alone.
    ///
    /// The folders above it are made, the file's mode is kept. A file with several hard links is parted from its
    /// other names. `before` is the text that is replaced, `None` where there is no file: what somebody else wrote
    /// meanwhile is never replaced.
    ///
    /// # Errors
    /// Where the place is not the one that was resolved any more, is no file, holds something else than `before`, or
    /// the file system refuses.
    pub fn write_atomically(&self, target: &Target, bytes: &[u8], before: Option<&str>) -> io::Result<()> {
        let must_not_exist = before.is_none();
        self.check_again(target)?;
        let (parent, name) = self.parent(target, true)?;
        let permissions = match parent.symlink_metadata(&name) {
            Ok(_) if must_not_exist => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(metadata) => match other_than_file(&metadata) {
                Some(kind) => return Err(io::Error::other(format!("{target} is {kind}"))),
                None => Some(metadata.permissions()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let temporary = temporary_name()?;
        let outcome = (|| {
            let mut file = parent.open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
            // Before the text is in it: the file may be for its owner alone.
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            if must_not_exist {
                // Unlike a rename, a link never replaces.
                match parent.hard_link(&temporary, &parent, &name) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        // This file system has no hard links.
                        let mut file = parent.open_with(&name, OpenOptions::new().write(true).create_new(true))?;
                        file.write_all(bytes)?;
                        file.sync_all()
                    }
                    linked => linked,
                }
            } else {
                // As late as can be: writing out the temporary file may have taken long.
                let now = self.read_bytes(target).map_err(io::Error::other)?;
                if before.is_some_and(|before| before.as_bytes() != now) {
                    return Err(io::Error::other("the file was changed meanwhile; read it again"));
                }
                parent.rename(&temporary, &parent, &name)
            }
        })();
        if must_not_exist || outcome.is_err() {
            // Only a leftover is at stake; the outcome is told anyway.
            if let Err(error) = parent.remove_file(&temporary) {
                tracing::warn!(%target, %error, "a temporary file stays");
            }
        }
        outcome?;
        sync(&parent);
        Ok(())
    }

    /// Removes a file. For hosts alone.
    ///
    /// # Errors
    /// Where the place is not the one that was resolved any more, or the file system refuses.
    pub fn remove(&self, target: &Target) -> io::Result<()> {
        self.check_again(target)?;
        let (parent, name) = self.parent(target, false)?;
        parent.remove_file(&name)?;
        sync(&parent);
        Ok(())
    }

    /// Time went by since the path was resolved: a folder of it may be a link now.
    fn check_again(&self, target: &Target) -> io::Result<()> {
        let now = self.resolve_path(&target.path).map_err(io::Error::other)?;
        if now.path == target.path {
            Ok(())
        } else {
            Err(io::Error::other(format!(
                "{target} leads somewhere else since it was checked; try again"
            )))
        }
    }

    fn parent(&self, target: &Target, make: bool) -> io::Result<(Dir, OsString)> {
        let name = target.inner.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let parent = target.inner.parent().unwrap_or(Path::new(""));
        let parent = inside::folder(self.dir(target), parent, make)?;
        Ok((parent, name))
    }
}

fn temporary_name() -> io::Result<String> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!(".skills-ls-{:016x}.tmp", u64::from_le_bytes(bytes)))
}

/// A rename is kept over a power cut only once its folder is written. The file itself is in its place already, so
/// a file system that can't do it is no failure.
fn sync(dir: &Dir) {
    if cfg!(unix)
        && let Err(error) = dir.open(".").and_then(|folder| folder.sync_all())
    {
        tracing::debug!(%error, "a folder could not be synced");
    }
}
