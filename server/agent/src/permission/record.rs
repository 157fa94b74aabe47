//! A record in the state folder: for its owner alone, and replaced whole.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest record that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The record; the default where there is none yet.
pub(super) fn read<T: DeserializeOwned + Default>(file: &Path) -> io::Result<T> {
    let mut text = String::new();
    match File::open(file) {
        Ok(file) => file.take(MAX_BYTES).read_to_string(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(error),
    };
    Ok(serde_json::from_str(&text)?)
}

pub(super) fn write<T: Serialize>(path: &Path, record: &T) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut file, record)?;
    file.flush()?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Makes a folder that only its owner can look into.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
