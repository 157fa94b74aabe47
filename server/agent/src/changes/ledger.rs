use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

/// What the model last saw of each file: the base of what it wants to change.
#[derive(Debug, Default)]
pub struct Ledger {
    texts: Mutex<HashMap<PathBuf, Arc<str>>>,
}

impl Ledger {
    /// Notes the text that the model saw; `None` where it learnt that the file does not exist.
    pub fn saw(&self, path: &Path, text: Option<Arc<str>>) {
        let mut texts = self.texts.lock();
        match text {
            Some(text) => texts.insert(path.to_owned(), text),
            None => texts.remove(path),
        };
    }

    /// The text that the model last saw; `None` where it never read the file.
    pub fn seen(&self, path: &Path) -> Option<Arc<str>> {
        self.texts.lock().get(path).cloned()
    }

    /// Forgets all, as the model did.
    pub fn clear(&self) {
        self.texts.lock().clear();
    }

    /// The files that the model has seen, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        let texts = self.texts.lock();
        let mut files: Vec<_> = texts.keys().cloned().collect();
        files.sort();
        files
    }
}
