use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The longest record that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The record of trusted folders: `trust.json` in the state folder.
///
/// It is read anew each time, because other servers of the same person write it too.
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

    /// Records whether a folder is trusted. An unreadable record is replaced.
    ///
    /// # Errors
    /// Where the state folder or the file can't be written.
    pub fn set(&self, folder: &Path, trusted: bool) -> io::Result<()> {
        let state = self.file.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(state)?;
        let mut record = self.read().unwrap_or_default();
        record.version = 1;
        record.folders.insert(real(folder), trusted);
        // Made for its owner alone, and replaced whole.
        let mut file = tempfile::NamedTempFile::new_in(state)?;
        serde_json::to_writer_pretty(&mut file, &record)?;
        file.flush()?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
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
        let mut text = String::new();
        match File::open(&self.file) {
            Ok(file) => file.take(MAX_BYTES).read_to_string(&mut text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Record::default()),
            Err(error) => return Err(error),
        };
        Ok(serde_json::from_str(&text)?)
    }
}

/// One folder is one entry, whatever its spelling.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
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
    fn a_broken_record_is_no_trust_and_is_told() {
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
        store.set(Path::new("/a"), true).expect("replaced");
        assert_eq!((store.get(Path::new("/a")), store.problem()), (Some(true), None));
    }
}
