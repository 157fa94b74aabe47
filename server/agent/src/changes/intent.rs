//! From an intent and the text of now to the text it wants.

use std::sync::Arc;

use super::applied::ApplyError;
use super::eol::{self, Normalised};
use super::merge::merge;
use super::{diff, nearest};

/// Occurrences beyond this are not counted.
const MAX_COUNT: usize = 1000;

/// What a write tool wants done to one file, said so that it can be located again in a text that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Makes a file that must not exist yet.
    Create {
        /// The whole text of the new file.
        content: String,
    },
    /// Replaces texts that must each occur exactly once; all are located in the same text.
    Edit {
        /// The replacements, none of which may overlap another.
        replacements: Vec<Replacement>,
    },
    /// Makes the file or replaces all of it, seen from the text that the model last saw.
    Overwrite {
        /// The whole new text.
        content: String,
        /// The text that the model last saw; `None` where it never read the file. What changed since stays where it
        /// and the new text differ from this one in other lines.
        seen: Option<Arc<str>>,
    },
}

/// One exact text and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The text to find, exactly once.
    pub old: String,
    /// The text that replaces it.
    pub new: String,
}

impl Intent {
    /// The text that the file should have, located in whatever its text is now; `None` where it should be gone.
    ///
    /// A replaced text must occur exactly once. Line ends and a byte order mark stay as the file has them: the
    /// model sees neither.
    ///
    /// # Errors
    /// [`ApplyError::Stale`] where the text is not what the edit was made for; the message tells the model why.
    pub fn apply_to(&self, current: Option<&str>) -> Result<Option<String>, ApplyError> {
        self.apply_to_file("the file", current)
    }

    /// Like [`Intent::apply_to`], with the file's name for the messages.
    ///
    /// # Errors
    /// As [`Intent::apply_to`].
    pub fn apply_to_file(&self, name: &str, current: Option<&str>) -> Result<Option<String>, ApplyError> {
        match (self, current) {
            (Self::Create { content }, None) | (Self::Overwrite { content, seen: None }, None) => {
                Ok(Some(content.clone()))
            }
            (Self::Create { .. }, Some(_)) => stale(format!(
                "file already exists: {name}; read it, then use replace_range or write_patch"
            )),
            (Self::Overwrite { seen: Some(_), .. } | Self::Edit { .. }, None) => {
                stale(format!("file not found: {name}; it must be created first"))
            }
            (Self::Overwrite { seen: None, .. }, Some(_)) => stale(format!(
                "{name} exists and was not read yet; read it with read_file_range before replacing it"
            )),
            (
                Self::Overwrite {
                    content,
                    seen: Some(seen),
                },
                Some(current),
            ) => {
                if eol::same_text(seen, current) {
                    return unless_same(name, current, like(current, content));
                }
                match merge(seen, content, current) {
                    Some(text) => unless_same(name, current, text),
                    None => {
                        let (changed, _) = diff::unified(Some(seen), Some(current));
                        stale(format!(
                            "stale file: {name} changed since it was read; read it again. What changed:\n{changed}"
                        ))
                    }
                }
            }
            (Self::Edit { replacements }, Some(current)) => edit(name, current, replacements),
        }
    }
}

/// Offsets where `needle` begins, overlapping ones too, at most `limit`.
pub(super) fn occurrences(text: &str, needle: &str, limit: usize) -> Vec<usize> {
    let step = needle.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() < limit
        && let Some(at) = text.get(from..).and_then(|rest| rest.find(needle))
    {
        found.push(from + at);
        from += at + step;
    }
    found
}

