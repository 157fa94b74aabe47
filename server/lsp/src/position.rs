//! Positions of the protocol and byte offsets of the text, in the encoding that was negotiated.

use ropey::Rope;
use tower_lsp::ls_types::{Position, PositionEncodingKind, Range};

/// What a position's `character` counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// 16-bit units: what every client must support, and the default.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The cheapest encoding that the client announced; UTF-16 where it announced none.
    pub fn negotiate(announced: Option<&[PositionEncodingKind]>) -> Self {
        let announced = announced.unwrap_or_default();
        [Self::Utf8, Self::Utf32]
            .into_iter()
            .find(|encoding| announced.contains(&encoding.kind()))
            .unwrap_or_default()
    }

    /// The protocol's name of it.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The byte offset of a position.
    ///
    /// A character beyond its line is the line's end, a line beyond the text is the text's end, and a position
    /// inside a character is that character's start.
    pub fn offset(self, text: &Rope, position: Position) -> usize {
        let line = position.line as usize;
        if line >= text.len_lines() {
            return text.len_bytes();
        }
        let start = text.line_to_byte(line);
        let units = position.character as usize;
        let content = line_content(text, line);
        let within = match self {
            Self::Utf8 => {
                let byte = units.min(content.len_bytes());
                content.char_to_byte(content.byte_to_char(byte))
            }
            Self::Utf16 => content.char_to_byte(content.utf16_cu_to_char(units.min(content.len_utf16_cu()))),
            Self::Utf32 => content.char_to_byte(units.min(content.len_chars())),
        };
        start + within
    }

    /// The position of a byte offset; an offset beyond the text is its end, and one inside of a line end is its line's.
    pub fn position(self, text: &Rope, offset: usize) -> Position {
        let at = text.byte_to_char(offset.min(text.len_bytes()));
        let line = text.char_to_line(at);
        self.position_in(text, (line, text.line_to_char(line)), at)
    }

    /// The protocol's range of a range of bytes.
    pub fn range(self, text: &Rope, range: std::ops::Range<usize>) -> Range {
        let char = |offset: usize| text.byte_to_char(offset.min(text.len_bytes()));
        let (start, end) = (char(range.start), char(range.end));
        let line = text.char_to_line(start);
        // Each look into the rope counts where findings are many, and most are in one line.
        let first = (line, text.line_to_char(line));
        let last = match text.char_to_line(end) {
            last if last == line => first,
            last => (last, text.line_to_char(last)),
        };
        Range::new(self.position_in(text, first, start), self.position_in(text, last, end))
    }

    /// The position of a character, in a line by its number and its first character.
    fn position_in(self, text: &Rope, (line, start): (usize, usize), at: usize) -> Position {
        // No position stands between `\r` and `\n`; alone, `\r` would end the line.
        let is_in_end = at > start && text.char(at - 1) == '\r';
        let at = if is_in_end { at - 1 } else { at };
        let character = match self {
            Self::Utf8 => text.char_to_byte(at) - text.char_to_byte(start),
            Self::Utf16 => text.char_to_utf16_cu(at) - text.char_to_utf16_cu(start),
            Self::Utf32 => at - start,
        };
        // A text of 2³² lines or columns does not fit into memory.
        Position::new(line as u32, character as u32)
    }
}

/// A line without its end: `\n`, `\r\n` or `\r`.
fn line_content(text: &Rope, line: usize) -> ropey::RopeSlice<'_> {
    let slice = text.line(line);
    let mut chars = slice.len_chars();
    for end in ['\n', '\r'] {
        if chars > 0 && slice.char(chars - 1) == end {
            chars -= 1;
        }
    }
    slice.slice(..chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn the_cheapest_common_encoding_is_taken() {
        let kinds = |names: &[&'static str]| {
            names
                .iter()
                .map(|name| PositionEncodingKind::new(name))
                .collect::<Vec<_>>()
        };
        for (announced, expected) in [
            (vec![], Encoding::Utf16),
            (vec!["utf-16"], Encoding::Utf16),
            (vec!["utf-16", "utf-8"], Encoding::Utf8),
            (vec!["utf-16", "utf-32"], Encoding::Utf32),
            (vec!["utf-7"], Encoding::Utf16),
        ] {
            assert_eq!(Encoding::negotiate(Some(&kinds(&announced))), expected);
        }
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
    }

    #[test]
    fn positions_count_in_their_encoding_and_are_clamped() {
        // Bytes: a=0 é=1..3 🦀=3..7 b=7 \r=8 \n=9 | c=10 \r=11 | d=12
        let text = Rope::from_str("aé🦀b\r\nc\rd");
        let cases = [
            // line, character, expected offset in UTF-8, UTF-16, UTF-32
            (0, 0, [0, 0, 0]),
            (0, 1, [1, 1, 1]),
            (0, 2, [1, 3, 3]),
            (0, 3, [3, 3, 7]),
            (0, 4, [3, 7, 8]),
            (0, 99, [8, 8, 8]),
            (1, 1, [11, 11, 11]),
            (1, 2, [11, 11, 11]),
            (2, 0, [12, 12, 12]),
            (2, 9, [13, 13, 13]),
            (3, 0, [13, 13, 13]),
            (u32::MAX, u32::MAX, [13, 13, 13]),
        ];
        for (line, character, expected) in cases {
            for (encoding, expected) in ALL.into_iter().zip(expected) {
                assert_eq!(
                    encoding.offset(&text, Position::new(line, character)),
                    expected,
                    "{line}:{character} {encoding:?}"
                );
            }
        }
        // Between `\r` and `\n` the line has ended.
        for (offset, expected) in [
            (8, Position::new(0, 4)),
            (9, Position::new(0, 4)),
            (10, Position::new(1, 0)),
        ] {
            assert_eq!(Encoding::Utf32.position(&text, offset), expected);
        }
        let blank = Rope::from_str("\r\n\r\n");
        for encoding in ALL {
            assert_eq!(encoding.position(&blank, 1), Position::new(0, 0));
            assert_eq!(encoding.position(&blank, 3), Position::new(1, 0));
        }
        // Only these three end a line in the protocol.
        let other = Rope::from_str("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f");
        assert_eq!(Encoding::Utf16.position(&other, other.len_bytes()).line, 0);
    }

    proptest! {
        #[test]
        fn offsets_come_back(text in "(\\PC|\n|\r|\r\n|🦀|é){0,40}") {
            let rope = Rope::from_str(&text);
            for (offset, _) in text.char_indices() {
                // Between `\r` and `\n` there is no position.
                if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                    continue;
                }
                for encoding in ALL {
                    let position = encoding.position(&rope, offset);
                    prop_assert_eq!(encoding.offset(&rope, position), offset, "{:?} {:?}", encoding, position);
                    for end in [offset, offset + 1, text.len()] {
                        let range = Range::new(position, encoding.position(&rope, end));
                        prop_assert_eq!(encoding.range(&rope, offset..end), range);
                    }
                }
            }
        }
    }
}
