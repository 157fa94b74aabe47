//! The smallest edits that make one text of another.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::difference::{DiffTag, lines, lines_of, ops};

/// One replaced range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced bytes; on character boundaries, never between a CR and its LF.
    pub range: Range<usize>,
    /// What stands there instead.
    pub new_text: String,
}

/// Edits that make `after` of `before`: sorted, disjoint, as small as a diff by lines and then by characters
/// finds them in bounded time.
pub fn minimal(before: &str, after: &str) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for hunk in hunks(before, after) {
        for (old, new) in hunk.line_pairs(before, after) {
            let (old, new) = trimmed(before, after, old, new);
            let new_text = &after[new];
            match edits.last_mut() {
                // Edits that touch are one: some editors apply them in either order.
                Some(last) if last.range.end == old.start => {
                    last.range.end = old.end;
                    last.new_text.push_str(new_text);
                }
                _ if old.is_empty() && new_text.is_empty() => {}
                _ => edits.push(TextEdit {
                    range: old,
                    new_text: new_text.to_owned(),
                }),
            }
        }
    }
    edits
}

/// The text after sorted, disjoint edits.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.new_text);
    }
    text
}

/// Lines that differ, as byte ranges of both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old text.
    pub old: Range<usize>,
    /// The lines of the new one.
    pub new: Range<usize>,
}

impl Hunk {
    /// The lines one by one where both sides have as many, else the hunk whole.
    fn line_pairs(&self, before: &str, after: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let old = lines(before, self.old.clone());
        let new = lines(after, self.new.clone());
        if old.len() == new.len() {
            old.into_iter().zip(new).collect()
        } else {
            vec![(self.old.clone(), self.new.clone())]
        }
    }
}

/// The old text with some of the hunks that make the new one of it, counted from 1.
pub fn accepted(before: &str, after: &str, accepted: &BTreeSet<u32>) -> String {
    let mut text = before.to_owned();
    let numbered: Vec<_> = (1..).zip(hunks(before, after)).collect();
    for (_, hunk) in numbered
        .into_iter()
        .rev()
        .filter(|(number, _)| accepted.contains(number))
    {
        text.replace_range(hunk.old, &after[hunk.new]);
    }
    text
}

/// The differing lines, in order.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (old, new) = (lines_of(before), lines_of(after));
    let (mut old_at, mut new_at) = (0, 0);
    let mut hunks = Vec::new();
    for op in ops(&old, &new) {
        let (tag, old_lines, new_lines) = op.as_tag_tuple();
        let old_len: usize = old[old_lines].iter().map(|line| line.len()).sum();
        let new_len: usize = new[new_lines].iter().map(|line| line.len()).sum();
        let (old, new) = (old_at..old_at + old_len, new_at..new_at + new_len);
        (old_at, new_at) = (old.end, new.end);
        if tag != DiffTag::Equal {
            hunks.push(Hunk { old, new });
        }
    }
    hunks
}

/// Both ranges without the characters that they begin and end with alike.
fn trimmed(before: &str, after: &str, old: Range<usize>, new: Range<usize>) -> (Range<usize>, Range<usize>) {
    let (a, b) = (&before[old.clone()], &after[new.clone()]);
    let same = |(x, y): &(char, char)| x == y;
    let mut prefix: usize = a
        .chars()
        .zip(b.chars())
        .take_while(same)
        .map(|(x, _)| x.len_utf8())
        .sum();
    while splits_pair(before, old.start + prefix) || splits_pair(after, new.start + prefix) {
        prefix -= 1;
    }
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let mut suffix: usize = a
        .chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(same)
        .map(|(x, _)| x.len_utf8())
        .sum();
    while splits_pair(before, old.end - suffix) || splits_pair(after, new.end - suffix) {
        suffix -= 1;
    }
    (
        old.start + prefix..old.end - suffix,
        new.start + prefix..new.end - suffix,
    )
}

fn splits_pair(text: &str, offset: usize) -> bool {
    offset > 0 && text.as_bytes().get(offset - 1..=offset) == Some(b"\r\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn show(before: &str, after: &str) -> Vec<(Range<usize>, String)> {
        minimal(before, after)
            .into_iter()
            .map(|edit| (edit.range, edit.new_text))
            .collect()
    }

    #[test]
    fn only_what_differs_is_replaced() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nb\nc\n", &[][..]),
            ("a\nbcd\ne\n", "a\nbXd\ne\n", &[(3..4, "X")]),
            ("one\ntwo\n", "One\ntwO\n", &[(0..1, "O"), (6..7, "O")]),
            ("a\n", "a\nb\n", &[(2..2, "b\n")]),
            ("a\nb\n", "b\n", &[(0..2, "")]),
            ("", "x", &[(0..0, "x")]),
            ("a\r\nb\r\n", "a\nb\r\n", &[(1..3, "\n")]),
            ("a\n", "a\r\n", &[(1..2, "\r\n")]),
            ("éa", "éb", &[(2..3, "b")]),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(range, text)| (range.clone(), (*text).to_owned()))
                .collect();
            assert_eq!(show(before, after), expected, "{before:?} -> {after:?}");
        }
    }

    #[test]
    fn some_hunks_make_a_part_of_the_change() {
        let (before, after) = ("a\nb\nc\nd\n", "A\nb\nc\n");
        for (numbers, expected) in [
            (&[1, 2][..], after),
            (&[1], "A\nb\nc\nd\n"),
            (&[2], "a\nb\nc\n"),
            (&[7], before),
        ] {
            assert_eq!(accepted(before, after, &numbers.iter().copied().collect()), expected);
        }
    }

    #[test]
    fn two_huge_texts_without_a_common_line_still_end() {
        let side = |letter: char| (0..60_000).map(|n| format!("{letter}{n}\n")).collect::<String>();
        let (before, after) = (side('a'), side('b'));
        assert_eq!(apply(&before, &minimal(&before, &after)), after);
    }

    proptest! {
        #[test]
        fn the_edits_make_the_text_and_keep_their_promises(
            before in "[ab\u{e9}\u{1f980}\r\n]{0,40}", after in "[ab\u{e9}\u{1f980}\r\n]{0,40}",
        ) {
            let edits = minimal(&before, &after);
            prop_assert_eq!(apply(&before, &edits), after);
            for pair in edits.windows(2) {
                prop_assert!(pair[0].range.end < pair[1].range.start);
            }
            for edit in &edits {
                prop_assert!(!splits_pair(&before, edit.range.start) && !splits_pair(&before, edit.range.end));
                prop_assert!(!edit.range.is_empty() || !edit.new_text.is_empty());
            }
        }
    }
}
