//! What happened to an edit, told from texts alone: an editor's word is no proof.

use std::ops::Range;

use super::edits::{TextEdit, apply, minimal};
use crate::difference::{DiffTag, ops};

/// A text that was typed into counts as there while its pieces have so many characters on average: nobody types so much
/// of it by chance.
const MEAN_PIECE: usize = 8;
/// An edit of fewer characters, gone and come, may as well be somebody else's.
const MIN_EDIT: usize = 4;
/// Edits of more places are not looked for one by one.
const MAX_PLACES: usize = 100;

/// What a text shows about an edit that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// The edit arrived; what else changed lies beside it.
    Applied,
    /// The edit stands there, in lines that somebody else changed too: so it arrived, unless the editor says that it
    /// refused it.
    Within,
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
        _ if stands_within(base, expected, observed, &ours) => Observed::Within,
        _ => Observed::Diverged,
    }
}

/// What is there without the edit: the text before it, with what was typed meanwhile. `None` where the two can't be told
/// apart.
pub fn without(base: &str, expected: &str, observed: &str) -> Option<String> {
    let ours = minimal(base, expected);
    let made = after(&ours);
    let beside = minimal(expected, observed);
    let typed = if touches(&beside, &made) {
        typed_within(expected, observed, &made)?
    } else {
        beside
    };
    // Both sets of edits are of `expected`. What was typed into a text of ours cuts it into pieces, which all go.
    let mut edits = typed;
    let typed_at: Vec<usize> = edits.iter().map(|edit| edit.range.start).collect();
    for (edit, made) in ours.iter().zip(made) {
        let inside = typed_at.iter().filter(|at| made.start < **at && **at < made.end);
        let starts: Vec<usize> = std::iter::once(made.start).chain(inside.copied()).collect();
        let ends = starts.iter().skip(1).copied().chain([made.end]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let first = start == made.start;
            edits.push(TextEdit {
                range: start..end,
                new_text: if first {
                    base[edit.range.clone()].to_owned()
                } else {
                    String::new()
                },
            });
        }
    }
    // What was typed before a piece stays before it.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    Some(apply(expected, &edits))
}

/// Whether all that the edit put there stands whole in its place, and nothing that it took away.
fn stands_within(base: &str, expected: &str, observed: &str, ours: &[TextEdit]) -> bool {
    let characters = |edit: &TextEdit| base[edit.range.clone()].chars().count() + edit.new_text.chars().count();
    if ours.len() > MAX_PLACES || ours.iter().map(characters).sum::<usize>() < MIN_EDIT {
        return false;
    }
    // One character stands anywhere.
    let taken = ours.iter().map(|edit| edit.range.clone());
    let taken: Vec<_> = taken.filter(|range| base[range.clone()].chars().count() > 1).collect();
    typed_within(expected, observed, &after(ours)).is_some()
        && follow(base, observed, &taken).1.iter().all(|stands| !stands)
}

/// What was typed, where all that the edit put there still stands; `None` where that can't be told.
fn typed_within(expected: &str, observed: &str, made: &[Range<usize>]) -> Option<Vec<TextEdit>> {
    let (typed, stand) = follow(expected, observed, made);
    stand.into_iter().all(|stands| stands).then_some(typed)
}

/// Edits by characters that make one text of another, and which of these places of the first one stand in the second:
/// whole, next to what was next to them on one side at least.
fn follow(text: &str, observed: &str, places: &[Range<usize>]) -> (Vec<TextEdit>, Vec<bool>) {
    // One that stands there whole is compared as one character, so that no letter of it goes with what was typed.
    let mut whole: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
    whole.retain(|place| place.chars().count() > 1 && observed.contains(place));
    whole.sort_by_key(|place| std::cmp::Reverse(place.len()));
    let (prefix, old, new) = differing(text, observed, places);
    let (old, new) = (symbols(old, &whole), symbols(new, &whole));
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut kept: Vec<Range<usize>> = std::iter::once(0..prefix).collect();
    let mut at = prefix;
    for op in ops(&old, &new) {
        let (tag, from, to) = op.as_tag_tuple();
        let end = at + old[from].iter().map(|symbol| symbol.len()).sum::<usize>();
        if tag == DiffTag::Equal {
            kept.push(at..end);
        } else {
            edits.push(TextEdit {
                range: at..end,
                new_text: new[to].concat(),
            });
        }
        at = end;
    }
    kept.push(at..text.len());
    let is_kept = |at: usize| kept.iter().any(|kept| kept.contains(&at));
    let stands = |place: &Range<usize>| {
        let inside = |edit: &&TextEdit| edit.range.start < place.end && place.start < edit.range.end;
        let cut = edits.iter().filter(inside).any(|edit| !edit.range.is_empty());
        let pieces = 1 + edits.iter().filter(inside).count();
        let is_anchored =
            place.start.checked_sub(1).is_none_or(is_kept) || place.end == text.len() || is_kept(place.end);
        !cut && is_anchored && (pieces == 1 || text[place.clone()].chars().count() >= pieces * MEAN_PIECE)
    };
    let stand = places.iter().map(stands).collect();
    (edits, stand)
}

