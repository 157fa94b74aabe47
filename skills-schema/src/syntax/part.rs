//! Where a part of a scalar's value stands in the source.

use std::ops::Range;

use text_size::TextRange;

use super::{Scalar, Style, lines::range_of};

impl Scalar {
    /// The source of a part of the value, given in bytes of [`Scalar::value`]; the whole scalar where the two can't be
    /// laid side by side: folded and indented lines, and a part that lies outside of the value.
    pub fn part(&self, source: &str, part: Range<usize>) -> TextRange {
        self.find(source, &part).unwrap_or(self.range)
    }

    fn find(&self, source: &str, part: &Range<usize>) -> Option<TextRange> {
        self.value.get(part.clone())?;
        let inner = self.inner();
        let (written, start) = (&source[inner], usize::from(inner.start()));
        if written == self.value {
            return Some(range_of(start + part.start, start + part.end));
        }
        // One character of the value after the other, with what it is written as.
        let mut at = 0;
        let mut from = None;
        for (offset, c) in self.value.char_indices() {
            if offset == part.start {
                from = Some(at);
            }
            if offset == part.end {
                return Some(range_of(start + from?, start + at));
            }
            at += self.written(&written[at..], c)?;
        }
        let from = from.or((part.start == self.value.len()).then_some(at))?;
        (at == written.len()).then(|| range_of(start + from, start + at))
    }

    /// The length of what stands for a character.
    fn written(&self, rest: &str, c: char) -> Option<usize> {
        let first = rest.chars().next()?;
        match (self.style, first) {
            (Style::SingleQuoted, '\'') => rest.starts_with("''").then_some(2),
            (Style::DoubleQuoted, '\\') => {
                let escape = rest[1..].chars().next()?;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                let length = 1 + escape.len_utf8() + digits;
                rest.is_char_boundary(length).then_some(length)
            }
            _ => (first == c).then_some(first.len_utf8()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::SkillFile;

    #[test]
    fn a_part_is_found_through_quotes_and_escapes() {
        let cases = [
            ("one two", "two", "two"),
            ("'it''s two'", "two", "two"),
            ("'it''s'", "'", "''"),
            (r#""a\\s two""#, "two", "two"),
            (r#""\u00e9 two""#, "two", "two"),
            (r#""say \"two\"""#, "\"two\"", r#"\"two\""#),
            ("|\n  one\n  two", "two", "|\n  one\n  two"),
        ];
        for (source, part, expected) in cases {
            let text = format!("---\nk: {source}\n---\n");
            let file = SkillFile::parse(text.as_str().into());
            let scalar = file.entry("k").and_then(|entry| entry.value.as_scalar()).unwrap();
            let at = scalar.value.find(part).unwrap();
            assert_eq!(
                file.slice(scalar.part(&text, at..at + part.len())),
                expected,
                "{source}"
            );
            assert_eq!(scalar.part(&text, 999..1000), scalar.range, "outside of {source}");
        }
    }
}
