use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::event::{Change, TurnId};
use crate::host::Applied;

/// The recorded edits of one session, oldest first.
#[derive(Debug, Default)]
pub struct ChangeLog {
    records: Mutex<Vec<Record>>,
}

#[derive(Debug)]
struct Record {
    change: Arc<Change>,
    undone: bool,
}

impl ChangeLog {
    /// Records what was observed of an edit.
    pub fn record(&self, turn: &TurnId, call: &str, path: &Path, applied: Applied) -> Arc<Change> {
        let mut records = self.lock();
        let change = Arc::new(Change {
            id: records.len() as u64 + 1,
            turn: turn.clone(),
            call: call.to_owned(),
            path: path.to_owned(),
            before: applied.before,
            after: applied.after,
        });
        records.push(Record {
            change: change.clone(),
            undone: false,
        });
        change
    }

    /// The changes of a turn that were not undone, by file, oldest first.
    pub fn of_turn(&self, turn: &TurnId) -> BTreeMap<PathBuf, Vec<Arc<Change>>> {
        let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let records = self.lock();
        for record in records
            .iter()
            .filter(|record| !record.undone && record.change.turn == *turn)
        {
            files
                .entry(record.change.path.clone())
                .or_default()
                .push(record.change.clone());
        }
        files
    }

    /// The last turn that has a change left to undo.
    pub fn last_turn(&self) -> Option<TurnId> {
        self.lock()
            .iter()
            .rev()
            .find(|record| !record.undone)
            .map(|record| record.change.turn.clone())
    }

    /// Notes that these changes were taken back.
    pub fn mark_undone(&self, ids: &[u64]) {
        for record in self.lock().iter_mut().filter(|record| ids.contains(&record.change.id)) {
            record.undone = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
