//! The devices of a confined command: those that any program may use, and terminals and shared memory of its own.
//!
//! Root may open disks, virtual machines and consoles; a person may be in a group that can. Neither is needed to build or test.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;

use rustix::mount::{MountFlags, mount, mount_bind, mount_bind_recursive};

use super::mounts::{lock, temporary};

/// Devices that any program may use, in `/dev`.
const SHARED: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// What `/dev` has besides, by where it leads.
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Puts them in the place of the machine's.
///
/// # Errors
/// Where the kernel refuses a mount: then nothing may run, because all devices would be open.
pub(super) fn set_up() -> io::Result<()> {
    let (devices, stage) = (Path::new("/dev"), Path::new("/dev/shm"));
    temporary(stage, "mode=755")?;
    for name in SHARED {
        let (device, place) = (devices.join(name), stage.join(name));
        if fs::symlink_metadata(&device).is_ok_and(|it| it.file_type().is_char_device()) {
            File::create(&place)?;
            mount_bind(&device, &place)?;
        }
    }
    for (name, target) in LINKS {
        symlink(target, stage.join(name))?;
    }
    let (terminals, memory) = (Path::new("/dev/pts"), Path::new("/dev/shm"));
    for name in ["pts", "shm"] {
        fs::create_dir(stage.join(name))?;
    }
    mount_bind_recursive(stage, devices)?;
    lock(devices)?;
    temporary(memory, "mode=1777")?;
    let (flags, options) = (
        MountFlags::NOSUID | MountFlags::NOEXEC,
        c"newinstance,ptmxmode=0666,mode=620",
    );
    Ok(mount("devpts", terminals, "devpts", flags, Some(options))?)
}
