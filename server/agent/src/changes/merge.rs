//! Two changes of one text, put together.

use std::ops::Range;

use super::edits::hunks;
use super::eol::{self, Normalised};

/// The text with both changes of `base`; `None` where they change the same lines, or put lines at the same place.
///
/// Line ends and a byte order mark stay as `theirs` has them: that is the text which a person looks at. What they typed
/// is in the result character by character, except where `ours` removed lines that they left alone.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let base = eol::to_lf(eol::without_bom(base));
    let ours = eol::to_lf(eol::without_bom(ours));
    let now = Normalised::of(theirs);
    let typed = hunks(&base, &now.text);
    let mut text = theirs.to_owned();
    for hunk in hunks(&base, &ours).iter().rev() {
        let new = &ours[hunk.new.clone()];
        if typed
            .iter()
            .any(|other| other.old == hunk.old && now.text[other.new.clone()] == *new)
        {
            continue;
        }
        if typed.iter().any(|other| meet(&other.old, &hunk.old)) {
            return None;
        }
        let before = typed.iter().rfind(|other| other.old.end <= hunk.old.start);
        let start = before.map_or(hunk.old.start, |other| other.new.end + hunk.old.start - other.old.end);
        let range = now.offset(start)..now.offset(start + hunk.old.len());
        let new = eol::with_line_end(new, now.line_end(range.clone()));
        text.replace_range(range, &new);
    }
    Some(text)
}

/// Whether two changed ranges leave no line between what they change whose order is known.
fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    if a.is_empty() || b.is_empty() {
        a.start <= b.end && b.start <= a.end
    } else {
        a.start < b.end && b.start < a.end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn disjoint_changes_merge_and_others_are_refused() {
        let base = "a\nb\nc\nd\n";
        for (ours, theirs, expected) in [
            ("a\nB\nc\nd\n", "typed\na\nb\nc\nd\n", Some("typed\na\nB\nc\nd\n")),
            ("a\nB\nc\nd\n", "a\nb\nC\nd\n", Some("a\nB\nC\nd\n")),
            ("a\nB\nc\nd\n", "a\nb!\nc\nd\n", None),
            ("a\nB\nc\nd\n", "a\nB\nc\nD\n", Some("a\nB\nc\nD\n")),
            ("a\nx\nb\nc\nd\n", "a\ny\nb\nc\nd\n", None),
            ("a\nc\nd\n", "a\nb\ntyped\nc\nd\n", None),
            ("a\nd\n", "a\nb\ntyped\nc\nd\n", None),
            ("", "a\nb\nc\nd\ntyped", None),
            (
                "A\nb\nc\nd\n",
                "\u{feff}a\r\nb\r\nc\r\ntyped\r\n",
                Some("\u{feff}A\r\nb\r\nc\r\ntyped\r\n"),
            ),
            (base, "typed", Some("typed")),
            ("a\nb\nc\nD\n", base, Some("a\nb\nc\nD\n")),
        ] {
            assert_eq!(merge(base, ours, theirs).as_deref(), expected, "{ours:?} {theirs:?}");
        }
    }

    proptest! {
        #[test]
        fn no_typed_line_is_lost(
            base in "([ab\u{e9}]{0,2}\n){0,8}", ours in "([abO]{0,2}\n){0,8}", at in 0_usize..8, end in "(\n|\r\n)",
        ) {
            let mut lines: Vec<&str> = base.lines().collect();
            lines.insert(at.min(lines.len()), "TYPED");
            let theirs: String = lines.iter().map(|line| format!("{line}{end}")).collect();
            if let Some(merged) = merge(&base, &ours, &theirs) {
                prop_assert!(merged.lines().any(|line| line == "TYPED"), "{merged:?}");
                let without: String = merged.lines().filter(|line| *line != "TYPED").map(|line| format!("{line}\n")).collect();
                prop_assert_eq!(without, ours);
            }
        }
    }
}
