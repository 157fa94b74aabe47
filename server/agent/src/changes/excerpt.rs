//! Lines as a model is shown them.

use std::borrow::Cow;
use std::fmt::Write;

/// The most characters of one line; what is longer is cut and ends in `...` (as in thndrs 0.1).
pub(crate) const MAX_LINE_CHARS: usize = 512;

/// The line within [`MAX_LINE_CHARS`].
pub(crate) fn clip(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}...", &line[..end])),
        None => Cow::Borrowed(line),
    }
}

/// Lines of a text by their number, counted from 1, each after its number.
pub(crate) fn numbered(text: &str, first: usize, count: usize) -> String {
    let mut out = String::new();
    for (index, line) in text.lines().enumerate().skip(first.saturating_sub(1)).take(count) {
        // Writing to a String can't fail.
        let _ = writeln!(out, "{:>4}: {}", index + 1, clip(line));
    }
    out
}
