//! A record in the state folder: for its owner alone, changed by one program at a time, and replaced whole.
//!
//! Several servers of a person write the same records. Who changes one holds the lock of a file beside it, which stays
//! when the record is replaced, reads what the others wrote, and adds to that.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest record that is read, and written, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// How long a record is waited for where nobody waits for an answer but a turn. A change takes milliseconds: who is not
/// let in by then waits for a program that hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How often a lock is tried.
const PAUSE: Duration = Duration::from_millis(5);

/// The record; the default where there is none yet.
///
/// # Errors
/// Where it can't be read, is too long, or is not understood; the message says what to do.
pub(crate) fn read<T: DeserializeOwned + Default>(file: &Path) -> io::Result<T> {
    let mut text = Vec::new();
    match File::open(file) {
        Ok(file) => file.take(MAX_BYTES + 1).read_to_end(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(error),
    };
    let invalid =
        |problem: String| io::Error::new(io::ErrorKind::InvalidData, format!("{problem}; mend it or remove it"));
    if text.len() as u64 > MAX_BYTES {
        return Err(invalid(format!("it is longer than {MAX_BYTES} bytes")));
    }
    serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))
}

/// Changes a record: what others wrote meanwhile is there when `change` is called, and stays. Waits for its lock, at most
/// as long as `patience`; blocks the thread.
///
/// # Errors
/// Where the lock is not had in time, or the record can't be read or written: then it is left as it was.
pub(crate) fn update<T: DeserializeOwned + Default + Serialize>(
    file: &Path,
    patience: Duration,
    change: impl FnOnce(&mut T),
) -> io::Result<()> {
    let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    private_folder(folder)?;
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    let _lock = lock(&file.with_extension("lock"), patience).map_err(named)?;
    let mut record = read(file).map_err(named)?;
    change(&mut record);
    let text = serde_json::to_vec_pretty(&record)?;
    // What is too long to be read again would be lost.
    if text.len() as u64 > MAX_BYTES {
        return Err(named(io::Error::other(format!(
            "it would be longer than {MAX_BYTES} bytes"
        ))));
    }
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&text)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

/// Works on a record beside the tasks of a turn, to the end even if nobody waits for it any more.
///
/// # Errors
/// Those of the work.
pub(crate) async fn beside<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Holds a lock until it is dropped; a program that dies lets go of it.
fn lock(path: &Path, patience: Duration) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    hold(
        &file,
        patience,
        "another skills-ls writes it and does not finish; try again",
    )?;
    Ok(file)
}

/// Locks a file for as long as it is open; `held` says that somebody else has it for longer than `patience`. A program
/// that starts has the files of the one that started it for a moment, so some patience is always due.
pub(crate) fn hold(file: &File, patience: Duration, held: &str) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(io::Error::new(io::ErrorKind::WouldBlock, held)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Makes a folder that only its owner can look into.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Counts = BTreeMap<String, u32>;

    #[test]
    fn a_lock_that_is_not_let_go_is_an_error_and_the_record_stays() {
        let state = tempfile::tempdir().expect("a folder");
        let file = state.path().join("counts.json");
        let count = |patience| {
            update(&file, patience, |counts: &mut Counts| {
                *counts.entry("a".into()).or_default() += 1
            })
        };
        count(PATIENCE).expect("written");
        let held = lock(&file.with_extension("lock"), Duration::ZERO).expect("free");
        let error = count(Duration::ZERO).expect_err("it is held");
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(
            error.to_string().contains("counts.json: another skills-ls writes it"),
            "{error}"
        );
        drop(held);
        count(Duration::ZERO).expect("free again");
        assert_eq!(
            read::<Counts>(&file).expect("a record"),
            Counts::from([("a".into(), 2)])
        );
    }

    #[test]
    fn what_is_broken_or_too_long_is_never_replaced() {
        let state = tempfile::tempdir().expect("a folder");
        let file = state.path().join("counts.json");
        let long = format!("{{\"a\": 1{}}}", " ".repeat(4 << 20));
        for (text, expected) in [
            ("", "EOF"),
            ("{", "EOF"),
            ("[]", "invalid type"),
            ("{\"a\": \"b\"}", "invalid type"),
            ("\u{0}", "expected value"),
            (long.as_str(), "longer than 4194304 bytes"),
        ] {
            let written = File::create(&file).and_then(|mut file| file.write_all(text.as_bytes()));
            written.expect("written");
            let error = update(&file, PATIENCE, Counts::clear).expect_err("it is not understood");
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.to_string().ends_with("mend it or remove it"), "{error}");
            assert_eq!(std::fs::read(&file).expect("there"), text.as_bytes());
        }
        File::create(&file)
            .and_then(|mut file| file.write_all(b"{}"))
            .expect("written");
        let too_much = |counts: &mut Counts| counts.extend([("x".repeat(4 << 20), 1)]);
        assert!(update(&file, PATIENCE, too_much).is_err());
        assert_eq!(
            read::<Counts>(&file).expect("a record"),
            Counts::new(),
            "nothing was lost"
        );
    }
}
