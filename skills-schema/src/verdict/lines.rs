//! Reading the frontmatter line by line, as programs do that need few fields of it.

use std::{collections::HashMap, rc::Rc};

use text_size::{TextRange, TextSize};

use super::value::{Atom, Value, ValueKind};
use crate::{
    reader::stages::LineFormat,
    syntax::{lines, range_of},
};

impl LineFormat {
    /// The fields.
    pub(super) fn read(self, text: &str, range: TextRange) -> Value {
        let all: Vec<TextRange> = match self {
            LineFormat::Keys(_) => lines_of_feeds(text, range).collect(),
            LineFormat::Yaml => lines(text, range).map(|line| line.range).collect(),
        };
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut at = 0;
        while let Some(line) = all.get(at).copied() {
            at += 1;
            let Some((key, value)) = self.entry(text, line) else {
                continue;
            };
            let goes_on = self.has_lines(&text[key]);
            let follows = |next: &&TextRange| goes_on && self.goes_on(&text[**next]);
            let more = all[at..].iter().take_while(follows).count();
            let rest: Vec<&str> = all[at..at + more].iter().map(|line| &text[*line]).collect();
            at += more;
            let found = self.value(&text[value], &rest);
            let scalar = |text, range| Value::of_scalar(range, text, Atom::Text);
            let entry = (scalar(&text[key], key), scalar(&found, value));
            match (places.get(&text[key]), self) {
                (None, _) => {
                    places.insert(&text[key], entries.len());
                    entries.push(entry);
                }
                (Some(place), LineFormat::Keys(_)) => entries[*place] = entry,
                (Some(_), LineFormat::Yaml) => {}
            }
        }
        Value::new(range, ValueKind::Map(Rc::new(entries)))
    }

    /// The key and the value of a line.
    fn entry(self, text: &str, line: TextRange) -> Option<(TextRange, TextRange)> {
        let content = &text[line];
        let indent = content.len() - content.trim_start().len();
        let colon = content.find(':')?;
        let key = content[..colon].trim();
        let is_key = match self {
            // `.` of JavaScript's patterns is no line end.
            LineFormat::Keys(keys) => {
                !content.contains('\r') && keys.contains(&key) && content[indent..colon].len() == key.len()
            }
            LineFormat::Yaml => {
                let ends = content[colon + 1..].chars().next().is_none_or(char::is_whitespace);
                ends && indent == 0 && !key.is_empty() && !key.starts_with(['#', '-'])
            }
        };
        let start = usize::from(line.start());
        let value = content[colon + 1..].trim();
        let from = start + content.len() - content[colon + 1..].trim_start().len();
        is_key.then(|| {
            let key = range_of(start + indent, start + indent + key.len());
            (
                key,
                TextRange::at(TextSize::try_from(from).unwrap_or_default(), TextSize::of(value)),
            )
        })
    }

    /// Whether the value of a key may have more lines.
    fn has_lines(self, key: &str) -> bool {
        match self {
            // Of those keys, only the last.
            LineFormat::Keys(keys) => keys.last() == Some(&key),
            LineFormat::Yaml => true,
        }
    }

    /// Whether a line belongs to the value before it.
    fn goes_on(self, line: &str) -> bool {
        let indented = line.starts_with([' ', '\t']);
        match self {
            LineFormat::Keys(_) => indented && !line.trim().is_empty(),
            LineFormat::Yaml => indented || line.trim().is_empty() || line.starts_with("- "),
        }
    }

    fn value(self, first: &str, rest: &[&str]) -> String {
        let rest = || rest.iter().map(|line| line.trim());
        let joined = |separator: &str| {
            let all = std::iter::once(first).chain(rest());
            all.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(separator)
        };
        if matches!(self, LineFormat::Keys(_)) {
            return joined(" ");
        }
        match first.chars().next() {
            Some(style @ ('|' | '>')) if first[1..].trim_matches(['+', '-']).trim().len() <= 1 => {
                let separator = if style == '|' { "\n" } else { " " };
                let text: Vec<&str> = rest().collect();
                text.join(separator).trim_end().to_owned()
            }
            Some(quote @ ('"' | '\'')) => quoted(&joined(" "), quote),
            _ => {
                let text = joined(" ");
                let end = text.find(" #").unwrap_or(text.len());
                text[..end].trim_end().to_owned()
            }
        }
    }
}

/// The lines of `text.split(/\r?\n/)` in JavaScript: a carriage return alone ends none.
fn lines_of_feeds(text: &str, range: TextRange) -> impl Iterator<Item = TextRange> + '_ {
    let mut at = usize::from(range.start());
    text[range].split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        range_of(start, start + line.strip_suffix('\r').unwrap_or(line).len())
    })
}

/// What stands between quotes; the text as it is where nothing closes them.
fn quoted(text: &str, quote: char) -> String {
    let mut value = String::new();
    let mut characters = text.chars().skip(1).peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' if quote == '\'' && characters.peek() == Some(&'\'') => {
                characters.next();
                value.push('\'');
            }
            _ if character == quote => return value,
            '\\' if quote == '"' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
                None => {}
            },
            _ => value.push(character),
        }
    }
    text.to_owned()
}
