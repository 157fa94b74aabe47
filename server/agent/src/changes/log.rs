use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::applied::Applied;
use super::undo::{self, Undecided};
use crate::event::{Change, TurnId};

/// How many bytes of text the records of one session may hold; then the oldest are forgotten, those first about which
/// everything is decided.
const MAX_BYTES: usize = 128 << 20;

/// The recorded edits of one session, oldest first, and which parts of them a person has decided about.
#[derive(Debug, Default)]
pub struct ChangeLog {
    records: Mutex<Records>,
    /// Every file that was edited; none is forgotten, because what the agent wrote may run.
    written: Mutex<BTreeSet<PathBuf>>,
    /// The turns of the edits that are on their way.
    pending: watch::Sender<Vec<TurnId>>,
}

/// Which changes are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One change, or some of its hunks, which count from 1; none named is all of them.
    Change(u64, BTreeSet<u32>),
    /// Those of one file, by its path with links resolved.
    File(PathBuf),
    /// Those of one turn.
    Turn(TurnId),
    /// All of the session.
    Session,
}

/// An edit that is on its way; dropped, it has arrived or never will.
#[derive(Debug)]
pub struct Pending<'a> {
    turn: TurnId,
    pending: &'a watch::Sender<Vec<TurnId>>,
}

#[derive(Debug, Default)]
struct Records {
    list: Vec<Record>,
    last_id: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Record {
    undecided: Undecided,
    bytes: usize,
}

impl ChangeLog {
    /// Says that an edit is on its way.
    pub fn begin(&self, turn: &TurnId) -> Pending<'_> {
        self.pending.send_modify(|pending| pending.push(turn.clone()));
        Pending {
            turn: turn.clone(),
            pending: &self.pending,
        }
    }

    /// Whether an edit is on its way.
    pub(crate) fn is_busy(&self) -> bool {
        !self.pending.borrow().is_empty()
    }

    /// The text that the last edit left in a file, by its path with links resolved; `None` where none is known, or the file
    /// was removed.
    pub(crate) fn left(&self, file: &Path) -> Option<Arc<str>> {
        let records = self.records.lock();
        let of_file = |record: &&Record| record.undecided.change.path == file;
        records.list.iter().rfind(of_file)?.undecided.change.after.clone()
    }

    /// Whether an edit of a turn is on its way.
    pub fn is_pending(&self, turn: &TurnId) -> bool {
        self.pending.borrow().contains(turn)
    }

    /// Completes once no edit is on its way: what is recorded then is all that was done.
    pub async fn settled(&self) {
        // The sender lives as long as this log, so the wait can't fail.
        let _ = self.pending.subscribe().wait_for(Vec::is_empty).await;
    }

    /// Records what was observed of an edit.
    pub fn record(&self, turn: &TurnId, call: &str, path: &Path, applied: Applied) -> Arc<Change> {
        self.written.lock().insert(path.to_owned());
        let mut records = self.records.lock();
        records.last_id += 1;
        let change = Arc::new(Change {
            id: records.last_id,
            turn: turn.clone(),
            call: call.to_owned(),
            path: path.to_owned(),
            before: applied.before,
            after: applied.after,
        });
        let bytes = [&change.before, &change.after]
            .into_iter()
            .flatten()
            .map(|text| text.len())
            .sum();
        records.bytes += bytes;
        let hunks = undo::hunk_numbers(&change);
        let undecided = Undecided {
            change: change.clone(),
            hunks,
        };
        records.list.push(Record { undecided, bytes });
        records.forget();
        change
    }

    /// A file edited in this session that passes a test, by its path with links resolved, whatever happened to it.
    pub fn written(&self, test: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        self.written.lock().iter().find(|path| test(path)).cloned()
    }

    /// What nobody decided about, by file, oldest first.
    pub fn undecided(&self, selection: &Selection) -> BTreeMap<PathBuf, Vec<Undecided>> {
        let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for Record { undecided, .. } in &self.records.lock().list {
            let Undecided { change, hunks } = undecided;
            let hunks: BTreeSet<u32> = match selection {
                Selection::Change(id, _) if *id != change.id => continue,
                Selection::Change(_, wanted) if !wanted.is_empty() => hunks & wanted,
                Selection::File(path) if *path != change.path => continue,
                Selection::Turn(turn) if *turn != change.turn => continue,
                _ => hunks.clone(),
            };
            if !hunks.is_empty() {
                let change = change.clone();
                files
                    .entry(change.path.clone())
                    .or_default()
                    .push(Undecided { change, hunks });
            }
        }
        files
    }

    /// Whether nothing waits for a decision.
    pub fn is_decided(&self) -> bool {
        self.records
            .lock()
            .list
            .iter()
            .all(|record| record.undecided.hunks.is_empty())
    }

