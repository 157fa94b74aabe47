//! Watching folders for changes that no client tells of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Config, ErrorKind, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use skills_agent::catalog::Location;
use tokio::sync::mpsc::UnboundedSender;

/// How often is looked where the system can't tell.
const POLL: Duration = Duration::from_secs(2);

/// The folders that are watched.
#[derive(Debug)]
pub struct Watches {
    changes: UnboundedSender<PathBuf>,
    native: Option<RecommendedWatcher>,
    polling: Option<PollWatcher>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
    /// Why the system's own watcher is not used, for the person.
    problem: Option<String>,
}

impl Watches {
    /// Watches nothing yet; paths that change are sent there.
    pub fn new(changes: UnboundedSender<PathBuf>) -> Self {
        Self {
            native: None,
            polling: None,
            watched: BTreeMap::new(),
            problem: None,
            changes,
        }
    }

    /// Watches these folders and no others. Gives what the person is to be told, once.
    pub fn set(&mut self, wanted: BTreeMap<PathBuf, RecursiveMode>) -> Option<String> {
        let had_problem = self.problem.is_some();
        let gone: Vec<_> = self
            .watched
            .iter()
            // A folder that was replaced has the same name and is another one, so it is watched anew.
            .filter(|(path, mode)| wanted.get(*path) != Some(*mode) || !path.is_dir())
            .map(|(path, _)| path.clone())
            .collect();
        for path in gone {
            self.unwatch(&path);
        }
        for (path, mode) in wanted {
            if !self.watched.contains_key(&path) && path.is_dir() {
                self.watch(path, mode);
            }
        }
        self.problem.clone().filter(|_| !had_problem)
    }

    /// Watches folders again that were replaced by others of their names: those at and below paths that changed.
    pub fn renew_below(&mut self, changed: &BTreeSet<PathBuf>) {
        let is_below = |path: &&PathBuf| path.ancestors().any(|folder| changed.contains(folder));
        let replaced: Vec<PathBuf> = self.watched.keys().filter(is_below).cloned().collect();
        for path in replaced {
            if let Some(mode) = self.watched.get(&path).copied() {
                self.unwatch(&path);
                if path.is_dir() {
                    self.watch(path, mode);
                }
            }
        }
    }

    fn watch(&mut self, path: PathBuf, mode: RecursiveMode) {
        let native = match &mut self.native {
            Some(native) => Ok(native),
            None if self.problem.is_none() => RecommendedWatcher::new(handler(self.changes.clone()), Config::default())
                .map(|it| self.native.insert(it)),
            None => return self.poll(path, mode),
        };
        match native.and_then(|native| native.watch(&path, mode)) {
            Ok(()) => {
                self.watched.insert(path, mode);
            }
            // It went away meanwhile; what happened to it is seen from the folder above.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) || !path.is_dir() => {}
            Err(error) => {
                self.problem = Some(format!(
                    "The folders of skills can't be watched ({error}), so changes are looked for every {} seconds. On \
                     Linux a greater fs.inotify.max_user_watches helps.",
                    POLL.as_secs()
                ));
                // One way for all, so that a change is seen once.
                self.native = None;
                let before = std::mem::take(&mut self.watched);
                before.into_iter().for_each(|(path, mode)| self.poll(path, mode));
                self.poll(path, mode);
            }
        }
    }

    fn poll(&mut self, path: PathBuf, mode: RecursiveMode) {
        let config = Config::default().with_poll_interval(POLL);
        let polling = match &mut self.polling {
            Some(polling) => Ok(polling),
            None => PollWatcher::new(handler(self.changes.clone()), config).map(|it| self.polling.insert(it)),
        };
        match polling.and_then(|polling| polling.watch(&path, mode)) {
            Ok(()) => {
                self.watched.insert(path, mode);
            }
            Err(error) => tracing::warn!("{} can't be looked at for changes: {error}", path.display()),
        }
    }

    fn unwatch(&mut self, path: &Path) {
        self.watched.remove(path);
        // A folder that is gone is watched no longer, which is no error for us.
        if let Some(native) = &mut self.native {
            let _ = native.unwatch(path);
        }
        if let Some(polling) = &mut self.polling {
            let _ = polling.unwatch(path);
        }
    }
}

/// What to watch for these locations: each folder that is there with all below, and beside it the folder above, where it
/// may vanish and appear. Nothing below `left_out`, which the client watches.
pub fn wanted(locations: &[Location], left_out: &[PathBuf]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut wanted = BTreeMap::new();
    let is_left_out = |path: &Path| left_out.iter().any(|folder| path.starts_with(folder));
    for location in locations.iter().filter(|location| !is_left_out(&location.path)) {
        let is_there = location.path.is_dir();
        if is_there {
            wanted.insert(location.path.clone(), RecursiveMode::Recursive);
        }
        let above = location.path.ancestors().skip(1).filter(|folder| folder.is_dir());
        // Up to the project or home, and where that is missing too, to what is above it.
        let below_base = |folder: &&Path| folder.starts_with(&location.base);
        let mut folders: Vec<&Path> = above.clone().take_while(below_base).collect();
        if folders.is_empty() {
            folders.extend(above.take(1));
        }
        for folder in folders.into_iter().filter(|folder| !is_left_out(folder)) {
            wanted.entry(folder.to_owned()).or_insert(RecursiveMode::NonRecursive);
        }
    }
    wanted
}

/// Adds what to watch for these files: the folder of each, and where that is missing, the nearest that is there.
pub fn add_files(wanted: &mut BTreeMap<PathBuf, RecursiveMode>, files: &[PathBuf], left_out: &[PathBuf]) {
    for file in files
        .iter()
        .filter(|file| !left_out.iter().any(|folder| file.starts_with(folder)))
    {
        if let Some(folder) = file.ancestors().skip(1).find(|folder| folder.is_dir()) {
            wanted.entry(folder.to_owned()).or_insert(RecursiveMode::NonRecursive);
        }
    }
}

/// Hands on the paths of what happens. Reading is no change.
fn handler(changes: UnboundedSender<PathBuf>) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    move |event| match event {
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
        Ok(event) => {
            for path in event.paths {
                // Nobody listens any more when the server ends.
                let _ = changes.send(path);
            }
        }
        Err(error) => {
            tracing::warn!("watching failed: {error}");
            for path in error.paths {
                let _ = changes.send(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[tokio::test]
    async fn where_nothing_can_be_watched_the_folders_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let (sender, mut receiver) = unbounded_channel();
        let mut watches = Watches {
            problem: Some("no more watches".to_owned()),
            ..Watches::new(sender)
        };
        watches.set([(folder.path().to_owned(), RecursiveMode::Recursive)].into());
        let file = folder.path().join("new/SKILL.md");
        std::fs::create_dir(folder.path().join("new")).unwrap();
        std::fs::write(&file, "x").unwrap();
        while receiver.recv().await.unwrap() != file {}
    }

    #[tokio::test]
    async fn a_folder_that_is_replaced_is_watched_again() {
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join("skills");
        std::fs::create_dir(&skills).unwrap();
        let (sender, mut receiver) = unbounded_channel();
        let mut watches = Watches::new(sender);
        let wanted = [(skills.clone(), RecursiveMode::Recursive)];
        assert_eq!(watches.set(wanted.into()), None);
        std::fs::remove_dir(&skills).unwrap();
        std::fs::create_dir(&skills).unwrap();
        watches.renew_below(&[skills.clone()].into());
        std::fs::write(skills.join("SKILL.md"), "x").unwrap();
        while receiver.recv().await.unwrap() != skills.join("SKILL.md") {}
    }
}
