//! What a confined command sees of the file system, in a mount namespace of its own.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, StatVfsMountFlags, mknodat, statvfs};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change, mount_remount};

/// Where the empty things are made that hide others; everybody has this folder, and the command does not see it.
const STAGE: &str = "/dev/shm";
/// What hides files, in there.
const CLOSED: &str = "closed";

/// Keeps what is mounted from now on from everybody else. Called before anything is.
pub(super) fn part() -> io::Result<()> {
    Ok(mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?)
}

/// Makes what hides files. This process works in the folder of that from now on, which nobody else finds once
/// [`super::devices::set_up`] has covered it.
///
/// # Errors
/// Where the kernel refuses a mount: then nothing may run, because something would be open.
#[expect(clippy::disallowed_methods, reason = "the supervisor is a process of its own")]
pub(super) fn set_up() -> io::Result<()> {
    temporary(Path::new(STAGE), "mode=1777")?;
    std::env::set_current_dir(STAGE)?;
    // A socket is a file that nobody can open, not even root.
    mknodat(CWD, CLOSED, FileType::Socket, Mode::empty(), 0)?;
    Ok(())
}

/// Keeps something from being changed. Whether it is there: nothing can't be held.
///
/// # Errors
/// As [`set_up`].
pub(super) fn close(path: &Path) -> io::Result<bool> {
    if is_there(path) {
        let bound = mount_bind_recursive(path, path).map_err(io::Error::from);
        bound.and_then(|()| lock(path)).map_err(|error| failed(path, &error))?;
    }
    Ok(is_there(path))
}

/// Hides a file or a folder. Whether it is there: nothing can't be hidden.
///
/// # Errors
/// As [`set_up`].
pub(super) fn hide(path: &Path) -> io::Result<bool> {
    if !is_there(path) {
        return Ok(false);
    }
    let hiding = if path.is_dir() {
        temporary(path, "mode=0,size=0").and_then(|()| lock(path))
    } else {
        mount_bind_recursive(CLOSED, path).map_err(io::Error::from)
    };
    hiding.map_err(|error| failed(path, &error)).map(|()| true)
}

/// Keeps folders where they are, with all that is in them: no folder on which something is mounted is renamed, and nothing
/// is renamed into another mount.
///
/// # Errors
/// As [`set_up`].
pub(super) fn fix(folders: &[PathBuf]) -> io::Result<()> {
    for folder in folders.iter().filter(|folder| is_there(folder)) {
        mount_bind_recursive(folder, folder).map_err(|error| failed(folder, &error.into()))?;
    }
    Ok(())
}

/// Keeps all writes to these folders, where Landlock can't: everything around them becomes read-only.
///
/// # Errors
/// As [`set_up`].
pub(super) fn keep_writes(writable: &[PathBuf]) -> io::Result<()> {
    for folder in writable.iter().filter(|folder| folder.is_dir()) {
        mount_bind_recursive(folder, folder).map_err(|error| failed(folder, &error.into()))?;
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped);
    for place in places.filter(|place| !writable.iter().any(|folder| place.starts_with(folder))) {
        match lock(&place).map_err(|error| (error.kind(), error)) {
            // One that others cover, or that this person can't reach, is written to by nobody.
            Ok(())
            | Err((io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput, _)) => {}
            Err((_, error)) => return Err(failed(&place, &error)),
        }
    }
    Ok(())
}

/// A path as proc_pid_mountinfo(5) writes it: blanks and backslashes by their octal numbers.
fn unescaped(text: &str) -> PathBuf {
    let mut pieces = text.split('\\');
    let mut path = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let number = piece.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        path.extend(number);
        path.extend_from_slice(piece.get(3..).unwrap_or(piece).as_bytes());
    }
    PathBuf::from(OsString::from_vec(path))
}

/// Shows this process namespace's processes, and no others. Of the machine's settings root changes none.
pub(super) fn own_processes() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    for settings in ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"].map(Path::new) {
        if settings.exists() {
            mount_bind_recursive(settings, settings)?;
            lock(settings)?;
        }
    }
    Ok(())
}

/// Mounts an empty folder.
pub(super) fn temporary(folder: &Path, options: &str) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", folder, "tmpfs", flags, Some(options.as_c_str()))?)
}

/// Makes a mount read-only; what it had is kept, because the kernel lets nobody take it away.
pub(super) fn lock(path: &Path) -> io::Result<()> {
    let has = statvfs(path)?.f_flag;
    let kept = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = kept.iter().filter(|(flag, _)| has.contains(*flag));
    let flags = kept.fold(MountFlags::BIND | MountFlags::RDONLY, |all, (_, flag)| all | *flag);
    Ok(mount_remount(path, flags, c"")?)
}

/// Whether something can be mounted there: neither nothing, nor a link, whose target would be covered.
pub(super) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_symlink())
}

fn failed(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_of_mounts_are_read() {
        for (text, path) in [("/a", "/a"), (r"/a\040b", "/a b"), (r"/a\134\040", r"/a\ "), (r"\", "")] {
            assert_eq!(unescaped(text), Path::new(path), "{text}");
        }
    }
}
