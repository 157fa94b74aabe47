//! Opening what lies below a folder without following a link on the way.
//!
//! A path is resolved and judged before it is opened, and a command may put a link in the place of a folder meanwhile: then
//! another file than the one that was judged would be read or written.

use std::io;
use std::path::{Component, Path};

use cap_std::fs::{Dir, File, OpenOptions};

/// A file that is read, waiting for nobody: a pipe without a writer would block for ever.
pub(super) fn file(dir: &Dir, inner: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let way = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(dir, inner, flags, Mode::empty(), way) {
            // Old kernels, and filters of system calls that don't know it.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(File::from_std(opened?.into())),
        }
    }
    let name = inner.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    folder(dir, inner.parent().unwrap_or(Path::new("")), false)?.open_with(name, &reading())
}

/// A folder; `makes` whether those that are missing are made.
pub(super) fn folder(dir: &Dir, inner: &Path, makes: bool) -> io::Result<Dir> {
    let mut folder = dir.try_clone()?;
    for part in inner.components() {
        let Component::Normal(name) = part else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let name = Path::new(name);
        folder = match child(&folder, name) {
            Err(error) if makes && error.kind() == io::ErrorKind::NotFound => match folder.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => child(&folder, name)?,
            },
            opened => opened?,
        };
    }
    Ok(folder)
}

#[cfg(unix)]
fn child(folder: &Dir, name: &Path) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // This one needs no right to list what is in it.
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    let opened = openat(folder, name, flags, Mode::empty())?;
    Ok(Dir::from_std_file(opened.into()))
}

#[cfg(not(unix))]
fn child(folder: &Dir, name: &Path) -> io::Result<Dir> {
    match folder.symlink_metadata(name)?.is_symlink() {
        true => Err(io::ErrorKind::NotADirectory.into()),
        false => folder.open_dir(name),
    }
}

/// Opening waits for nobody, and a link put there meanwhile is refused.
pub(crate) fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_link_on_the_way_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority()).unwrap();
        for (path, text) in [("d/config", "plain"), (".git/config", "protected")] {
            dir.create_dir_all(Path::new(path).parent().unwrap()).unwrap();
            dir.write(path, text).unwrap();
        }
        let inner = Path::new("d/config");
        assert!(file(&dir, inner).is_ok());
        assert!(folder(&dir, Path::new("new/deep"), true).unwrap().entries().is_ok());
        // What a command does after the path was judged.
        dir.rename("d", &dir, "e").unwrap();
        dir.symlink(".git", "d").unwrap();
        dir.symlink("config", ".git/other").unwrap();
        for inner in ["d/config", ".git/other", "../x", "d/../e/config"] {
            assert!(file(&dir, Path::new(inner)).is_err(), "{inner}");
        }
        for inner in ["d", "d/hooks", "new/../../x"] {
            assert!(folder(&dir, Path::new(inner), true).is_err(), "{inner}");
        }
        assert!(!dir.exists(".git/hooks"));
        // As on kernels without `openat2`.
        assert!(
            folder(&dir, Path::new("e"), false)
                .unwrap()
                .open_with("config", &reading())
                .is_ok()
        );
    }
}
