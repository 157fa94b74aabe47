//! Lines as YAML and editors count them: `\n`, `\r\n` and `\r` end one.

use text_size::{TextRange, TextSize};

/// One line of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Without the line end.
    pub(crate) range: TextRange,
    /// With the line end.
    pub(crate) full: TextRange,
}

/// The lines of `range`, which should start at the start of a line.
pub(crate) fn lines(text: &str, range: TextRange) -> impl Iterator<Item = Line> + '_ {
    let end = usize::from(range.end());
    let mut at = usize::from(range.start());
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let start = at;
        let rest = &text.as_bytes()[start..end];
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        at = start + length;
        at += match (rest.get(length), rest.get(length + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(_), _) => 1,
            (None, _) => 0,
        };
        Some(Line {
            range: range_of(start, start + length),
            full: range_of(start, at),
        })
    })
}

impl Line {
    /// The text without the line end.
    pub(crate) fn text<'a>(&self, source: &'a str) -> &'a str {
        &source[self.range]
    }

    /// How many spaces it starts with.
    pub(crate) fn indent(&self, source: &str) -> usize {
        self.text(source).bytes().take_while(|&byte| byte == b' ').count()
    }

    /// Only spaces.
    pub(crate) fn is_blank(&self, source: &str) -> bool {
        is_blank(self.text(source))
    }
}

/// Only spaces and tabs.
pub(crate) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

/// A range from plain offsets.
pub(crate) fn range_of(start: usize, end: usize) -> TextRange {
    TextRange::new(size(start), size(end.max(start)))
}

/// An offset. Texts are limited to 4 GiB.
pub(crate) fn size(offset: usize) -> TextSize {
    TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX))
}

/// The item of a sorted, disjoint list that a place stands in.
pub(crate) fn containing<T>(items: &[T], at: TextSize, range: impl Fn(&T) -> TextRange) -> Option<&T> {
    let after = items.partition_point(|item| range(item).start() <= at);
    items[..after].last().filter(|item| range(item).contains(at))
}

/// Answers the same for places of which none stands before the one before: a long list is gone through once.
pub(crate) struct Passing<'a, T> {
    rest: &'a [T],
}

impl<'a, T> Passing<'a, T> {
    /// The list is sorted and disjoint.
    pub(crate) fn new(items: &'a [T]) -> Passing<'a, T> {
        Passing { rest: items }
    }

    /// The item that the place stands in.
    pub(crate) fn at(&mut self, place: TextSize, range: impl Fn(&T) -> TextRange) -> Option<&'a T> {
        while let [first, rest @ ..] = self.rest
            && range(first).end() <= place
        {
            self.rest = rest;
        }
        self.rest.first().filter(|item| range(item).contains(place))
    }
}

/// The text without the line end at its end.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