    /// The last turn with a change that nobody decided about, or that is on its way.
    pub fn last_turn(&self) -> Option<TurnId> {
        if let Some(turn) = self.pending.borrow().last() {
            return Some(turn.clone());
        }
        let records = self.records.lock();
        let mut undecided = records.list.iter().map(|record| &record.undecided);
        undecided
            .rfind(|undecided| !undecided.hunks.is_empty())
            .map(|undecided| undecided.change.turn.clone())
    }

    /// Notes that hunks of a change were kept or taken back.
    pub fn decide(&self, change: u64, hunks: &BTreeSet<u32>) {
        for Record { undecided, .. } in &mut self.records.lock().list {
            if undecided.change.id == change {
                undecided.hunks.retain(|hunk| !hunks.contains(hunk));
            }
        }
    }

    /// Keeps what is selected; gives the number of hunks.
    pub fn keep(&self, selection: &Selection) -> usize {
        let undecided = self.undecided(selection).into_values().flatten();
        let kept = undecided.map(|Undecided { change, hunks }| {
            self.decide(change.id, &hunks);
            hunks.len()
        });
        kept.sum()
    }
}

impl Records {
    fn forget(&mut self) {
        while self.bytes > MAX_BYTES && self.list.len() > 1 {
            let decided = self.list.iter().position(|record| record.undecided.hunks.is_empty());
            // The newest stays: it is what a person wants to take back.
            let oldest = decided.filter(|at| at + 1 < self.list.len()).unwrap_or_default();
            self.bytes -= self.list.remove(oldest).bytes;
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.pending.send_modify(|pending| {
            if let Some(at) = pending.iter().position(|turn| *turn == self.turn) {
                pending.remove(at);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(log: &ChangeLog, turn: &str, path: &str, before: &str, after: &str) -> u64 {
        let applied = Applied::alone(Some(before.into()), Some(after.into()));
        log.record(&TurnId(turn.into()), "call", Path::new(path), applied).id
    }

    #[test]
    fn what_is_decided_is_no_longer_offered() {
        let log = ChangeLog::default();
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let two = record(&log, "t1", "/a", text, "1\nTWO\n3\n4\n5\n6\n7\nEIGHT\n9\n");
        let one = record(&log, "t2", "/b", "x\n", "y\n");
        let count = |selection| {
            log.undecided(&selection)
                .values()
                .flatten()
                .map(|it| it.hunks.len())
                .sum::<usize>()
        };
        for (selection, expected) in [
            (Selection::Session, 3),
            (Selection::Turn(TurnId("t1".into())), 2),
            (Selection::File("/b".into()), 1),
            (Selection::Change(two, [2].into()), 1),
            (Selection::Change(two, [7].into()), 0),
            (Selection::Change(99, BTreeSet::new()), 0),
        ] {
            assert_eq!(count(selection.clone()), expected, "{selection:?}");
        }
        assert_eq!(log.keep(&Selection::Change(two, [1].into())), 1);
        assert_eq!(count(Selection::Session), 2);
        log.decide(one, &[1].into());
        assert_eq!(log.last_turn(), Some(TurnId("t1".into())));
        assert_eq!(log.keep(&Selection::Session), 1);
        assert_eq!((log.last_turn(), log.is_decided()), (None, true));
    }

    #[test]
    fn the_oldest_is_forgotten_and_the_newest_never() {
        let log = ChangeLog::default();
        let text = |letter: &str| letter.repeat(20 << 20);
        let ids: Vec<_> = ["a", "b", "c", "d", "e"]
            .iter()
            .map(|letter| record(&log, "t", "/f", "", &text(letter)))
            .collect();
        log.keep(&Selection::Change(ids[1], BTreeSet::new()));
        record(&log, "t", "/f", "", &text("f"));
        record(&log, "t", "/f", "", &text("g"));
        let left = log.undecided(&Selection::Session);
        let left: Vec<_> = left.values().flatten().map(|it| it.change.id).collect();
        assert_eq!(left, [1, 3, 4, 5, 6, 7], "what was decided went first");
        record(&log, "t", "/f", "", &"x".repeat(MAX_BYTES + 1));
        let left = log.undecided(&Selection::Session);
        assert_eq!(left.values().flatten().map(|it| it.change.id).collect::<Vec<_>>(), [8]);
    }

    #[tokio::test]
    async fn an_edit_that_is_on_its_way_is_waited_for() {
        let log = ChangeLog::default();
        log.settled().await;
        let turn = TurnId("t".into());
        let pending = log.begin(&turn);
        assert_eq!((log.is_pending(&turn), log.last_turn()), (true, Some(turn)));
        let mut settled = std::pin::pin!(log.settled());
        assert!(futures_util::poll!(&mut settled).is_pending());
        drop(pending);
        settled.await;
    }
}
