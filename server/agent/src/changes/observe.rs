//! What became of an edit, told from texts alone: an editor's word is no proof.

use std::ops::Range;

use super::edits::{TextEdit, minimal};

/// What a text shows about an edit that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// The edit arrived; what else changed lies beside it.
    Applied,
    /// The edit did not arrive; what changed is somebody else's.
    NotApplied,
    /// Both changed the same place: what happened can't be told.
    Diverged,
}

/// Compares what is there with the text before the edit and the text that it should have made.
///
/// An editor may put the edit and what was typed meanwhile into one change, so the text need not equal either.
pub fn observe(base: &str, expected: &str, observed: &str) -> Observed {
    if observed == expected {
        return Observed::Applied;
    }
    let ours = minimal(base, expected);
    let arrived = !touches(&minimal(expected, observed), &after(&ours));
    let missing = !touches(
        &minimal(base, observed),
        &ours.iter().map(|edit| edit.range.clone()).collect::<Vec<_>>(),
    );
    match (arrived, missing) {
        (true, false) => Observed::Applied,
        (false, true) => Observed::NotApplied,
        _ => Observed::Diverged,
    }
}

/// Where edits are in the text that they made.
fn after(edits: &[TextEdit]) -> Vec<Range<usize>> {
    let mut shift = 0_isize;
    edits
        .iter()
        .map(|edit| {
            let start = edit.range.start.saturating_add_signed(shift);
            shift += edit.new_text.len() as isize - edit.range.len() as isize;
            start..start + edit.new_text.len()
        })
        .collect()
}

/// Whether an edit changes any of the ranges; one beside a range leaves it alone, one at an empty range does not.
fn touches(edits: &[TextEdit], ranges: &[Range<usize>]) -> bool {
    edits.iter().map(|edit| &edit.range).any(|edit| {
        ranges.iter().any(|range| {
            if range.is_empty() {
                edit.start <= range.start && range.start <= edit.end
            } else if edit.is_empty() {
                range.start < edit.start && edit.start < range.end
            } else {
                edit.start < range.end && range.start < edit.end
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_told_from_what_was_typed_meanwhile() {
        use Observed::{Applied, Diverged, NotApplied};
        let base = "one\ntwo\nthree\n";
        let cases = [
            // expected, observed, what that says
            ("one\n2\nthree\n", "one\n2\nthree\n", Applied),
            ("one\n2\nthree\n", base, NotApplied),
            ("one\n2\nthree\n", "one\n2\nthree\ntyped\n", Applied),
            ("one\n2\nthree\n", "one\ntwo\nthree\ntyped\n", NotApplied),
            ("one\n2\nthree\n", "typed one\n2\nthree\n", Applied),
            ("one\n2\nthree\n", "typed one\ntwo\nthree\n", NotApplied),
            ("one\n2\nthree\n", "one\nTWO!\nthree\n", Diverged),
            ("one\n2\nthree\n", "", Diverged),
            ("one\nthree\n", "one\nthree\ntyped\n", Applied),
            ("one\nthree\n", "one\ntwo\nthree\ntyped\n", NotApplied),
            ("one\ntwo\nnew\nthree\n", "one\ntwo\nnew\nthree!\n", Applied),
            ("one\ntwo\nnew\nthree\n", "one\ntwo\nthree!\n", NotApplied),
            ("one\ntwo\nthree\nend\n", "one\ntwo\nthree\nend\n\ntyped", Applied),
        ];
        for (expected, observed, verdict) in cases {
            assert_eq!(observe(base, expected, observed), verdict, "{expected:?} {observed:?}");
        }
    }
}
