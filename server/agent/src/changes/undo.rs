//! Takes edits back out of texts that may have moved on since.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::diff;
use super::edits::{self, Hunk};
use super::eol::{self, Normalised};
use super::intent::occurrences;
use crate::event::Change;

/// The hunks of one change that nobody decided about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The change.
    pub change: Arc<Change>,
    /// Its hunks, counted from 1.
    pub hunks: BTreeSet<u32>,
}

/// A text without changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The text; `None` where there is no file.
    pub text: Option<String>,
    /// The hunks that were taken back, by the change's identifier.
    pub taken: Vec<(u64, BTreeSet<u32>)>,
    /// What could not be taken back.
    pub kept: Vec<Kept>,
}

/// Something that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// Lines that are others by now: what would be taken back, as a small diff.
    Lines(String),
    /// A file, and why.
    File(String),
}

impl Kept {
    /// Why it stays, for a sentence.
    pub fn why(&self) -> &str {
        match self {
            Self::Lines(_) => "the lines were changed since",
            Self::File(reason) => reason,
        }
    }
}

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Lines(text) | Self::File(text)) = self;
        f.write_str(text)
    }
}

/// Takes changes of one file, given oldest first, out of the text of now; the newest goes first.
pub fn undo_all(changes: &[Undecided], current: Option<&str>) -> Undone {
    let mut all = Undone {
        text: current.map(str::to_owned),
        taken: Vec::new(),
        kept: Vec::new(),
    };
    for undecided in changes.iter().rev() {
        let undone = undo(undecided, all.text.as_deref());
        all.text = undone.text;
        all.taken.extend(undone.taken);
        all.kept.extend(undone.kept);
    }
    all
}

/// Takes hunks of one change out of the text of now (`None`: no such file).
///
/// Where all are taken and the text still is what the change left, it becomes what it was. Else each goes back where
/// it stands exactly once in its context.
pub fn undo(undecided: &Undecided, current: Option<&str>) -> Undone {
    let Undecided { change, hunks } = undecided;
    let whole = |text: Option<&str>| Undone {
        text: text.map(str::to_owned),
        taken: vec![(change.id, hunks.clone())],
        kept: Vec::new(),
    };
    let refused = |reason: &str| {
        let kept = vec![Kept::File(format!("{} {reason}", change.path.display()))];
        Undone {
            text: current.map(str::to_owned),
            taken: Vec::new(),
            kept,
        }
    };
    match (current, change.before.as_deref(), change.after.as_deref()) {
        (None, before, None) => whole(before),
        (None, None, Some(_)) => whole(None),
        (None, Some(_), Some(_)) => refused("was removed since; it stays removed"),
        (Some(_), _, None) => refused("was made again since; it stays"),
        (Some(current), before, Some(after)) if current == after && *hunks == hunk_numbers(change) => whole(before),
        (Some(current), None, Some(after)) if eol::same_text(current, after) => whole(None),
        (Some(_), None, Some(_)) => refused("was changed since it was made; it stays"),
        (Some(current), Some(before), Some(after)) => take_back(undecided, current, before, after),
    }
}

/// The numbers of a change's hunks: from 1, one at least.
pub(super) fn hunk_numbers(change: &Change) -> BTreeSet<u32> {
    let count = match (&change.before, &change.after) {
        (Some(before), Some(after)) => edits::hunks(&terminated(after), &terminated(before)).len(),
        _ => 1,
    };
    (1..=u32::try_from(count).unwrap_or(u32::MAX).max(1)).collect()
}

/// The lines of one hunk, as the change made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The hunk's number.
    pub hunk: u32,
    /// The first of them in the text that the change left, counted from 1.
    pub line: usize,
    /// What stood there before; empty where the hunk only added.
    pub before: String,
    /// What the change put there; empty where it only removed.
    pub after: String,
}

/// The lines of the hunks of a change that nobody decided about. Looks at no text of now.
pub fn lines(undecided: &Undecided) -> Vec<Lines> {
    let Undecided { change, hunks } = undecided;
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let (Some(before), Some(after)) = (before, after) else {
        let whole = |hunk: &u32| Lines {
            hunk: *hunk,
            line: 1,
            before: before.unwrap_or_default().to_owned(),
            after: after.unwrap_or_default().to_owned(),
        };
        return hunks.iter().map(whole).collect();
    };
    let (before, after) = (terminated(before), terminated(after));
    let all = numbered(&after, &before).filter(|(number, _)| hunks.contains(number));
    let lines = all.map(|(hunk, place)| Lines {
        hunk,
        line: after[..place.old.start].matches('\n').count() + 1,
        before: before[place.new].to_owned(),
        after: after[place.old].to_owned(),
    });
    lines.collect()
}

