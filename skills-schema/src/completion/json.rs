//! Fields and values in JSON, by the tokens around the cursor: works on text that is no JSON yet.

use text_size::{TextRange, TextSize};

use super::{Completion, Completions, Kind, frontmatter::choices};
use crate::{
    fields::{Field, Place, Type},
    hover, template,
};

/// The proposals at an offset of a JSON text whose top is `place`.
pub(super) fn complete(text: &str, place: Place, offset: TextSize) -> Completions {
    let cursor = Cursor::new(text, offset);
    let keys = cursor.path.iter();
    let Some(place) = keys.clone().try_fold(place, |place, key| place.step(key)) else {
        return Completions::default();
    };
    let items = match cursor.spot {
        Spot::Key => place
            .fields()
            .iter()
            .filter(|field| !cursor.used.contains(&field.name))
            .map(|field| key(field, &cursor))
            .collect(),
        Spot::Value => values(place.types, &cursor),
        Spot::Nothing => Vec::new(),
    };
    Completions { items, wanted: None }
}

/// What may stand at the cursor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    Key,
    Value,
    Nothing,
}

struct Cursor<'a> {
    /// The keys that lead here; lists need no step of their own.
    path: Vec<&'a str>,
    spot: Spot,
    /// What a proposal replaces: nothing, a word, or the rest of a string behind its opening quote.
    replace: TextRange,
    /// The cursor is in a string.
    in_string: bool,
    /// A colon follows.
    has_colon: bool,
    /// The keys of the same object.
    used: Vec<&'a str>,
}

/// A piece of JSON: a string, a word such as `true`, or one of `{}[]:,`.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    kind: u8,
    /// A string that its line ends before it is closed.
    is_open: bool,
}

const STRING: u8 = b'"';
const WORD: u8 = b'a';

/// A collection that is open at the cursor.
struct Level<'a> {
    is_object: bool,
    key: Option<&'a str>,
    is_behind_colon: bool,
    /// The value is written; a comma must follow.
    is_full: bool,
    /// The first token in it.
    first: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, offset: TextSize) -> Cursor<'a> {
        let at = usize::from(offset);
        let tokens = tokens(text);
        let holds = |token: &&Token| match token.kind {
            STRING => token.start < at && (at < token.end || (token.is_open && at == token.end)),
            WORD => token.start < at && at <= token.end,
            _ => false,
        };
        let current = tokens.iter().find(holds).copied();
        let before = current.map_or(at, |token| token.start);
        let mut levels: Vec<Level<'a>> = Vec::new();
        for (index, token) in tokens.iter().enumerate().take_while(|(_, token)| token.end <= before) {
            read(&mut levels, text, index, token);
        }
        let in_string = current.is_some_and(|token| token.kind == STRING);
        let range = |start: usize, end: usize| {
            let offset = |at: usize| TextSize::of(&text[..at]);
            TextRange::new(offset(start), offset(end))
        };
        let replace = current.map_or(TextRange::empty(offset), |token| {
            range(token.start + usize::from(in_string), token.end)
        });
        let behind = current.map_or(at, |token| token.end);
        let next = tokens.iter().find(|token| token.start >= behind);
        let spot = match levels.last() {
            Some(level) if level.is_object && !level.is_behind_colon => {
                // A key that is written is followed by its colon.
                if level.key.is_none() { Spot::Key } else { Spot::Nothing }
            }
            Some(level) if !level.is_full => Spot::Value,
            Some(_) => Spot::Nothing,
            None => Spot::Nothing,
        };
        let used = levels
            .last()
            .map(|level| keys(text, &tokens[level.first..], current.map(|it| it.start)));
        Cursor {
            path: levels.iter().filter_map(|level| level.key).collect(),
            spot,
            replace,
            in_string,
            has_colon: next.is_some_and(|token| token.kind == b':'),
            used: used.unwrap_or_default(),
        }
    }
}