fn edit(name: &str, current: &str, replacements: &[Replacement]) -> Result<Option<String>, ApplyError> {
    let normalised = Normalised::of(current);
    let mut spans = Vec::with_capacity(replacements.len());
    for (index, replacement) in replacements.iter().enumerate() {
        let label = if replacements.len() == 1 {
            String::new()
        } else {
            format!("edits[{index}].")
        };
        let (old, new) = (eol::to_lf(&replacement.old), eol::to_lf(&replacement.new));
        if old.is_empty() {
            return stale(format!("edits[{index}].old_string must not be empty in {name}"));
        }
        // Overlapping occurrences count: in `aaa` nobody can say which `aa` was meant.
        let found = occurrences(&normalised.text, &old, MAX_COUNT);
        let start = match found[..] {
            [start] => start,
            [] => {
                let hint = nearest::excerpt(&normalised.text, &old, &new);
                return stale(format!(
                    "{label}old_string not found; it must match exactly, including whitespace and newlines{hint}"
                ));
            }
            _ => {
                let count = found.len();
                let count = if count == MAX_COUNT {
                    format!("at least {count}")
                } else {
                    count.to_string()
                };
                return stale(format!(
                    "{label}old_string appears {count} times; include more surrounding context to make it unique"
                ));
            }
        };
        let range = normalised.offset(start)..normalised.offset(start + old.len());
        let new = eol::with_line_end(&new, normalised.line_end(range.clone()));
        spans.push((range, new, index));
    }
    spans.sort_by_key(|(range, ..)| range.start);
    for pair in spans.windows(2) {
        if pair[0].0.end > pair[1].0.start {
            let (a, b) = (pair[0].2.min(pair[1].2), pair[0].2.max(pair[1].2));
            return stale(format!(
                "edits[{a}] and edits[{b}] overlap in {name}; merge them into one edit"
            ));
        }
    }
    let mut text = current.to_owned();
    for (range, new, _) in spans.into_iter().rev() {
        text.replace_range(range, &new);
    }
    unless_same(name, current, text)
}

/// The content with the line ends and the byte order mark of the text that it replaces.
fn like(current: &str, content: &str) -> String {
    let content = if current.contains(['\n', '\r']) && !content.contains('\r') {
        eol::with_line_end(content, eol::line_end(current))
    } else {
        content.to_owned()
    };
    let has_bom = |text: &str| eol::without_bom(text).len() < text.len();
    if has_bom(current) && !has_bom(&content) {
        format!("\u{feff}{content}")
    } else {
        content
    }
}

fn unless_same(name: &str, current: &str, text: String) -> Result<Option<String>, ApplyError> {
    if text == current {
        return stale(format!(
            "no changes made to {name}; replacement produced identical content"
        ));
    }
    Ok(Some(text))
}