/// One hunk of a change where it stands in the text of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkPlace {
    /// The hunk's number.
    pub hunk: u32,
    /// Its bytes in the text of now; empty where it only removed.
    pub range: Range<usize>,
    /// The lines that stood there before.
    pub before: String,
}

/// Where the hunks of a change stand in the text of now; those that don't any more are left out.
pub fn places(undecided: &Undecided, current: &str) -> Vec<HunkPlace> {
    let Undecided { change, hunks } = undecided;
    let now = Normalised::of(current);
    let Some(after) = change.after.as_deref() else {
        return Vec::new();
    };
    let Some(before) = change.before.as_deref() else {
        let range = 0..current.len();
        let is_it = eol::same_text(current, after);
        let place = |hunk: &u32| HunkPlace {
            hunk: *hunk,
            range: range.clone(),
            before: String::new(),
        };
        return hunks.iter().filter(|_| is_it).map(place).collect();
    };
    let (before, after) = (terminated(before), terminated(after));
    let lines = terminated(current);
    let end = now.text.len();
    let found = numbered(&after, &before).filter(|(number, _)| hunks.contains(number));
    let places = found.filter_map(|(hunk, place)| {
        let range = locate(&lines, &before, &after, &place)?;
        Some(HunkPlace {
            hunk,
            range: now.offset(range.start.min(end))..now.offset(range.end.min(end)),
            before: before[place.new].to_owned(),
        })
    });
    places.collect()
}

/// The hunks of a change with their numbers; their `old` side is what the change left.
fn numbered(after: &str, before: &str) -> impl Iterator<Item = (u32, Hunk)> {
    (1..).zip(edits::hunks(after, before))
}

fn take_back(undecided: &Undecided, current: &str, before: &str, after: &str) -> Undone {
    let now = Normalised::of(current);
    let (before, after) = (terminated(before), terminated(after));
    let now_lines = terminated(current);
    let mut kept = Vec::new();
    let mut taken = BTreeSet::new();
    let mut spans: Vec<(Range<usize>, &str)> = Vec::new();
    for (number, hunk) in numbered(&after, &before).filter(|(number, _)| undecided.hunks.contains(number)) {
        let free = |range: &Range<usize>| !spans.iter().any(|(span, _)| overlap(span, range));
        match locate(&now_lines, &before, &after, &hunk).filter(free) {
            Some(range) => {
                taken.insert(number);
                spans.push((range, &before[hunk.new]));
            }
            None => kept.push(Kept::Lines(
                diff::unified(Some(&after[hunk.old]), Some(&before[hunk.new])).0,
            )),
        }
    }
    // Texts that differ in their line ends alone have nothing to take back.
    if spans.is_empty() && kept.is_empty() {
        taken.clone_from(&undecided.hunks);
    }
    // An insertion goes before what is replaced at the same place.
    spans.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = current.to_owned();
    for (range, old) in spans.into_iter().rev() {
        // The last line of the file may have no line end: then none is put there either.
        let end = now.text.len();
        let old = if range.end > end {
            old.strip_suffix('\n').unwrap_or(old)
        } else {
            old
        };
        let old = if range.start > end {
            format!("\n{old}")
        } else {
            old.to_owned()
        };
        let range = now.offset(range.start.min(end))..now.offset(range.end.min(end));
        let old = eol::with_line_end(&old, now.line_end(range.clone()));
        text.replace_range(range, &old);
    }
    let id = undecided.change.id;
    Undone {
        text: Some(text),
        taken: (!taken.is_empty()).then_some((id, taken)).into_iter().collect(),
        kept,
    }
}

