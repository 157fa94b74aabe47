//! What a confined command sees of the file system, in a mount namespace of its own.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, StatVfsMountFlags, StatxFlags, mknodat, openat, statvfs, statx,
};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change, mount_remount};

use super::mount_table::{Mount, Table};
use super::writable::Place;
use super::{Moved, Number};

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

/// Keeps something from being changed. Whether it is there: nothing can't be held, nor can a link.
///
/// # Errors
/// As [`set_up`], and [`Moved`] where it is not what this number says.
pub(super) fn close(path: &Path, number: Option<Number>) -> io::Result<bool> {
    let Some(thing) = Thing::open(path, number)? else {
        return Ok(false);
    };
    let close = || -> io::Result<bool> {
        mount_bind_recursive(thing.path(path), thing.path(path))?;
        // What is there now is the mount, unless somebody moved it meanwhile.
        let Some(closed) = Thing::open(path, Some(thing.number))?.filter(|closed| closed.is_over(&thing)) else {
            return Err(Moved(path.to_owned()).into());
        };
        lock(&closed.path(path)).map(|()| true)
    };
    close().map_err(|error| failed(path, error))
}

/// Hides a file or a folder. Whether it is there: nothing can't be hidden, nor can a link.
///
/// # Errors
/// As [`close`].
pub(super) fn hide(path: &Path, number: Option<Number>) -> io::Result<bool> {
    let Some(thing) = Thing::open(path, number)? else {
        return Ok(false);
    };
    let hiding = match thing.is_folder {
        true => mount_empty(&thing.path(path), "mode=0,size=0", MountFlags::RDONLY),
        false => mount_bind_recursive(CLOSED, thing.path(path)).map_err(io::Error::from),
    };
    hiding.map_err(|error| failed(path, error)).map(|()| true)
}

/// A file or a folder itself, wherever it is moved.
struct Thing {
    handle: OwnedFd,
    number: Number,
    is_folder: bool,
    /// In which mount it is; a kernel before 5.8 does not say.
    mount: Option<u64>,
}

impl Thing {
    fn open(path: &Path, number: Option<Number>) -> io::Result<Option<Self>> {
        let moved = || match number {
            Some(_) => Err(Moved(path.to_owned()).into()),
            None => Ok(None),
        };
        let handle = match openat(
            CWD,
            path,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        ) {
            Ok(handle) => handle,
            Err(Errno::NOENT | Errno::NOTDIR) => return moved(),
            Err(error) => return Err(failed(path, error.into())),
        };
        let file = fs::File::from(handle);
        let metadata = file.metadata()?;
        let handle = OwnedFd::from(file);
        if metadata.is_symlink() {
            return moved();
        }
        let found = (metadata.dev(), metadata.ino());
        if number.is_some_and(|number| number != found) {
            return moved();
        }
        let mount = statx(&handle, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok();
        let mount = mount.filter(|it| it.stx_mask & StatxFlags::MNT_ID.bits() != 0);
        Ok(Some(Self {
            handle,
            number: found,
            is_folder: metadata.is_dir(),
            mount: mount.map(|it| it.stx_mnt_id),
        }))
    }

    /// A path that leads to it alone. Once the command has its own `/proc`, in which this process is not, there is none: then
    /// its name has to do.
    fn path(&self, name: &Path) -> PathBuf {
        let path = PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()));
        if path.symlink_metadata().is_ok() {
            path
        } else {
            name.to_owned()
        }
    }

    fn is_over(&self, other: &Self) -> bool {
        self.mount.zip(other.mount).is_none_or(|(own, others)| own != others)
    }
}

/// Keeps folders where they are, with all that is in them: no folder on which something is mounted is renamed, and nothing
/// is renamed into another mount.
///
/// # Errors
/// As [`set_up`].
pub(super) fn fix(folders: &[PathBuf]) -> io::Result<()> {
    for folder in folders {
        let mounted = mount_bind_recursive(folder, folder).map_err(io::Error::from);
        mounted.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Moved(folder.to_owned()).into(),
            _ => failed(folder, error),
        })?;
    }
    Ok(())
}

/// Keeps all writes to these places: everything around them becomes read-only, so that also rights, times and attributes stay,
/// of which Landlock knows nothing. With Landlock one that can keep this process waiting for another machine, or another
/// program, is left to that.
///
/// # Errors
/// As [`set_up`].
pub(super) fn keep_writes(writable: &[PathBuf], table: &Table, has_landlock: bool) -> io::Result<()> {
    for place in writable {
        if let Some(open) = Place::open(place) {
            mount_bind_recursive(open.path(), open.path()).map_err(|error| failed(place, error.into()))?;
        }
    }
    let is_left = |mount: &Mount| {
        let is_writable = writable.iter().any(|place| mount.point.starts_with(place));
        is_writable || mount.is_read_only || has_landlock && mount.is_slow()
    };
    for mount in table.mounts().filter(|mount| !is_left(mount)) {
        let flags = MountFlags::BIND | MountFlags::RDONLY | mount.flags;
        match mount_remount(&mount.point, flags, c"") {
            // One that others cover, or that this person can't reach, is written to by nobody.
            Ok(()) | Err(Errno::NOENT | Errno::ACCESS | Errno::INVAL) => {}
            // One that the kernel lets nobody change here is Landlock's.
            Err(Errno::PERM) if has_landlock => {}
            Err(error) => return Err(failed(&mount.point, error.into())),
        }
    }
    Ok(())
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
    mount_empty(folder, options, MountFlags::empty())
}

fn mount_empty(folder: &Path, options: &str, flags: MountFlags) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | flags;
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

fn failed(path: &Path, error: io::Error) -> io::Error {
    match error.get_ref() {
        Some(inner) if inner.is::<Moved>() => error,
        _ => io::Error::new(error.kind(), format!("{}: {error}", path.display())),
    }
}
