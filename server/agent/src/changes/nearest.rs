//! What to show a model whose text is not in the file.

use super::excerpt::numbered;

/// The most lines of an excerpt.
const MAX_LINES: usize = 20;
/// Longer texts are not searched for something near.
const MAX_BYTES: usize = 1 << 20;

/// Lines that help to find the right text: those that differ from it in white space or typographic signs only,
/// else those around its first line, else the beginning. All texts have LF alone.
pub(crate) fn excerpt(text: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    if !new.trim().is_empty() && text.contains(new) {
        out.push_str("\nreplacement text already appears in the file; the edit may have been made before");
    }
    match near(text, old) {
        Some((first, count)) => {
            out.push_str("\nDid you mean:\n");
            out.push_str(&numbered(text, first, count.min(MAX_LINES)));
        }
        None => {
            out.push_str("\nFile preview:\n");
            out.push_str(&numbered(text, 1, MAX_LINES));
        }
    }
    // The spaces at the end of a line may be what the model has wrong.
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// The first line's number and the count of lines.
fn near(text: &str, old: &str) -> Option<(usize, usize)> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let line_of = |offset: usize| text[..offset].matches('\n').count() + 1;
    let (needle, _) = folded(old);
    let (haystack, offsets) = folded(text);
    if needle.is_empty() {
        return None;
    }
    if let Some(start) = haystack.find(&needle) {
        let first = line_of(offsets[start]);
        return Some((first, line_of(offsets[start + needle.len() - 1]) - first + 1));
    }
    let line = old.lines().map(str::trim).find(|line| line.chars().count() > 2)?;
    let number = text.lines().position(|candidate| candidate.contains(line))? + 1;
    let first = number.saturating_sub(3).max(1);
    Some((first, old.lines().count() + 6))
}

/// The text without white space, with typographic signs as ASCII, and each byte's offset in the text.
fn folded(text: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut offsets = Vec::with_capacity(text.len());
    for (offset, char) in text.char_indices() {
        let char = match char {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}'..='\u{2015}' => '-',
            char if char.is_whitespace() || char == '\u{200b}' => continue,
            char => char,
        };
        out.push(char);
        offsets.resize(out.len(), offset);
    }
    (out, offsets)
}
