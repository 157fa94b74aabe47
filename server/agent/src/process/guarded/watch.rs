//! What changes in folders, as the kernel tells it (inotify(7)): at once, so that it is known when a command has ended.

#[cfg(target_os = "linux")]
pub(super) use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub(super) use nowhere::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
    use rustix::io::Errno;

    /// How many folders all programs of a person may watch together.
    const LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";
    /// The part of it that is used here: editors need it too.
    const PART: usize = 4;

    /// The folders that are watched.
    #[derive(Debug, Default)]
    pub(in super::super) struct Watch {
        kernel: Option<OwnedFd>,
        paths: HashMap<i32, PathBuf>,
        room: usize,
        /// How many folders were moved so far.
        pub(in super::super) moves: u64,
    }

    impl Watch {
        /// Watches a folder; `None` where that can't be done.
        pub(in super::super) fn add(&mut self, folder: &Path) -> Option<i32> {
            if self.kernel.is_none() {
                let limit = std::fs::read_to_string(LIMIT).ok()?;
                self.room = limit.trim().parse::<usize>().ok()? / PART;
                self.kernel = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
            }
            let kernel = self.kernel.as_ref().filter(|_| self.paths.len() < self.room)?;
            let what = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::ATTRIB
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            let number = add_watch(kernel, folder, what).ok()?;
            // One that was moved, or is in two places, has one number: changes could be reported for the wrong place.
            let known = self.paths.entry(number).or_insert_with(|| folder.to_owned());
            (known == folder).then_some(number)
        }

        /// The folders that changed since the last call; `None` where some changes were not told.
        pub(in super::super) fn changed(&mut self) -> Option<Vec<PathBuf>> {
            let mut changed = Vec::new();
            let Some(kernel) = &self.kernel else {
                return Some(changed);
            };
            let mut is_whole = true;
            let mut buffer = [MaybeUninit::uninit(); 1 << 14];
            let mut reader = Reader::new(kernel, &mut buffer);
            loop {
                match reader.next() {
                    Ok(event) => {
                        is_whole &= !event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                        let is_moved = event.events().intersects(ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO);
                        self.moves += u64::from(is_moved && event.events().contains(ReadFlags::ISDIR) || !is_whole);
                        changed.extend(self.paths.get(&event.wd()).cloned());
                        if event.events().contains(ReadFlags::IGNORED) {
                            self.paths.remove(&event.wd());
                        }
                    }
                    Err(Errno::AGAIN) => return is_whole.then_some(changed),
                    Err(Errno::INTR) => {}
                    Err(_) => return None,
                }
            }
        }

        /// Ends the watch of a folder that is not there any more.
        pub(in super::super) fn forget(&mut self, number: i32, folder: &Path) {
            if self.paths.get(&number).is_some_and(|path| path == folder)
                && let Some(kernel) = &self.kernel
            {
                self.paths.remove(&number);
                // An error says that it is gone.
                let _ = remove_watch(kernel, number);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use std::path::{Path, PathBuf};

    /// Nothing is watched.
    #[derive(Debug, Default)]
    pub(in super::super) struct Watch {
        pub(in super::super) moves: u64,
    }

    impl Watch {
        pub(in super::super) fn add(&mut self, _: &Path) -> Option<i32> {
            None
        }

        pub(in super::super) fn changed(&mut self) -> Option<Vec<PathBuf>> {
            Some(Vec::new())
        }

        pub(in super::super) fn forget(&mut self, _: i32, _: &Path) {}
    }
}
