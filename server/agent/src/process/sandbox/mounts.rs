//! What a confined command sees of the file system, in a mount namespace of its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, StatVfsMountFlags, mknodat, statvfs};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change, mount_remount};

/// Where the empty things are made that hide others; everybody has this folder, and the command does not see it.
const STAGE: &str = "/dev/shm";

/// Hides some files and folders, keeps others from being changed, and gives the command terminals and shared memory of its
/// own. What is not there can't be hidden.
///
/// # Errors
/// Where the kernel refuses a mount: then nothing may run, because something would be open.
pub(super) fn set_up(hidden: &[PathBuf], read_only: &[PathBuf]) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    temporary(Path::new(STAGE), "mode=1777")?;
    let closed = Path::new(STAGE).join("closed");
    // A socket is a file that nobody can open, not even root.
    mknodat(CWD, &closed, FileType::Socket, Mode::empty(), 0)?;
    for path in read_only.iter().filter(|path| is_there(path)) {
        let bound = mount_bind_recursive(path, path).map_err(io::Error::from);
        bound.and_then(|()| lock(path)).map_err(|error| failed(path, &error))?;
    }
    for path in hidden.iter().filter(|path| is_there(path)) {
        let hiding = if path.is_dir() {
            temporary(path, "mode=0,size=0").and_then(|()| lock(path))
        } else {
            mount_bind_recursive(&closed, path).map_err(io::Error::from)
        };
        hiding.map_err(|error| failed(path, &error))?;
    }
    // What hid others stays behind them.
    temporary(Path::new(STAGE), "mode=1777")?;
    let terminals = Path::new("/dev/pts");
    if terminals.is_dir() {
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        mount(
            "devpts",
            terminals,
            "devpts",
            flags,
            Some(c"newinstance,ptmxmode=0666,mode=620"),
        )?;
    }
    Ok(())
}

/// Shows this process namespace's processes, and no others.
pub(super) fn own_processes() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

fn temporary(folder: &Path, options: &str) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", folder, "tmpfs", flags, Some(options.as_c_str()))?)
}

/// Makes a mount read-only; what it had is kept, because the kernel lets nobody take it away.
fn lock(path: &Path) -> io::Result<()> {
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
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_symlink())
}

fn failed(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
