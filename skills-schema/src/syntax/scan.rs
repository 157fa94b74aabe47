//! A small scanner for what the parser's events lack: where a key, a quote, a bracket or a value ends.

use text_size::TextRange;

use super::{
    Scalar, Style,
    lines::{lines, range_of},
};

/// The key at the start of a line, whose text starts at `at`, and its colon. Without a space behind the colon the key
/// must look like one.
pub(super) fn key(line: &str, at: usize) -> Option<(Scalar, TextRange)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let length = quoted_length(line, quote)?;
        let colon = length + blanks(&line[length..]);
        let style = if quote == '"' {
            Style::DoubleQuoted
        } else {
            Style::SingleQuoted
        };
        let scalar = Scalar::new(range_of(at, at + length), line[1..length - 1].to_owned(), style);
        return line[colon..]
            .starts_with(':')
            .then(|| (scalar, range_of(at + colon, at + colon + 1)));
    }
    if line.starts_with([
        '[', '{', '&', '*', '!', '|', '>', '%', '@', '`', '#', '?', ',', ']', '}',
    ]) {
        return None;
    }
    let word = line
        .find(':')
        .filter(|&colon| is_key(&line[..colon]) && !line[colon..].starts_with("://"));
    let colon = word.or_else(|| value_colon(line))?;
    let key = line[..colon].trim_end_matches([' ', '\t']);
    let scalar = Scalar::new(range_of(at, at + key.len()), key.to_owned(), Style::Plain);
    (!key.is_empty()).then(|| (scalar, range_of(at + colon, at + colon + 1)))
}

/// The first `:` of a line that separates a key from a value: a space or nothing follows, and no comment stands before.
pub(crate) fn value_colon(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    (0..bytes.len())
        .take_while(|&at| !(bytes[at] == b'#' && (at == 0 || matches!(bytes[at - 1], b' ' | b'\t'))))
        .find(|&at| bytes[at] == b':' && matches!(bytes.get(at + 1), None | Some(b' ' | b'\t')))
}

/// A word that can be the name of a field.
pub(super) fn is_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic()) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

pub(super) fn is_lower_key(text: &str) -> bool {
    is_key(text) && !text.contains(char::is_uppercase)
}

/// The length of a quoted scalar at the start of `text`, with both quotes.
pub(super) fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' if quote == '"' => _ = characters.next(),
            '\'' if quote == '\'' && characters.peek().is_some_and(|&(_, next)| next == '\'') => {
                _ = characters.next();
            }
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The first backslash in a double-quoted scalar that starts no escape of YAML 1.2.
pub(super) fn bad_escape(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            let (_, escape) = characters.next()?;
            let digits = match escape {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                '0' | 'a' | 'b' | 't' | '\t' | 'n' | 'v' | 'f' | 'r' | 'e' | ' ' | '"' | '/' | '\\' | 'N' | '_'
                | 'L' | 'P' | '\n' | '\r' => 0,
                _ => return Some(at),
            };
            let hex = text[at + 1 + escape.len_utf8()..].chars().take(digits);
            if hex.filter(char::is_ascii_hexdigit).count() < digits {
                return Some(at);
            }
        }
    }
    None
}

/// The length of a flow collection at the start of `text`, or the innermost bracket that nothing closes.
pub(super) fn flow_end(text: &str) -> Result<usize, (usize, char)> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut at = 0;
    let mut at_token_start = true;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '[' | '{' => open.push((at, c)),
            ']' | '}' => {
                open.pop();
                if open.is_empty() {
                    return Ok(at + 1);
                }
            }
            '"' | '\'' if at_token_start => match quoted_length(&text[at..], c) {
                Some(length) => {
                    at += length;
                    at_token_start = false;
                    continue;
                }
                None => break,
            },
            _ => {}
        }
        at_token_start = matches!(c, '[' | '{' | ',' | ':') || (at_token_start && c.is_whitespace());
        at += c.len_utf8();
    }
    Err(open.last().copied().unwrap_or((0, '[')))
}

/// Where an item of a list ends that goes on with a bracket at `at`.
pub(super) fn flow_item_end(text: &str, at: usize, end: usize) -> usize {
    let after = flow_end(&text[at..end]).map_or(end, |length| at + length);
    text[after..end]
        .find([',', ']', '}', '\n', '\r'])
        .map_or(end, |length| after + length)
}

/// A plain multi-line scalar as YAML folds it.
pub(super) fn folded(text: &str, range: TextRange) -> String {
    let mut value = String::new();
    let mut breaks = 0;
    for line in lines(text, range) {
        let content = line.text(text).trim_matches([' ', '\t']);
        if content.is_empty() {
            breaks += 1;
            continue;
        }
        if !value.is_empty() {
            value.push_str(if breaks == 0 { " " } else { "\n" });
            (1..breaks).for_each(|_| value.push('\n'));
        }
        breaks = 0;
        value.push_str(content);
    }
    value
}

/// Without spaces and line ends on either side.
pub(super) fn trimmed(text: &str, range: TextRange) -> TextRange {
    let source = &text[range];
    let end = source.trim_end_matches([' ', '\t', '\n', '\r']).len();
    let start = end - source[..end].trim_start_matches([' ', '\t', '\n', '\r']).len();
    let base = usize::from(range.start());
    range_of(base + start, base + end)
}

pub(super) fn blanks(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ' || byte == b'\t').count()
}