fn read<'a>(levels: &mut Vec<Level<'a>>, text: &'a str, index: usize, token: &Token) {
    let level = levels.last_mut();
    match (token.kind, level) {
        (b'}' | b']', _) => _ = levels.pop(),
        (b',', Some(level)) => (level.key, level.is_behind_colon, level.is_full) = (None, false, false),
        (b':', Some(level)) => level.is_behind_colon = true,
        (STRING, Some(level)) if level.is_object && !level.is_behind_colon => level.key = Some(inner(text, token)),
        (_, Some(level)) => level.is_full = true,
        _ => {}
    }
    if matches!(token.kind, b'{' | b'[') {
        levels.push(Level {
            is_object: token.kind == b'{',
            key: None,
            is_behind_colon: false,
            is_full: false,
            first: index + 1,
        });
    }
}

/// The keys of an object whose first token is the first, but for the one that starts at `current`.
fn keys<'a>(text: &'a str, tokens: &[Token], current: Option<usize>) -> Vec<&'a str> {
    let mut depth = 0usize;
    let mut keys = Vec::new();
    for (token, next) in tokens.iter().zip(tokens.iter().skip(1)) {
        match token.kind {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => match depth.checked_sub(1) {
                Some(left) => depth = left,
                None => break,
            },
            STRING if depth == 0 && next.kind == b':' && Some(token.start) != current => keys.push(inner(text, token)),
            _ => {}
        }
    }
    keys
}

fn inner<'a>(text: &'a str, token: &Token) -> &'a str {
    text[token.start..token.end].trim_matches('"')
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let (kind, is_open) = match bytes[start] {
            byte if byte.is_ascii_whitespace() => continue,
            byte @ (b'{' | b'}' | b'[' | b']' | b':' | b',') => (byte, false),
            b'"' => {
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n' | b'\r') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = at.min(bytes.len());
                let is_open = bytes.get(at) != Some(&b'"');
                at += usize::from(!is_open);
                (STRING, is_open)
            }
            _ => {
                let is_word = |byte: u8| !byte.is_ascii_whitespace() && !b"{}[]:,\"".contains(&byte);
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                (WORD, false)
            }
        };
        at = text.ceil_char_boundary(at);
        tokens.push(Token {
            start,
            end: at,
            kind,
            is_open,
        });
    }
    tokens
}

fn key(field: &Field, cursor: &Cursor<'_>) -> Completion {
    let item = Completion {
        detail: field.type_name(),
        ..Completion::new(field.name, Kind::Field, cursor.replace, &hover::documentation(field))
    };
    let quote = if cursor.in_string { "" } else { "\"" };
    if cursor.has_colon {
        return Completion {
            insert: format!("{quote}{}\"", field.name),
            ..item
        };
    }
    let (open, close) = match field.types.first() {
        Some(Type::List(_)) => ("[", "]"),
        Some(Type::Mapping(..)) => ("{", "}"),
        Some(Type::Boolean) => ("", ""),
        _ => ("\"", "\""),
    };
    let example = match field.types.first() {
        Some(Type::Choice([only])) => only.value,
        _ => field.example,
    };
    let example = match example {
        "" => "$1".to_owned(),
        example => format!("${{1:{}}}", template::escaped(example)),
    };
    Completion {
        insert: format!("{quote}{}\": {open}{close}", field.name),
        snippet: Some(format!(
            "{quote}{}\": {open}{example}{close}",
            template::escaped(field.name)
        )),
        ..item
    }
}

fn values(types: &'static [Type], cursor: &Cursor<'_>) -> Vec<Completion> {
    let is_word = |word: &str| matches!(word, "true" | "false");
    let proposals = choices(types).into_iter();
    proposals
        .filter(|(word, _)| !cursor.in_string || !is_word(word))
        .map(|(word, documentation)| {
            let insert = match (cursor.in_string, is_word(word)) {
                (true, _) => format!("{word}\""),
                (false, true) => word.to_owned(),
                (false, false) => format!("\"{word}\""),
            };
            Completion {
                insert,
                ..Completion::new(word, Kind::Value, cursor.replace, documentation)
            }
        })
        .collect()
}
