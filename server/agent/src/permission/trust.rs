use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::record;

/// The record of trusted folders: `trust.json` in the state folder.
///
/// Other servers of the same person write it too, so it is read anew each time, and what is set is added to what they set.
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    version: u32,
    /// By absolute path without symbolic links.
    folders: BTreeMap<PathBuf, bool>,
}

/// What goes before the record: what the person set, and what their editor says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidTrust {
    /// The setting `trust.workspace`, for all folders.
    pub setting: Option<bool>,
    /// What the editor says of folders, by absolute path without symbolic links. Its no stands above the setting.
    pub editor: BTreeMap<PathBuf, bool>,
}

impl SaidTrust {
    /// What is said of a folder; `None` where nothing is, so that the record counts.
    pub fn of(&self, folder: &Path) -> Option<bool> {
        match self.editor.get(folder).copied() {
            Some(false) => Some(false),
            editor => self.setting.or(editor),
        }
    }
}

impl From<Option<bool>> for SaidTrust {
    fn from(setting: Option<bool>) -> Self {
        Self {
            setting,
            editor: BTreeMap::new(),
        }
    }
}

impl TrustStore {
    /// The record below a state folder, which is made when something is recorded.
    pub fn new(state: &Path) -> Self {
        Self {
            file: state.join("trust.json"),
        }
    }

    /// What is recorded of exactly this folder; `None` where nothing is, or the record is unreadable.
    pub fn get(&self, folder: &Path) -> Option<bool> {
        self.read().ok()?.folders.get(&real(folder)).copied()
    }

    /// Records whether a folder is trusted. Waits up to 10 seconds for other programs that write the record, and blocks
    /// the thread.
    ///
    /// # Errors
    /// As [`TrustStore::set_within`].
    pub fn set(&self, folder: &Path, trusted: bool) -> io::Result<()> {
        self.set_within(folder, trusted, record::PATIENCE)
    }

    /// The same, with another patience.
    ///
    /// # Errors
    /// Where the record can't be read or written, or the others take longer: it is not replaced then, because it may hold
    /// other folders.
    pub fn set_within(&self, folder: &Path, trusted: bool, patience: Duration) -> io::Result<()> {
        record::update(&self.file, patience, |record: &mut Record| {
            record.version = 1;
            record.folders.insert(real(folder), trusted);
        })
    }

    /// Why the record is not believed, for the person; `None` where it is fine or not there yet.
    pub fn problem(&self) -> Option<String> {
        let error = self.read().err()?;
        Some(format!(
            "The trust record {} can't be read ({error}), so no folder counts as trusted.",
            self.file.display()
        ))
    }

    fn read(&self) -> io::Result<Record> {
        record::read(&self.file)
    }
}

/// One folder is one entry, whatever its spelling.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_folder_is_remembered_and_only_that_folder() {
        let state = tempfile::tempdir().expect("a folder");
        let store = TrustStore::new(&state.path().join("new/state"));
        assert_eq!((store.get(Path::new("/a")), store.problem()), (None, None));
        store.set(Path::new("/a"), true).expect("written");
        store.set(Path::new("/b"), false).expect("written");
        let other = TrustStore::new(&state.path().join("new/state"));
        for (folder, trusted) in [("/a", Some(true)), ("/b", Some(false)), ("/a/sub", None), ("/", None)] {
            assert_eq!(other.get(Path::new(folder)), trusted, "{folder}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_record_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().join("state");
        TrustStore::new(&folder).set(Path::new("/a"), true).expect("written");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join("trust.json"))), (0o700, 0o600));
    }

    #[test]
    fn a_broken_record_is_no_trust_and_is_reported() {
        let state = tempfile::tempdir().expect("a folder");
        let file = state.path().join("trust.json");
        for text in ["", "{", r#"{"version":1,"folders":{"/a":"yes"}}"#, "[]", "\u{0}"] {
            File::create(&file)
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .expect("written");
            let store = TrustStore::new(state.path());
            assert_eq!(store.get(Path::new("/a")), None, "{text}");
            assert!(
                store.problem().is_some_and(|problem| problem.contains("trust.json")),
                "{text}"
            );
        }
        let store = TrustStore::new(state.path());
        let error = store.set(Path::new("/a"), true).expect_err("it may hold other folders");
        assert!(error.to_string().contains("trust.json"), "{error}");
        assert_eq!(std::fs::read(&file).expect("there"), b"\0", "it is left as it was");
    }
}
