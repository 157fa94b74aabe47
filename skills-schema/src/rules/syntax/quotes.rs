//! Values that need other quotes than they have.

use text_size::{TextRange, TextSize};

use crate::fixes::{self, Edit};

/// The whole value in quotes, without those that it starts with.
pub(super) fn requote(text: &str, subject: TextRange) -> Vec<Edit> {
    let value = &text[subject];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote.filter(|&quote| !is_quoted_word(value, quote)) else {
        return fixes::quote(text, subject);
    };
    let inner = value[1..].strip_suffix(quote).unwrap_or(&value[1..]);
    let new = match closing(value, quote) {
        Some(at) => format!("{}{}", &value[1..at], &value[at + 1..]),
        // What is doubled stays so; a quote alone is one that ended the value too early.
        None if quote == '\'' => inner.replace("''", "\u{0}").replace(['\'', '\u{0}'], "''"),
        None => escaped(inner),
    };
    vec![Edit::replace(subject, format!("{quote}{new}{quote}"))]
}

/// `"Ships." And lands`: the one quote that closed the value before somebody went on behind it.
fn closing(value: &str, quote: char) -> Option<usize> {
    let mut quotes = value.match_indices(quote).skip(1);
    let (at, _) = quotes.next()?;
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let rest = &value[at + 1..];
    let is_inside = is_word(value[..at].chars().next_back()) && is_word(rest.chars().next());
    (quotes.next().is_none() && !rest.is_empty() && !is_inside).then_some(at)
}

/// A backslash before each quote that has none.
fn escaped(inner: &str) -> String {
    let mut new = String::new();
    let mut is_escape = false;
    for c in inner.chars() {
        if c == '"' && !is_escape {
            new.push('\\');
        }
        is_escape = c == '\\' && !is_escape;
        new.push(c);
    }
    new
}

/// `"Ships" and more`: the quotes belong to the text, not around it.
fn is_quoted_word(value: &str, quote: char) -> bool {
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    // `"a" or "b"`: the first quote is closed before text, and the last one opened behind it.
    let closes = |(_, rest): (&str, &str)| {
        let next = rest.chars().next();
        is_space(next) || matches!(next, Some(',' | ';' | '/' | '|'))
    };
    let mut parts = value.rsplitn(3, quote).skip(2);
    let opens = parts.next().is_some_and(|before| is_space(before.chars().next_back()));
    let is_list = value[1..].split_once(quote).is_some_and(closes) && value.ends_with(quote) && opens;
    if is_list {
        return true;
    }
    let first = value[1..].split(quote).next().unwrap_or("");
    let is_even = value.matches(quote).count().is_multiple_of(2);
    is_even && !value.ends_with(quote) && first.split_whitespace().count() <= 4
}

/// Every backslash from `at` on that starts no escape, doubled; the valid ones too, for a path has them all or none.
pub(super) fn escapes(text: &str, subject: TextRange, at: TextSize) -> Vec<Edit> {
    let rest = TextRange::new(at, subject.end());
    let mut edits = Vec::new();
    let mut characters = text[rest].char_indices();
    while let Some((offset, c)) = characters.next() {
        let escape = (c == '\\').then(|| characters.next()).flatten();
        if escape.is_some_and(|(_, next)| !matches!(next, '"' | '\\' | '\n' | '\r')) {
            edits.push(Edit::insert(at + TextSize::of(&text[rest][..offset]), "\\"));
        }
    }
    edits
}

/// Only quotes and backslashes are escaped before `at`, so that what a backslash means is plain.
pub(super) fn has_plain_escapes(before: &str) -> bool {
    let mut characters = before.chars();
    while let Some(c) = characters.next() {
        if c == '\\' && !matches!(characters.next(), None | Some('"' | '\\')) {
            return false;
        }
    }
    true
}

/// The items of a list in brackets that start with a character which YAML keeps for itself, all in quotes.
pub(super) fn items(text: &str, list: TextRange) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = None;
    for (at, c) in text[list].char_indices() {
        let is_first = start.is_none() && !c.is_whitespace();
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if is_first => quote = Some(c),
            (None, '[' | '{') if at == 0 => depth = 1,
            (None, '[' | '{') => depth += 1,
            (None, ',' | ']' | '}') if depth == 1 => {
                if let Some(from) = start.take() {
                    let item = text[list][from..at].trim_end();
                    if item.starts_with(['@', '`', '%']) {
                        let from = list.start() + TextSize::of(&text[list][..from]);
                        edits.extend(fixes::quote(text, TextRange::at(from, TextSize::of(item))));
                    }
                }
                continue;
            }
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
        if is_first && at > 0 {
            start = Some(at);
        }
    }
    edits
}
