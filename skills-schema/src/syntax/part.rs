//! Where a part of a scalar's value stands in the source.

use std::{ops::Range, sync::OnceLock};

use text_size::TextRange;

use super::{Scalar, Style, lines::range_of};

/// Where the characters of a value are written: made when somebody first asks for a part of it, and then kept, because a
/// list in one text has many.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(OnceLock<Written>);

/// They say nothing that the text and the value don't.
impl PartialEq for Places {
    fn eq(&self, _: &Places) -> bool {
        true
    }
}

#[derive(Clone, Debug)]
enum Written {
    /// As it reads.
    AsItReads,
    /// For each byte that starts a character of the value, and for its end, how far into the source it stands. Shorter
    /// where the two can't be laid side by side.
    Otherwise(Vec<Option<u32>>),
}

impl Scalar {
    /// The source of a part of the value, given in bytes of [`Scalar::value`]; the whole scalar where the two can't be
    /// laid side by side: folded and indented lines, and a part that lies outside of the value. The source is always
    /// the text that the scalar was read from.
    pub fn part(&self, source: &str, part: Range<usize>) -> TextRange {
        self.find(source, &part).unwrap_or(self.range)
    }

    fn find(&self, source: &str, part: &Range<usize>) -> Option<TextRange> {
        self.value.get(part.clone())?;
        let start = usize::from(self.inner().start());
        match self.places.0.get_or_init(|| self.places(source)) {
            Written::AsItReads => Some(range_of(start + part.start, start + part.end)),
            Written::Otherwise(places) => {
                let place = |at: usize| Some(start + (*places.get(at)?)? as usize);
                Some(range_of(place(part.start)?, place(part.end)?))
            }
        }
    }

    fn places(&self, source: &str) -> Written {
        let written = &source[self.inner()];
        if written == self.value {
            return Written::AsItReads;
        }
        // One character of the value after the other, with what it is written as.
        let mut places = vec![None; self.value.len() + 1];
        let mut at = 0;
        for (offset, c) in self.value.char_indices() {
            places[offset] = u32::try_from(at).ok();
            match self.written(&written[at..], c) {
                Some(length) => at += length,
                None => return Written::Otherwise(places),
            }
        }
        if at == written.len() {
            places[self.value.len()] = u32::try_from(at).ok();
        }
        Written::Otherwise(places)
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
