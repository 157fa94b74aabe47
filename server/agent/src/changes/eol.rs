//! Texts without their line ends: editors hold CRLF, LF and the last line end each in their own way.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

const BOM: char = '\u{feff}';

/// Whether two texts are the same to an editor: CRLF, CR and LF are equal, and one final line end and a byte
/// order mark may be missing.
pub fn same_text(a: &str, b: &str) -> bool {
    comparable(a) == comparable(b)
}

/// A hash that is equal for texts that are the [`same_text`]: the first 64 bits of a SHA-256.
///
/// Tools show it as 16 hexadecimal digits and take it back as `expected_before_hash`.
pub fn text_hash(text: &str) -> u64 {
    let digest = Sha256::digest(comparable(text).as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// The text with every CRLF and CR as LF.
pub fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with every line end as `line_end`.
pub fn with_line_end(text: &str, line_end: &str) -> String {
    let text = to_lf(text);
    if line_end == "\n" {
        text.into_owned()
    } else {
        text.replace('\n', line_end)
    }
}

/// The line end that a text uses: CRLF where it has any, else LF, else a lone CR; LF where it has none.
pub fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") {
        "\r\n"
    } else if !text.contains('\n') && text.contains('\r') {
        "\r"
    } else {
        "\n"
    }
}

/// The text after its byte order mark, if it has one.
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// A text with LF alone and no byte order mark, that knows where each byte stood before.
pub(crate) struct Normalised<'a> {
    pub(crate) text: Cow<'a, str>,
    original: &'a str,
    bom: usize,
    /// Offsets in `text` of the line ends that had two bytes.
    pairs: Vec<usize>,
}

impl<'a> Normalised<'a> {
    pub(crate) fn of(original: &'a str) -> Self {
        let body = without_bom(original);
        let pairs = body
            .match_indices("\r\n")
            .enumerate()
            .map(|(nth, (offset, _))| offset - nth)
            .collect();
        Self {
            text: to_lf(body),
            original,
            bom: original.len() - body.len(),
            pairs,
        }
    }

    /// The offset in the original of an offset in `text`; never between a CR and its LF.
    pub(crate) fn offset(&self, offset: usize) -> usize {
        self.bom + offset + self.pairs.partition_point(|pair| *pair < offset)
    }

    /// The line end for what replaces the original's `range`: the one that stood there, else the text's.
    pub(crate) fn line_end(&self, range: std::ops::Range<usize>) -> &'static str {
        let replaced = self.original.get(range).unwrap_or_default();
        line_end(if replaced.contains(['\r', '\n']) {
            replaced
        } else {
            self.original
        })
    }
}

fn comparable(text: &str) -> Cow<'_, str> {
    let mut text = to_lf(without_bom(text));
    if text.ends_with('\n') {
        match &mut text {
            Cow::Borrowed(borrowed) => *borrowed = &borrowed[..borrowed.len() - 1],
            Cow::Owned(owned) => owned.truncate(owned.len() - 1),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_no_difference() {
        for (a, b, same) in [
            ("a\r\nb\r\n", "a\nb", true),
            ("a\rb", "a\nb\n", true),
            ("\u{feff}a", "a\n", true),
            ("", "\n", true),
            ("a\n\n", "a", false),
            ("a", "b", false),
            ("a b", "a  b", false),
        ] {
            assert_eq!(same_text(a, b), same, "{a:?} {b:?}");
            assert_eq!(text_hash(a) == text_hash(b), same, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_hash_does_not_change_between_versions() {
        assert_eq!(format!("{:016x}", text_hash("")), "e3b0c44298fc1c14");
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let original = "\u{feff}a\r\nb\nc\r\nd";
        let normalised = Normalised::of(original);
        assert_eq!(normalised.text, "a\nb\nc\nd");
        for (offset, rest) in [
            (0, "a\r\nb\nc\r\nd"),
            (1, "\r\nb\nc\r\nd"),
            (2, "b\nc\r\nd"),
            (5, "\r\nd"),
            (6, "d"),
        ] {
            assert_eq!(&original[normalised.offset(offset)..], rest);
        }
    }
}