fn stale<T>(message: String) -> Result<T, ApplyError> {
    Err(ApplyError::Stale(message))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit_of(pairs: &[(&str, &str)]) -> Intent {
        let replacements = pairs
            .iter()
            .map(|(old, new)| Replacement {
                old: (*old).into(),
                new: (*new).into(),
            })
            .collect();
        Intent::Edit { replacements }
    }

    fn message(result: Result<Option<String>, ApplyError>) -> String {
        result.expect_err("refused").to_string()
    }

    #[test]
    fn an_edit_keeps_line_ends_and_the_byte_order_mark() {
        for (text, old, new, expected) in [
            ("a\nb\nc\n", "b", "B", "a\nB\nc\n"),
            ("\u{feff}a\r\nb\r\n", "a\nb\n", "x\ny\n", "\u{feff}x\r\ny\r\n"),
            ("a\r\nb\r\n", "a\r\nb", "x\nz", "x\r\nz\r\n"),
            ("a\r\nb\nc\n", "b\nc", "B\nC", "a\r\nB\nC\n"),
            ("a\r\nb\nc\n", "b", "B\nB", "a\r\nB\r\nB\nc\n"),
            ("a\rb\r", "b", "x\ny", "a\rx\ry\r"),
            ("a\r\nb", "\n", "", "ab"),
            ("é", "é", "", ""),
        ] {
            assert_eq!(
                edit_of(&[(old, new)]).apply_to(Some(text)),
                Ok(Some(expected.into())),
                "{text:?}"
            );
        }
    }

    #[test]
    fn refusals_say_what_to_do() {
        for (text, pairs, expected) in [
            (
                "foo foo foo",
                &[("foo", "x")][..],
                "old_string appears 3 times; include more",
            ),
            ("aaa", &[("aa", "x")], "old_string appears 2 times"),
            (
                "a\nb\nc\n",
                &[("z", "y")],
                "old_string not found; it must match exactly, including whitespace",
            ),
            ("a\nb\nc\n", &[("z", "y")], "File preview:\n   1: a\n   2: b"),
            (
                "x\n  if a {\n    b\n",
                &[("if a {\n  b", "y")],
                "Did you mean:\n   2:   if a {\n   3:     b",
            ),
            ("say “hi”\n", &[("say \"hi\"", "y")], "Did you mean:\n   1: say “hi”"),
            (
                "one\nnew text\n",
                &[("old", "new text")],
                "replacement text already appears in the file;",
            ),
            ("alpha   \nbeta\n", &[("alpha\n", "x")], "Did you mean:\n   1: alpha   "),
            ("a\nb\n", &[("", "y")], "edits[0].old_string must not be empty in f.txt"),
            (
                "a\nb\n",
                &[("a", "a")],
                "no changes made to f.txt; replacement produced identical content",
            ),
            (
                "abcd",
                &[("bc", "x"), ("ab", "y")],
                "edits[0] and edits[1] overlap in f.txt; merge them into one edit",
            ),
            ("ab", &[("a", "x"), ("z", "y")], "edits[1].old_string not found"),
        ] {
            let message = message(edit_of(pairs).apply_to_file("f.txt", Some(text)));
            assert!(message.contains(expected), "{message}\n--\n{expected}");
        }
        assert!(message(edit_of(&[("a", "b")]).apply_to(None)).contains("file not found"));
    }

    #[test]
    fn whole_files() {
        let overwrite = |content: &str, seen: Option<&str>| Intent::Overwrite {
            content: content.into(),
            seen: seen.map(Into::into),
        };
        let create = Intent::Create { content: "n".into() };
        assert_eq!(create.apply_to(None), Ok(Some("n".into())));
        assert!(message(create.apply_to_file("f", Some(""))).starts_with("file already exists: f"));
        assert_eq!(overwrite("n", None).apply_to(None), Ok(Some("n".into())));
        assert!(message(overwrite("n", None).apply_to(Some("old"))).contains("was not read yet"));
        assert!(message(overwrite("n", Some("older")).apply_to(Some("old"))).starts_with("stale file"));
        assert!(message(overwrite("n", Some("old")).apply_to(None)).starts_with("file not found"));
        assert!(message(overwrite("a\n", Some("a\r\n")).apply_to(Some("a\r\n"))).starts_with("no changes"));
        assert_eq!(
            overwrite("b\nc", Some("a\n")).apply_to(Some("\u{feff}a\r\n")),
            Ok(Some("\u{feff}b\r\nc".into()))
        );
    }

    #[test]
    fn a_text_that_repeats_without_end_is_counted_in_bounds() {
        let text = "a".repeat(200_000);
        let message = message(edit_of(&[("aaaa", "b")]).apply_to(Some(&text)));
        assert!(message.contains("at least 1000 times"), "{message}");
    }

    proptest! {
        #[test]
        fn a_unique_text_is_replaced_and_nothing_else(
            before in "[ab\u{e9}\r\n]{0,20}", after in "[ab\u{e9}\r\n]{0,20}", new in "[xy\u{e9}\n]{0,6}",
        ) {
            let text = format!("{before}Q{after}");
            let got = edit_of(&[("Q", &new)]).apply_to(Some(&text)).expect("unique").expect("a text");
            prop_assert!(got.starts_with(&before) && got.ends_with(&after));
            prop_assert_eq!(eol::to_lf(&got[before.len()..got.len() - after.len()]).into_owned(), new);
        }
    }
}