/// Where two texts begin to differ, and both without what they begin and end with alike; no place is cut.
fn differing<'a>(a: &'a str, b: &'a str, places: &[Range<usize>]) -> (usize, &'a str, &'a str) {
    let alike = a.chars().zip(b.chars()).take_while(|(x, y)| x == y);
    let mut prefix: usize = alike.map(|(x, _)| x.len_utf8()).sum();
    if let Some(cut) = places.iter().find(|place| place.contains(&prefix)) {
        prefix = cut.start;
    }
    let alike = a[prefix..]
        .chars()
        .rev()
        .zip(b[prefix..].chars().rev())
        .take_while(|(x, y)| x == y);
    let mut suffix: usize = alike.map(|(x, _)| x.len_utf8()).sum();
    if let Some(cut) = places.iter().find(|place| place.contains(&(a.len() - suffix))) {
        suffix = a.len() - cut.end;
    }
    (prefix, &a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix])
}

/// The characters of a text, and whichever of these texts stand in it, the first of them first.
fn symbols<'a>(text: &'a str, whole: &[&str]) -> Vec<&'a str> {
    let mut symbols = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = whole.iter().find(|whole| rest.starts_with(**whole));
        let (symbol, behind) = rest.split_at(found.map_or(first.len_utf8(), |whole| whole.len()));
        symbols.push(symbol);
        rest = behind;
    }
    symbols
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_edit_is_distinguished_from_what_was_typed_meanwhile() {
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

    #[test]
    fn an_edit_is_found_among_what_was_typed_in_its_lines() {
        use Observed::{Applied, Diverged, Within};
        let long = "let total = sum(prices) + shipping;";
        let split = "let total = sum(prices)\n + shipping;";
        let cases = [
            // base, expected, observed, what that says, the same without the edit
            ("a b c\n", "a NEW c\n", "xa\n NEW c y\n", Within, Some("xa\n b c y\n")),
            ("a b c\n", "a NEW c\n", "xa\n b c y\n", Diverged, None),
            (
                "a b c\n",
                "a NEW c\n",
                "a xNEWy c\n\nz\n",
                Within,
                Some("a xby c\n\nz\n"),
            ),
            // Typed into a short text, or the short text typed by somebody: nobody can tell.
            ("a b c\n", "a NEW c\n", "xa\n NxEW c y\n", Diverged, None),
            ("foo(a)\n", "foo(b)\n", "foo() b\n", Diverged, None),
            ("", "end", "elephant never dies", Diverged, None),
            // Into a long one it is plain.
            ("x\n", long, split, Within, Some("x\n\n")),
            // What was typed has letters of what went, and of what came.
            (
                "one\ntwo\n",
                "one\n2\n",
                "one\nmine: 2\nmore\n",
                Within,
                Some("one\nmine: two\nmore\n"),
            ),
            (
                "one two\n",
                "one three\n",
                "the reone\nthree or so\n",
                Within,
                Some("the reone\ntwo or so\n"),
            ),
            // Half of it taken back.
            ("a b c\n", "a NEW c\n", "xa\n N c y\n", Diverged, None),
            // The lines that went are gone, whatever stands there now.
            ("a\nb\nc\n", "a\nc\n", "a!\nc\n", Applied, Some("a!\nb\nc\n")),
            ("a\nb\nc\n", "a\nc\n", "a\nb!\nc\n", Diverged, None),
        ];
        for (base, expected, observed, verdict, rest) in cases {
            assert_eq!(observe(base, expected, observed), verdict, "{expected:?} {observed:?}");
            if [Applied, Within].contains(&verdict) {
                let without = without(base, expected, observed);
                assert_eq!(without.as_deref(), rest, "{expected:?} {observed:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_is_typed_around_it_an_edit_is_distinguished_from_none(
            line in "[abc ]{0,12}", old in "e[de]{1,3}", rest in "[abc ]{0,12}(\n[abc ]{0,6}){0,3}\n",
            new in "B[AB]{2,6}B", typed in proptest::collection::vec((0_usize..100, "[xydA\n]{1,3}"), 1..6),
        ) {
            let base = format!("{line}{old}{rest}");
            let expected = format!("{line}{new}{rest}");
            let made = line.len()..line.len() + new.len();
            // The same keys in both texts, none inside of what the edit is about.
            let type_into = |text: &str, own: usize| {
                let mut edits: Vec<TextEdit> = Vec::new();
                for (at, keys) in &typed {
                    let outside = at % (base.len() - old.len() + 1);
                    let at = if outside > line.len() { outside + own } else { outside };
                    edits.push(TextEdit { range: at..at, new_text: keys.clone() });
                }
                edits.sort_by_key(|edit| edit.range.start);
                apply(text, &edits)
            };
            let (arrived, refused) = (type_into(&expected, made.len()), type_into(&base, old.len()));
            let verdict = observe(&base, &expected, &arrived);
            prop_assert!([Observed::Applied, Observed::Within].contains(&verdict), "{expected:?} {arrived:?} {verdict:?}");
            prop_assert_eq!(without(&base, &expected, &arrived), Some(refused.clone()));
            let verdict = observe(&base, &expected, &refused);
            prop_assert!([Observed::NotApplied, Observed::Diverged].contains(&verdict), "{refused:?} {verdict:?}");
        }
    }
}
