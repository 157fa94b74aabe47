//! Builds the values of a document.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};
use std::rc::Rc;

use super::{Duplicates, Keys, Merges, Reading, Trouble, trouble};
use crate::{
    reader::stages::Spelling,
    syntax::Style,
    verdict::{
        document::{Document, Kind, Node, NodeId},
        messages,
        value::{Atom, Scalar, Value, ValueKind},
    },
};

/// Builds values, each node once.
pub(super) struct Constructor<'a> {
    reading: &'a Reading,
    document: &'a Document,
    /// The anchored nodes that were built; `None` while one is being built.
    done: BTreeMap<NodeId, Option<Value>>,
    /// How many entries `<<` took over so far.
    merged: usize,
}

/// Values that aliases nest deeper are an attack.
const MAX_DEPTH: usize = 260;

/// `<<` may take over so many entries: js-yaml's limit, and enough for anything written by hand.
const MAX_MERGED: usize = 10_000;

impl<'a> Constructor<'a> {
    pub(super) fn new(reading: &'a Reading, document: &'a Document) -> Constructor<'a> {
        Constructor {
            reading,
            document,
            done: BTreeMap::new(),
            merged: 0,
        }
    }

    /// The value of a node.
    pub(super) fn value(&mut self, id: NodeId) -> Result<Value, Trouble> {
        let node = self.document.node(id);
        if let Some(done) = self.done.get(&id) {
            let done = done.clone();
            return Ok(done.unwrap_or_else(|| Value::new(node.range, ValueKind::Recursive)));
        }
        if node.anchor.is_some() {
            self.done.insert(id, None);
        }
        let kind = match &node.kind {
            Kind::Alias(None) => return Err(trouble(messages::UNKNOWN_ALIAS, Some(node.range))),
            Kind::Alias(Some(target)) => {
                let target = self.value(*target)?;
                return Ok(Value {
                    range: node.range,
                    ..target
                });
            }
            Kind::Scalar { value, style } => {
                let unfinished = !self.reading.ends_last_line && self.document.unfinished == Some(id);
                let value = value.strip_suffix('\n').filter(|_| unfinished).unwrap_or(value);
                ValueKind::Scalar(Rc::new(self.scalar(node, value, *style)?))
            }
            Kind::Sequence { items, .. } => {
                let values = items.iter().map(|item| self.value(*item)).collect::<Result<_, _>>()?;
                self.reading.schema.sequence(node, values)?
            }
            Kind::Mapping { pairs, .. } => {
                let entries = self.mapping(pairs)?;
                self.reading.schema.mapping(node, entries)?
            }
        };
        let depth = kind.depth();
        if depth > MAX_DEPTH.min(self.reading.depth) {
            return Err(trouble(messages::DEPTH, Some(node.range)));
        }
        let value = Value {
            range: node.range,
            depth,
            foreign: node
                .tag
                .as_deref()
                .is_some_and(|tag| tag.starts_with('!') && tag != "!"),
            kind,
        };
        if node.anchor.is_some() {
            self.done.insert(id, Some(value.clone()));
        }
        Ok(value)
    }

    fn scalar(&self, node: &Node, value: &str, style: Style) -> Result<Scalar, Trouble> {
        let atom = self.reading.schema.scalar(node.tag.as_deref(), value, style);
        Ok(Scalar {
            text: value.to_owned(),
            atom: atom.map_err(|message| trouble(message, Some(node.range)))?,
        })
    }

    fn mapping(&mut self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<(Value, Value)>, Trouble> {
        if self.reading.even_columns {
            self.check_columns(pairs)?;
        }
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut merged: Vec<(Value, Value)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (key, value) in pairs {
            if self.reading.merges != Merges::Key && self.is_merge(*key)? {
                let value = self.value(*value)?;
                let taken = merge(&value, self.reading.merges);
                let taken = taken.ok_or_else(|| trouble(messages::MERGE, Some(value.range)))?;
                self.merged += taken.len();
                if self.merged > MAX_MERGED {
                    return Err(trouble(messages::MERGED, Some(value.range)));
                }
                let at = match self.reading.merges {
                    Merges::LastWins => 0,
                    _ => merged.len(),
                };
                merged.splice(at..at, taken);
                continue;
            }
            let key = self.key(*key)?;
            let value = self.value(*value)?;
            match (places.entry(identity(&key)), self.reading.duplicates) {
                (Entry::Occupied(_), Duplicates::Refused) => {
                    return Err(trouble(messages::duplicate_key(&key), Some(key.range)));
                }
                (Entry::Occupied(place), Duplicates::Last) => entries[*place.get()].1 = value,
                (Entry::Occupied(_), Duplicates::Kept) => entries.push((key, value)),
                (Entry::Vacant(place), _) => {
                    place.insert(entries.len());
                    entries.push((key, value));
                }
            }
        }
        if self.reading.merges == Merges::Hidden {
            return Ok(entries);
        }
        // What is written beside `<<` wins, and so does the mapping that comes first in a list.
        for (key, value) in merged {
            if let Entry::Vacant(place) = places.entry(identity(&key)) {
                place.insert(entries.len());
                entries.push((key, value));
            }
        }
        Ok(entries)
    }

    fn check_columns(&self, pairs: &[(NodeId, NodeId)]) -> Result<(), Trouble> {
        let values = pairs.iter().map(|(_, value)| self.document.node(*value));
        let mut mappings = values.filter(|node| matches!(node.kind, Kind::Mapping { .. }));
        let first = mappings.next().map(|node| node.column);
        match mappings.find(|node| Some(node.column) != first) {
            Some(node) => Err(trouble(messages::COLUMNS, Some(node.range))),
            None => Ok(()),
        }
    }

    fn key(&mut self, id: NodeId) -> Result<Value, Trouble> {
        let node = self.document.node(id);
        let key = match &node.kind {
            // The key `=` is text to YAML 1.1, though the value is nothing.
            Kind::Scalar { value, .. } if value == "=" && node.tag.is_none() => {
                Value::of_scalar(node.range, value, Atom::Text)
            }
            _ => self.value(id)?,
        };
        match (self.reading.keys, &key.kind) {
            (Keys::Hashable, ValueKind::List(_) | ValueKind::Map(_) | ValueKind::Other | ValueKind::Recursive) => {
                Err(trouble(messages::KEY, Some(key.range)))
            }
            (Keys::Text, _) => {
                let text = key.spelled(Spelling::JavaScript);
                Ok(Value::of_scalar(key.range, &text, Atom::Text))
            }
            _ => Ok(key),
        }
    }

    fn is_merge(&self, key: NodeId) -> Result<bool, Trouble> {
        let node = self.document.node(key);
        match (&node.kind, node.tag.as_deref()) {
            (Kind::Scalar { value, style }, None) => Ok(*style == Style::Plain && value == "<<"),
            (Kind::Scalar { value, .. }, Some(tag @ "tag:yaml.org,2002:merge")) => {
                match self.reading.merges == Merges::FirstWins && !matches!(value.as_str(), "<<" | "") {
                    true => Err(trouble(messages::unknown_tag(tag), Some(node.range))),
                    false => Ok(true),
                }
            }
            _ => Ok(false),
        }
    }
}

