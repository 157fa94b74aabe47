//! Fields with placeholders, in the syntax of the Language Server Protocol.

use std::fmt::Write as _;

use crate::{
    fields::{Field, Others, Type},
    template::escaped,
};

/// How deep a skeleton goes.
const DEPTH: usize = 3;

/// A field and its value. `indent` is how many columns behind its line's indentation the key stands.
pub(super) fn field(field: &Field, indent: usize) -> String {
    let mut snippet = Snippet {
        text: String::new(),
        stops: 0,
    };
    snippet.field(field, indent, DEPTH);
    snippet.text
}

struct Snippet {
    text: String,
    stops: usize,
}

impl Snippet {
    fn field(&mut self, field: &Field, indent: usize, depth: usize) {
        self.text.push_str(field.name);
        self.text.push(':');
        self.value(field.types, field.example, indent, depth);
    }

    /// The value behind a colon, of a key in that column.
    fn value(&mut self, types: &'static [Type], example: &str, indent: usize, depth: usize) {
        match types.first() {
            Some(Type::Choice(choices)) => {
                let words: Vec<&str> = choices.iter().map(|choice| choice.value).collect();
                self.choice(&words);
            }
            Some(Type::Boolean) => self.choice(&["true", "false"]),
            Some(Type::List(items)) if !matches!(items, [Type::Any]) => {
                self.line(indent + 2);
                self.text.push_str("- ");
                match items.first() {
                    Some(Type::Mapping(fields, _)) if depth > 0 && !fields.is_empty() => {
                        self.fields(fields, indent + 4, depth - 1);
                    }
                    _ => self.stop(example.trim_start_matches("\n  - ")),
                }
            }
            Some(Type::Mapping(fields, Others::Unknown)) if depth > 0 && !fields.is_empty() => {
                self.line(indent + 2);
                self.fields(fields, indent + 2, depth - 1);
            }
            Some(Type::Mapping(..)) => {
                self.line(indent + 2);
                self.stop("");
            }
            _ => {
                self.text.push(' ');
                self.stop(example);
            }
        }
    }

    /// The first two fields say what the others are about.
    fn fields(&mut self, fields: &'static [Field], indent: usize, depth: usize) {
        for (at, field) in fields.iter().take(2).enumerate() {
            if at > 0 {
                self.line(indent);
            }
            self.field(field, indent, depth);
        }
    }

    fn line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn stop(&mut self, example: &str) {
        self.stops += 1;
        // Writing to a String can't fail.
        let _ = match example {
            "" => write!(self.text, "${}", self.stops),
            example => write!(self.text, "${{{}:{}}}", self.stops, escaped(example)),
        };
    }

    fn choice(&mut self, words: &[&str]) {
        self.stops += 1;
        let _ = write!(self.text, " ${{{}|{}|}}", self.stops, words.join(","));
    }
}
