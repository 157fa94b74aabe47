//! What is mounted where.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::mount::MountFlags;

/// Kinds of file systems that wait for another machine, or for another program.
const SLOW: &[&str] = &[
    "9p", "afs", "autofs", "ceph", "cifs", "fuse", "lustre", "nfs", "nfs4", "smb3",
];

/// The options of a mount, beside `ro`, that a change of it must name again.
const OPTIONS: &[(&str, MountFlags)] = &[
    ("nosuid", MountFlags::NOSUID),
    ("nodev", MountFlags::NODEV),
    ("noexec", MountFlags::NOEXEC),
    ("noatime", MountFlags::NOATIME),
    ("nodiratime", MountFlags::NODIRATIME),
    ("relatime", MountFlags::RELATIME),
];

/// One line of proc_pid_mountinfo(5).
#[derive(Debug)]
pub(super) struct Mount {
    /// Where.
    pub(super) point: PathBuf,
    /// What it has beside being read-only or not.
    pub(super) flags: MountFlags,
    /// Whether nobody writes through it anyway.
    pub(super) is_read_only: bool,
    kind: String,
}

impl Mount {
    fn of(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, _, _, _, point, options, rest @ ..] = fields.as_slice() else {
            return None;
        };
        let has = |name: &str| options.split(',').any(|option| option == name);
        let flags = OPTIONS.iter().filter(|(name, _)| has(name));
        let kind = rest.iter().skip_while(|field| **field != "-").nth(1)?;
        Some(Self {
            point: unescaped(point),
            flags: flags.fold(MountFlags::empty(), |all, (_, flag)| all | *flag),
            is_read_only: has("ro"),
            kind: (*kind).to_owned(),
        })
    }

    /// Whether looking at it can take as long as another machine, or another program, wants.
    pub(super) fn is_slow(&self) -> bool {
        let kind = self.kind.split('.').next().unwrap_or_default();
        SLOW.contains(&kind)
    }
}

/// All mounts of this process's namespace.
#[derive(Debug)]
pub(super) struct Table(Vec<Mount>);

impl Table {
    /// As they are now.
    ///
    /// # Errors
    /// Where `/proc` is missing.
    pub(super) fn read() -> io::Result<Self> {
        Ok(Self::of(&fs::read_to_string("/proc/self/mountinfo")?))
    }

    fn of(text: &str) -> Self {
        Self(text.lines().filter_map(Mount::of).collect())
    }

    pub(super) fn mounts(&self) -> impl Iterator<Item = &Mount> {
        self.0.iter()
    }
}

/// A path as proc_pid_mountinfo(5) writes it: spaces and backslashes by their octal numbers.
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn odd_names_of_mounts_are_read() {
        for (text, path) in [("/a", "/a"), (r"/a\040b", "/a b"), (r"/a\134\040", r"/a\ "), (r"\", "")] {
            assert_eq!(unescaped(text), Path::new(path), "{text}");
        }
    }

    #[test]
    fn kinds_and_options_are_read() {
        let table = "1 0 8:1 / / rw,nosuid shared:1 - ext4 /dev/a rw\n2 1 0:9 / /far ro - fuse.sshfs x rw";
        let [disk, far] = Table::of(table).0.try_into().unwrap();
        assert!(!disk.is_slow() && !disk.is_read_only);
        assert_eq!(disk.flags, MountFlags::NOSUID);
        assert!(far.is_slow() && far.is_read_only);
    }
}