/// The text with LF alone, its last line ended.
fn terminated(text: &str) -> String {
    let mut text = Normalised::of(text).text.into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Where the hunk's lines of `after` stand in `now`: exactly once, in their context.
///
/// Three lines around them are asked for; more tell equal places apart, fewer survive changes near by. Lines that
/// `before` has in the same context prove nothing: they may be all that is left, and somebody else's.
fn locate(now: &str, before: &str, after: &str, hunk: &Hunk) -> Option<Range<usize>> {
    let find = |lines: usize| {
        let start = lines_before(after, hunk.old.start, lines);
        let needle = &after[start..lines_after(after, hunk.old.end, lines)];
        let found = if needle.trim().is_empty() || !whole_lines(before, needle).is_empty() {
            Vec::new()
        } else {
            whole_lines(now, needle)
        };
        (found, hunk.old.start - start)
    };
    let mut sizes = [3].iter();
    let mut first = true;
    while let Some(lines) = sizes.next() {
        let (found, skipped) = find(*lines);
        match found[..] {
            [at] => return Some(at + skipped..at + skipped + hunk.old.len()),
            [] if first => sizes = [2, 1, 0].iter(),
            [_, ..] if first => sizes = [6, 12, 24, 48].iter(),
            _ => {}
        }
        first = false;
    }
    None
}

/// Where these lines stand as whole lines.
fn whole_lines(text: &str, lines: &str) -> Vec<usize> {
    let mut found = occurrences(text, lines, 1000);
    found.retain(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    found
}

/// The offset `count` lines above a line's start.
fn lines_before(text: &str, offset: usize, count: usize) -> usize {
    let mut starts = text[..offset].rmatch_indices('\n').map(|(at, _)| at + 1);
    if count == 0 {
        offset
    } else {
        starts.nth(count).unwrap_or(0)
    }
}

/// The offset `count` lines below a line's start.
fn lines_after(text: &str, offset: usize, count: usize) -> usize {
    let mut ends = text[offset..].match_indices('\n').map(|(at, _)| offset + at + 1);
    if count == 0 {
        offset
    } else {
        ends.nth(count - 1).unwrap_or(text.len())
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::event::TurnId;

    fn change(id: u64, path: &str, before: Option<&str>, after: Option<&str>) -> Undecided {
        let change = Arc::new(Change {
            id,
            turn: TurnId("t".into()),
            call: "c".into(),
            path: path.into(),
            before: before.map(Into::into),
            after: after.map(Into::into),
        });
        let hunks = hunk_numbers(&change);
        Undecided { change, hunks }
    }

    #[test]
    fn the_lines_of_hunks_are_those_of_the_change() {
        for (before, after, expected) in [
            (Some("a\nb\nc\n"), Some("a\nB\nc\n"), vec![(2, "b\n", "B\n")]),
            (Some("a\nb"), Some("a\nB"), vec![(2, "b\n", "B\n")]),
            (
                Some("a\n1\n2\n3\n4\n5\n6\n7\n8\nz\n"),
                Some("1\n2\n3\n4\n5\n6\n7\n8\nz\nnew\n"),
                vec![(1, "a\n", ""), (10, "", "new\n")],
            ),
            (None, Some("new\n"), vec![(1, "", "new\n")]),
            (Some("old\n"), None, vec![(1, "old\n", "")]),
        ] {
            let undecided = change(1, "/a", before, after);
            let found = lines(&undecided);
            let found: Vec<_> = found.iter().map(|it| (it.line, &*it.before, &*it.after)).collect();
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn what_still_matches_goes_back_and_the_rest_is_reported() {
        let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
        let edited = "1\nTWO\n3\n4\n5\n6\n7\n8\nNINE\n10\n";
        for (what, before, after, current, expected, kept) in [
            ("untouched", ten, edited, edited.to_owned(), ten.to_owned(), 0),
            (
                "typed elsewhere",
                ten,
                edited,
                format!("0\n{edited}x\n"),
                format!("0\n{ten}x\n"),
                0,
            ),
            (
                "typed next to it",
                "a\nb\nc\n",
                "a\nB\nc\n",
                "a\nB\nnew\nc\n".into(),
                "a\nb\nnew\nc\n".into(),
                0,
            ),
            (
                "typed inside one of two",
                ten,
                edited,
                edited.replace("TWO", "TWO!"),
                ten.replace("2\n", "TWO!\n"),
                1,
            ),
            (
                "undone by hand",
                "a\nb\nc\n",
                "a\nB\nc\n",
                "a\nb\nc\n".into(),
                "a\nb\nc\n".into(),
                1,
            ),
            (
                "an insertion",
                "a\nb\n",
                "a\nx\nb\n",
                "0\na\nx\nb\n".into(),
                "0\na\nb\n".into(),
                0,
            ),
            (
                "a removal",
                "a\nx\nb\n",
                "a\nb\n",
                "0\na\nb\n".into(),
                "0\na\nx\nb\n".into(),
                0,
            ),
            (
                "other line ends",
                "a\nb\n",
                "a\nB\n",
                "a\r\nB\r\n".into(),
                "a\r\nb\r\n".into(),
                0,
            ),
            ("no last line end", "a\nb\n", "a\nB\n", "a\nB".into(), "a\nb".into(), 0),
            (
                "appended, no last line end",
                "a\n",
                "a\nB\n",
                "0\na\nB".into(),
                "0\na".into(),
                0,
            ),
            ("twice the same", "x\n", "y\n", "y\ny\n".into(), "y\ny\n".into(), 1),
            (
                "undone by hand, with an equal line elsewhere",
                "a\nx\nb\nc\n",
                "a\nx\nb\nc\nx\n",
                "a\nx\nb\nc\n".into(),
                "a\nx\nb\nc\n".into(),
                1,
            ),
        ] {
            let undone = undo(&change(1, "/f", Some(before), Some(after)), Some(&current));
            let text = undone.text.expect("a file");
            // A last line may keep or lose its line end, not its text.
            assert!(eol::same_text(&text, &expected), "{what}: {text:?} is not {expected:?}");
            assert_eq!(undone.kept.len(), kept, "{what}: {:?}", undone.kept);
        }
    }

    #[test]
    fn hunks_go_back_one_by_one_wherever_they_stand() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\nTWO\n3\n4\n5\n6\n7\n9\n";
        let both = change(1, "/f", Some(before), Some(after));
        let only = |hunk| Undecided {
            hunks: [hunk].into(),
            ..both.clone()
        };
        let current = format!("typed\n{after}");
        let found = places(&both, &current);
        let found: Vec<_> = found
            .iter()
            .map(|place| (place.hunk, &current[place.range.clone()], place.before.as_str()))
            .collect();
        assert_eq!(found, [(1, "TWO\n", "2\n"), (2, "", "8\n")]);
        let second = undo(&only(2), Some(&current));
        assert_eq!(second.text.as_deref(), Some("typed\n1\nTWO\n3\n4\n5\n6\n7\n8\n9\n"));
        assert_eq!(second.taken, [(1, [2].into())]);
        let first = undo(&only(1), second.text.as_deref());
        assert_eq!(first.text, Some(format!("typed\n{before}")));
        assert_eq!(places(&both, before), [], "what is gone has no place");
        let half = undo(&only(1), Some(after));
        assert_eq!(
            half.text.as_deref(),
            Some("1\n2\n3\n4\n5\n6\n7\n9\n"),
            "the other one stays"
        );
    }

    #[test]
    fn created_and_removed_files() {
        for (before, after, current, expected, kept) in [
            (None, Some("n\n"), Some("n"), None, 0),
            (None, Some("n\n"), Some("typed"), Some("typed"), 1),
            (None, Some("n\n"), None, None, 0),
            (Some("b"), None, None, Some("b"), 0),
            (Some("b"), None, Some("again"), Some("again"), 1),
            (Some("b"), Some("c"), None, None, 1),
        ] {
            let undone = undo(&change(1, "/f", before, after), current);
            assert_eq!(
                (undone.text.as_deref(), undone.kept.len()),
                (expected, kept),
                "{before:?} {after:?} {current:?}"
            );
        }
    }

    #[test]
    fn a_files_changes_go_back_newest_first() {
        let changes = [
            change(1, "/a", None, Some("1\n")),
            change(2, "/a", Some("1\n"), Some("2\n")),
            change(3, "/a", Some("2\n"), Some("3\n")),
        ];
        let back = |changes: &[Undecided], current| {
            let undone = undo_all(changes, Some(current));
            {
                let taken = undone.taken.iter().map(|(id, _)| *id).collect::<Vec<_>>();
                (undone.text, taken, undone.kept.len())
            }
        };
        assert_eq!(back(&changes, "3\n"), (None, vec![3, 2, 1], 0));
        assert_eq!(back(&changes[1..], "3\n"), (Some("1\n".into()), vec![3, 2], 0));
        assert_eq!(back(&changes, "typed\n"), (Some("typed\n".into()), vec![], 3));
    }

    proptest! {
        #[test]
        fn an_untouched_text_goes_back_exactly(
            before in "[ab\u{e9}\r\n]{0,40}", after in "[ab\u{e9}\r\n]{0,40}", current in "[ab\u{e9}\r\n]{0,40}",
        ) {
            let change = change(1, "/f", Some(&before), Some(&after));
            prop_assert_eq!(undo(&change, Some(&after)).text, Some(before));
            // Any other text never panics and never disappears.
            prop_assert!(undo(&change, Some(&current)).text.is_some());
        }

        #[test]
        fn what_was_typed_above_survives(typed in "[xyz\n]{1,10}") {
            let (before, after) = ("a\nb\nc\nd\n", "a\nB\nc\nd\n");
            let undone = undo(&change(1, "/f", Some(before), Some(after)), Some(&format!("{typed}\n{after}")));
            prop_assert_eq!(undone.text, Some(format!("{typed}\n{before}")));
        }
    }
}
