//! Where a command may write. A link can lead anywhere, so none counts that another command can have made.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The most links that a path may go through.
const MAX_LINKS: usize = 40;

/// These places without links; those are missing that a link in one of them leads to.
pub(super) fn resolved(places: &[PathBuf]) -> Vec<PathBuf> {
    let roots: Vec<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
    let mut found: Vec<PathBuf> = places.iter().filter_map(|place| followed(place, &roots)).collect();
    found.sort();
    found.dedup();
    found
}

/// Where a path leads, as path_resolution(7) has it; nowhere where it goes through a link in one of these folders.
fn followed(place: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect();
    let mut left: VecDeque<OsString> = parts(place);
    let mut path = PathBuf::new();
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        match Path::new(&part).components().next()? {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            _ => {
                let next = path.join(&part);
                let Ok(target) = fs::read_link(&next) else {
                    path = next;
                    continue;
                };
                links += 1;
                if links > MAX_LINKS || roots.iter().any(|root| path.starts_with(root)) {
                    return None;
                }
                let mut target: VecDeque<OsString> = parts(&target);
                target.append(&mut left);
                left = target;
            }
        }
    }
    Some(path)
}

/// What is at a path that goes through no link, by its handle: it stays the same whatever is put there later.
#[cfg(target_os = "linux")]
pub(super) struct Place(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Place {
    /// `None` where nothing is there, or a link is on the way.
    pub(super) fn open(path: &Path) -> Option<Self> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let opened = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let place = Self(opened.ok()?);
        // The kernel says where that is by its own reckoning.
        fs::read_link(place.path()).ok().filter(|is| is == path).map(|_| place)
    }

    /// A path that leads to it alone.
    pub(super) fn path(&self) -> PathBuf {
        use std::os::fd::AsRawFd;
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_count_where_no_command_makes_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        for name in ["home/keys", "home/data", "w/real"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        symlink("data", at("home/cache")).unwrap();
        symlink(at("w/there"), at("home/twice")).unwrap();
        symlink(at("home/keys"), at("w/there")).unwrap();
        symlink("../home", at("w/up")).unwrap();
        symlink("loop", at("home/loop")).unwrap();
        let leads = |name: &str| {
            let found = resolved(&[at("w"), at(name)]);
            found.into_iter().find(|place| *place != at("w"))
        };
        assert_eq!(leads("w/real"), Some(at("w/real")));
        assert_eq!(leads("home/cache"), Some(at("home/data")));
        assert_eq!(leads("home/cache/../missing"), Some(at("home/missing")));
        for name in ["w/there", "w/up/keys", "home/twice", "home/loop"] {
            assert_eq!(leads(name), None, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_place_has_no_link_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("a", root.join("l")).unwrap();
        assert!(Place::open(&root.join("a/b")).is_some());
        for name in ["l", "l/b", "a/c"] {
            assert!(Place::open(&root.join(name)).is_none(), "{name}");
        }
    }
}