/// The entries that `<<: value` takes over; `None` where it is neither a mapping nor a list of them.
fn merge(value: &Value, merges: Merges) -> Option<Vec<(Value, Value)>> {
    let entries = |value: &Value| match &value.kind {
        ValueKind::Map(entries) => Some(entries.to_vec()),
        ValueKind::Recursive => Some(Vec::new()),
        _ if merges != Merges::FirstWins => None,
        // Objects to JavaScript, with numbers for keys or none.
        ValueKind::List(_) | ValueKind::Other => Some(Vec::new()),
        ValueKind::Scalar(scalar) => matches!(scalar.atom, Atom::Date(_) | Atom::Bytes(_)).then(Vec::new),
    };
    match &value.kind {
        ValueKind::List(items) => {
            let all: Option<Vec<_>> = items.iter().map(entries).collect();
            Some(all?.concat())
        }
        _ => entries(value),
    }
}

/// Equal for two keys that are one: by value, as Python compares (`1` and `1.0` and `true` are one).
fn identity(key: &Value) -> String {
    let Some(scalar) = key.scalar() else {
        return format!("collection {:?}", key.range);
    };
    match &scalar.atom {
        Atom::Null => "null".to_owned(),
        Atom::Bool(value) => format!("number {}", u8::from(*value)),
        Atom::Integer(digits) => format!("number {digits}"),
        Atom::Float(value) => format!("number {value}"),
        Atom::Text => format!("text {}", scalar.text),
        Atom::Date(text) => format!("date {text}"),
        Atom::Bytes(_) | Atom::Foreign => format!("other {}", scalar.text),
    }
}
