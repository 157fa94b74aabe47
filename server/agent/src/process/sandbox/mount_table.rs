//! What is mounted where: a file can have several names by that, as its folder is mounted in several places.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::mount::MountFlags;

use super::spec::{Held, Text};

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
    /// The number of the file system.
    device: String,
    /// Which folder of it is mounted.
    root: PathBuf,
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
        let [_, _, device, root, point, options, rest @ ..] = fields.as_slice() else {
            return None;
        };
        let has = |name: &str| options.split(',').any(|option| option == name);
        let flags = OPTIONS.iter().filter(|(name, _)| has(name));
        let kind = rest.iter().skip_while(|field| **field != "-").nth(1)?;
        Some(Self {
            device: (*device).to_owned(),
            root: unescaped(root),
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

    /// The other paths of a file or a folder, and those of folders in it that are mounted by themselves elsewhere.
    pub(super) fn others(&self, path: &Path) -> Vec<PathBuf> {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        let Some(path) = parent.zip(path.file_name()).map(|(parent, name)| parent.join(name)) else {
            return Vec::new();
        };
        // Of several in one place the last one counts.
        let within = self.0.iter().filter(|mount| path.starts_with(&mount.point));
        let Some(mount) = within.max_by_key(|mount| mount.point.as_os_str().len()) else {
            return Vec::new();
        };
        let Ok(inner) = path.strip_prefix(&mount.point) else {
            return Vec::new();
        };
        let inside = mount.root.join(inner);
        let same = self.0.iter().filter(|other| other.device == mount.device);
        let others = same.filter_map(|other| {
            let below = inside.strip_prefix(&other.root).ok();
            let is_in_it = other.root.starts_with(&inside) && !other.point.starts_with(&path);
            below
                .map(|below| match below.as_os_str().is_empty() {
                    true => other.point.clone(),
                    false => other.point.join(below),
                })
                .or_else(|| is_in_it.then(|| other.point.clone()))
        });
        let mut others: Vec<_> = others
            .filter(|other| *other != path && !path.starts_with(other))
            .collect();
        others.sort();
        others.dedup();
        others
    }

    /// A place with all its other paths, as far as they can be reached.
    pub(super) fn everywhere(&self, held: &Held) -> Vec<Held> {
        let path = held.path.path();
        let look = |path: &Path| fs::symlink_metadata(path).ok().filter(|it| !it.is_symlink());
        let device = look(&path).map(|it| it.dev());
        let others = self.others(&path).into_iter().filter_map(|other| {
            // Another mount may cover it.
            let metadata = look(&other).filter(|it| Some(it.dev()) == device)?;
            Some(Held {
                path: Text::from(&other),
                number: Some((metadata.dev(), metadata.ino())),
            })
        });
        [held.clone()].into_iter().chain(others).collect()
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
    use super::*;

    #[test]
    fn odd_names_of_mounts_are_read() {
        for (text, path) in [("/a", "/a"), (r"/a\040b", "/a b"), (r"/a\134\040", r"/a\ "), (r"\", "")] {
            assert_eq!(unescaped(text), Path::new(path), "{text}");
        }
    }

    #[test]
    fn a_file_is_found_by_all_its_paths() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/.ssh")).unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        let table = [
            format!("1 0 8:1 / {} rw,relatime shared:1 - ext4 /dev/a rw", at("")),
            format!("2 1 8:1 /home {} rw,nosuid - ext4 /dev/a rw", at("alias")),
            format!("3 1 8:1 /home/.ssh/keys {} rw - ext4 /dev/a rw", at("keys")),
            format!("4 1 8:1 /home/other {} rw - ext4 /dev/a rw", at("other")),
            format!("5 1 8:2 / {} rw - ext4 /dev/b rw", at("disk")),
            format!("6 1 0:9 / {} ro - fuse.sshfs x rw", at("far")),
        ];
        let table = Table::of(&table.join("\n"));
        let found = table.others(&root.join("home/.ssh"));
        assert_eq!(found, [root.join("alias/.ssh"), root.join("keys")]);
        let far = table.mounts().last().unwrap();
        assert!(far.is_slow() && far.is_read_only);
        assert_eq!(table.0[1].flags, MountFlags::NOSUID);
    }
}
