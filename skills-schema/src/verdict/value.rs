//! What a reader gets out of the YAML.

use std::rc::Rc;

use text_size::TextRange;

use super::text;
use crate::reader::stages::Spelling;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The characters that it was read from; those of the anchor where it came by an alias.
    pub(super) range: TextRange,
    /// It has a tag that is no YAML type: `!local`.
    pub(super) foreign: bool,
    /// How many collections are below each other in it, itself included.
    pub(super) depth: usize,
    pub(super) kind: ValueKind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum ValueKind {
    Scalar(Rc<Scalar>),
    List(Rc<Vec<Value>>),
    Map(Rc<Vec<(Value, Value)>>),
    /// A set, or a list of pairs: nothing that a field may be.
    Other,
    /// A collection that holds itself.
    Recursive,
}

/// A scalar, as text and as what the reader's rules make of it.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    /// The text as YAML gives it.
    pub(super) text: String,
    pub(super) atom: Atom,
}

/// What a scalar means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    Null,
    Bool(bool),
    /// In decimal digits, with a sign where negative.
    Integer(String),
    Float(f64),
    Text,
    /// As Python's `str()` writes it.
    Date(String),
    /// What `!!binary` holds.
    Bytes(Vec<u8>),
    /// Its tag says something that its text is not.
    Foreign,
}

impl Value {
    /// One without a tag.
    pub(super) fn new(range: TextRange, kind: ValueKind) -> Value {
        Value {
            range,
            foreign: false,
            depth: kind.depth(),
            kind,
        }
    }

    /// A scalar without a tag.
    pub(super) fn of_scalar(range: TextRange, text: &str, atom: Atom) -> Value {
        let text = text.to_owned();
        Value::new(range, ValueKind::Scalar(Rc::new(Scalar { text, atom })))
    }

    /// The scalar, where it is one.
    pub(super) fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            ValueKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The value of a text key; of the last one, as reading decided what a second means.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        let ValueKind::Map(entries) = &self.kind else {
            return None;
        };
        let is_key = |value: &Value| value.as_text() == Some(key);
        entries
            .iter()
            .rev()
            .find(|(name, _)| is_key(name))
            .map(|(_, value)| value)
    }

    /// The text of a text.
    pub(super) fn as_text(&self) -> Option<&str> {
        self.scalar()
            .filter(|scalar| scalar.atom == Atom::Text)
            .map(|scalar| scalar.text.as_str())
    }

    /// The boolean `true`, or the text of it where a reader takes everything for text.
    pub(super) fn is_true(&self) -> bool {
        self.scalar().is_some_and(|scalar| match &scalar.atom {
            Atom::Bool(value) => *value,
            Atom::Text => scalar.text == "true",
            _ => false,
        })
    }

    pub(super) fn is_null(&self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.atom == Atom::Null)
    }

    /// The items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Value] {
        match &self.kind {
            ValueKind::List(items) => items,
            _ => &[],
        }
    }

    /// The value as text. Collections only say what they are.
    pub(super) fn spelled(&self, spelling: Spelling) -> String {
        match &self.kind {
            ValueKind::Scalar(scalar) => scalar.spelled(spelling),
            ValueKind::List(items) if spelling == Spelling::JavaScript => {
                let mut text = String::new();
                join(items, &mut text);
                text
            }
            _ if spelling == Spelling::JavaScript => "[object Object]".to_owned(),
            ValueKind::List(_) => "[…]".to_owned(),
            ValueKind::Map(_) | ValueKind::Other | ValueKind::Recursive => "{…}".to_owned(),
        }
    }
}

/// `Array.prototype.join` of JavaScript, up to a length: aliases can make a short list endless.
fn join(items: &[Value], text: &mut String) {
    for (at, item) in items.iter().enumerate() {
        if text.len() > 4096 {
            return;
        }
        if at > 0 {
            text.push(',');
        }
        match &item.kind {
            ValueKind::List(items) => join(items, text),
            _ if item.is_null() => {}
            _ => text.push_str(&item.spelled(Spelling::JavaScript)),
        }
    }
}

impl ValueKind {
    /// How many collections are below each other in it, itself included.
    pub(super) fn depth(&self) -> usize {
        match self {
            ValueKind::List(items) => 1 + items.iter().map(|item| item.depth).max().unwrap_or(0),
            ValueKind::Map(entries) => {
                let depths = entries.iter().map(|(key, value)| key.depth.max(value.depth));
                1 + depths.max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

impl Scalar {
    /// The scalar as text.
    pub(super) fn spelled(&self, spelling: Spelling) -> String {
        match (&self.atom, spelling) {
            // Whoever takes bytes for text decodes them.
            (Atom::Bytes(bytes), Spelling::Source) => String::from_utf8_lossy(bytes).into_owned(),
            (Atom::Text | Atom::Foreign, _) | (_, Spelling::Source) => self.text.clone(),
            (Atom::Bytes(bytes), Spelling::Python) => text::python_bytes(bytes),
            (Atom::Bytes(bytes), Spelling::JavaScript) => {
                let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
                numbers.join(",")
            }
            (Atom::Null, Spelling::Python) => "None".to_owned(),
            (Atom::Null, Spelling::JavaScript) => "null".to_owned(),
            (Atom::Bool(value), Spelling::Python) => if *value { "True" } else { "False" }.to_owned(),
            (Atom::Bool(value), Spelling::JavaScript) => value.to_string(),
            (Atom::Integer(digits), Spelling::Python) => digits.clone(),
            (Atom::Integer(digits), Spelling::JavaScript) => {
                digits.parse().map_or_else(|_| digits.clone(), text::javascript_number)
            }
            (Atom::Float(value), Spelling::Python) => text::python_float(*value),
            (Atom::Float(value), Spelling::JavaScript) => text::javascript_number(*value),
            (Atom::Date(date), _) => date.clone(),
        }
    }
}
