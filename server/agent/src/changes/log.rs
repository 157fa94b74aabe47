use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::undo::{self, UndoStep};
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

    /// The changes of a turn that were not undone, oldest first.
    pub fn of_turn(&self, turn: &TurnId) -> Vec<Arc<Change>> {
        self.lock()
            .iter()
            .filter(|record| !record.undone && record.change.turn == *turn)
            .map(Record::change)
            .collect()
    }

    /// The last turn that has a change left to undo.
    pub fn last_turn(&self) -> Option<TurnId> {
        self.lock()
            .iter()
            .rev()
            .find(|record| !record.undone)
            .map(|record| record.change.turn.clone())
    }

    /// How to take a turn back, given the text of each file now (`None`: no such file); see [`undo::plan`].
    pub fn undo_plan(&self, turn: &TurnId, current: impl Fn(&Path) -> Option<Arc<str>>) -> Vec<UndoStep> {
        undo::plan(&self.of_turn(turn), current)
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

impl Record {
    fn change(&self) -> Arc<Change> {
        self.change.clone()
    }
}
