//! From the protocol's terms to the core's.

use skills_schema::{TextRange, TextSize};
use tower_lsp::ls_types::{Position, Range};

use crate::document::Document;
use crate::position::Encoding;

/// The offset of a position, clamped as the protocol says.
pub fn offset(document: &Document, encoding: Encoding, position: Position) -> TextSize {
    let offset = encoding.offset(&document.rope, position);
    // Texts that are analysed are shorter than 4 GiB: framing reads no longer ones.
    TextSize::try_from(offset).unwrap_or_default()
}

/// The byte range of the lines that a range touches.
pub fn lines(document: &Document, encoding: Encoding, range: Range) -> TextRange {
    let start = offset(document, encoding, Position::new(range.start.line, 0));
    let last = range.end.line.max(range.start.line);
    TextRange::new(start, offset(document, encoding, Position::new(last, u32::MAX)))
}
