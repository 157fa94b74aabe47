//! Where exactly the destination of a link is written: Markdown events give only the whole link.

use std::ops::Range;

use text_size::TextRange;

use super::{Destination, Link, LinkKind, Markdown};
use crate::syntax::lines::range_of;

/// The destination in `[text](destination "title")`; `from` is a range that starts where the text ends.
pub(super) fn of_link(text: &str, from: Range<usize>, destination: &str) -> TextRange {
    let source = &text[from.clone()];
    let written = source.find("](").map(|at| written(source, at + 2));
    checked(text, from, written, destination)
}

/// The destination in `[label]: destination "title"`.
pub(super) fn of_definition(text: &str, span: Range<usize>, destination: &str) -> TextRange {
    let source = &text[span.clone()];
    let mut is_escaped = false;
    let label_end = source.bytes().position(|byte| {
        let ends = byte == b']' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    let written = label_end
        .filter(|&at| source[at..].starts_with("]:"))
        .map(|at| written(source, at + 2));
    checked(text, span, written, destination)
}

/// What is written must read as the destination; where it does not, the range is empty, at the end.
fn checked(text: &str, within: Range<usize>, written: Option<Range<usize>>, destination: &str) -> TextRange {
    let found = written
        .map(|it| within.start + it.start..within.start + it.end)
        .filter(|it| {
            let source = &text[it.clone()];
            source == destination || source.contains(['\\', '&', '\0'])
        });
    found.map_or(range_of(within.end, within.end), |it| range_of(it.start, it.end))
}

/// The destination behind the spaces at an offset: in angle brackets, or up to a space or the bracket that closes.
fn written(source: &str, at: usize) -> Range<usize> {
    let bytes = source.as_bytes();
    let mut start = at;
    let mut on_new_line = false;
    // A link that goes on in the next line of a quote has the quote's mark there.
    while let Some(byte) = bytes
        .get(start)
        .filter(|&&byte| is_blank(byte) || (on_new_line && byte == b'>'))
    {
        on_new_line |= matches!(byte, b'\n' | b'\r');
        start += 1;
    }
    let in_brackets = bytes.get(start) == Some(&b'<');
    start += usize::from(in_brackets);
    let (mut end, mut depth) = (start, 0usize);
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' if bytes.get(end + 1).is_some_and(u8::is_ascii_punctuation) => end += 1,
            b'>' if in_brackets => break,
            _ if in_brackets => {}
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            &byte if is_blank(byte) => break,
            _ => {}
        }
        end += 1;
    }
    start..end.min(source.len())
}

/// What parts a link's destination from the rest: the vertical tab too.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

/// The tags that lead somewhere, and the attribute that says where.
const DESTINATIONS: [(&str, &str); 2] = [("a", "href"), ("img", "src")];

/// The comments and the destinations in raw HTML.
pub(super) fn html(text: &str, range: Range<usize>, tree: &mut Markdown) {
    let source = &text[range.clone()];
    let mut at = 0;
    while let Some(open) = source[at..].find('<').map(|it| at + it) {
        let rest = &source[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let length = comment.find("-->").map_or(rest.len(), |it| it + 7);
            tree.comments
                .push(range_of(range.start + open, range.start + open + length));
            at = open + length;
            continue;
        }
        let name = rest[1..]
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or("");
        let wanted = DESTINATIONS.iter().find(|(tag, _)| name.eq_ignore_ascii_case(tag));
        let wanted = wanted.map_or("", |(_, attribute)| attribute);
        let (length, value) = attribute(rest, 1 + name.len(), wanted);
        if let Some(value) = value {
            let start = range.start + open;
            tree.links.push(Link {
                range: range_of(start, start + length),
                kind: LinkKind::Html,
                is_image: wanted == "src",
                destination: Destination {
                    range: range_of(start + value.start, start + value.end),
                    text: rest[value].to_owned(),
                },
            });
        }
        at = open + length;
    }
}

/// The length of a tag, and where the value of an attribute stands in it. `at` is the end of the tag's name.
fn attribute(tag: &str, mut at: usize, wanted: &str) -> (usize, Option<Range<usize>>) {
    let bytes = tag.as_bytes();
    let mut found = None;
    let skip = |at: usize, stop: &dyn Fn(u8) -> bool| {
        bytes[at..]
            .iter()
            .position(|&byte| stop(byte))
            .map_or(bytes.len(), |it| at + it)
    };
    loop {
        at = skip(at, &|byte| !byte.is_ascii_whitespace() && byte != b'/');
        let name = at;
        at = skip(at, &|byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'/' | b'<')
        });
        let name = &tag[name..at];
        at = skip(at, &|byte| !byte.is_ascii_whitespace());
        match bytes.get(at) {
            Some(b'=') => {
                at = skip(at + 1, &|byte| !byte.is_ascii_whitespace());
                let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
                let start = at + usize::from(quote.is_some());
                let end = match quote {
                    Some(quote) => skip(start, &|byte| byte == quote),
                    None => skip(start, &|byte| byte.is_ascii_whitespace() || byte == b'>'),
                };
                if found.is_none() && !wanted.is_empty() && name.eq_ignore_ascii_case(wanted) {
                    found = Some(start..end);
                }
                at = (end + usize::from(quote.is_some())).min(bytes.len());
            }
            Some(b'>') => return (at + 1, found),
            // Not a tag: what looks like the next one is read by itself.
            Some(b'<') => return (at, None),
            Some(_) => {}
            None => return (bytes.len(), None),
        }
    }
}
