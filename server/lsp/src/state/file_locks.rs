//! One writer a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

/// One writer a file, by its path with links resolved.
#[derive(Debug, Default)]
pub struct FileLocks(Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>);

impl FileLocks {
    /// Waits until nobody else writes the file; nobody does while the guard is held.
    pub async fn lock(&self, path: &Path) -> tokio::sync::OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock();
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            locks.entry(path.to_owned()).or_default().clone()
        };
        lock.lock_owned().await
    }
}
