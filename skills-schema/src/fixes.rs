//! Repairs as replacements of byte ranges.

use std::borrow::Cow;

use text_size::{TextRange, TextSize};

/// A repair of one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an editor's menu shows it.
    pub title: String,
    /// Whether it may be applied without looking: it keeps the meaning that the author's text plainly has.
    pub safe: bool,
    /// Sorted and disjoint.
    pub edits: Vec<Edit>,
    /// The file that the edits are for, where that is another than the finding's.
    pub file: Option<OtherFile>,
}

/// A file that a repair writes beside the one with the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherFile {
    /// Its path from the folder of the file with the finding.
    pub path: Cow<'static, str>,
    /// Its text before the edits; `None` where there is none yet.
    pub text: Option<Box<str>>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes; empty for an insertion.
    pub range: TextRange,
    /// What comes.
    pub new_text: String,
}

impl Fix {
    /// A fix that may be applied without looking.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Fix {
        Fix {
            title: title.into(),
            safe: true,
            edits,
            file: None,
        }
    }

    /// A fix that a person should look at.
    pub fn unsafe_(title: impl Into<String>, edits: Vec<Edit>) -> Fix {
        Fix {
            title: title.into(),
            safe: false,
            edits,
            file: None,
        }
    }
}

impl Edit {
    /// Puts a text in the place of another.
    pub fn replace(range: TextRange, new_text: impl Into<String>) -> Edit {
        Edit {
            range,
            new_text: new_text.into(),
        }
    }

    /// Adds a text.
    pub fn insert(at: TextSize, new_text: impl Into<String>) -> Edit {
        Edit {
            range: TextRange::empty(at),
            new_text: new_text.into(),
        }
    }

    /// Takes a text away.
    pub fn delete(range: TextRange) -> Edit {
        Edit {
            range,
            new_text: String::new(),
        }
    }
}

/// The text after the edits. An edit that overlaps the one before it, or lies outside the text, is left out.
pub fn apply<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
        if start < at || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        result.push_str(&text[at..start]);
        result.push_str(&edit.new_text);
        at = end;
    }
    result.push_str(&text[at..]);
    result
}

/// A value as a quoted scalar: edits that put quotes around `range` and keep its line breaks.
///
/// Both kinds of quotes fold lines as a plain value does, so only the quotes inside need care.
pub fn quote(text: &str, range: TextRange) -> Vec<Edit> {
    let value = &text[range];
    if !value.contains(['"', '\\']) {
        return vec![Edit::insert(range.start(), "\""), Edit::insert(range.end(), "\"")];
    }
    let mut edits = vec![Edit::insert(range.start(), "'")];
    edits.extend(value.match_indices('\'').map(|(at, _)| {
        let at = range.start() + TextSize::of(&value[..at]);
        Edit::insert(at + TextSize::from(1), "'")
    }));
    edits.push(Edit::insert(range.end(), "'"));
    edits
}

/// A text of one line as a scalar: as it is where YAML reads it so, else in quotes.
pub fn scalar(value: &str) -> String {
    let plain = value.starts_with(|c: char| c.is_ascii_alphabetic())
        && !value.ends_with([' ', ':'])
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.contains(['\n', '\r', '\t'])
        && !matches!(
            value.to_ascii_lowercase().as_str(),
            "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if plain {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "''"))
    }
}

/// Where the line of an offset starts.
pub(crate) fn line_start(text: &str, at: TextSize) -> TextSize {
    let before = &text[..usize::from(at)];
    TextSize::of(&before[..before.rfind(['\n', '\r']).map_or(0, |end| end + 1)])
}

/// Where the line of an offset ends, its line end included.
pub(crate) fn line_end(text: &str, at: TextSize) -> TextSize {
    let rest = &text[usize::from(at)..];
    let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let length = match rest[end..].get(..2) {
        Some("\r\n") => 2,
        _ => rest.len().min(end + 1) - end,
    };
    at + TextSize::of(&rest[..end + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    #[test]
    fn edits_are_applied_in_order_of_place_and_overlaps_left_out() {
        let edits = [
            Edit::replace(range(4, 5), "E"),
            Edit::insert(0.into(), "<"),
            Edit::delete(range(1, 3)),
            Edit::replace(range(2, 4), "overlaps"),
            Edit::replace(range(9, 12), "outside"),
        ];
        assert_eq!(apply("abcde", &edits), "<adE");
    }

    #[test]
    fn quoting_keeps_the_value_whatever_quotes_it_holds() {
        let values = [
            "a: b",
            "it's: b",
            "say \"x\": y",
            "it's \"x\": y",
            "C:\\path: x",
            "'a': b",
        ];
        for value in values {
            let text = format!("k: {value}");
            let quoted = apply(&text, &quote(&text, range(3, u32::try_from(text.len()).unwrap())));
            let read: serde_yaml::Value = serde_yaml::from_str(&quoted).unwrap();
            assert_eq!(read["k"].as_str(), Some(value), "{quoted}");
        }
    }

    #[test]
    fn a_scalar_is_quoted_only_where_it_must_be() {
        for (value, expected) in [
            ("plain text", "plain text"),
            ("a: b", "'a: b'"),
            ("it's: b", "'it''s: b'"),
            ("on", "'on'"),
            ("", "''"),
        ] {
            assert_eq!(scalar(value), expected);
        }
    }
}
