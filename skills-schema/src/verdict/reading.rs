//! How each YAML reader turns a document into values: one row each.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map::Entry};
use std::rc::Rc;

use text_size::TextRange;

use super::{
    document::{Document, Kind, Node, NodeId},
    messages,
    quirks::{self, Refusal, Tolerance},
    schema::Schema,
    value::{Atom, Scalar, Value, ValueKind},
};
use crate::syntax::Style;
use Refusal::*;
use Tolerance::*;

/// Why something was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) message: String,
    pub(super) range: Option<TextRange>,
}

/// One YAML library.
#[derive(Debug)]
pub(super) struct Reading {
    /// What scalars mean.
    pub(super) schema: Schema,
    /// What a key means that is given twice.
    pub(super) duplicates: Duplicates,
    /// What may be a key.
    pub(super) keys: Keys,
    /// What `<<` does with the entries of another mapping.
    pub(super) merges: Merges,
    /// `&anchor` and `*alias` are read.
    pub(super) anchors: Anchors,
    /// `!tag` is read.
    pub(super) tags: bool,
    /// `[…]` and `{…}` are read.
    pub(super) flow: bool,
    /// Mappings that are values of one mapping must start in one column.
    pub(super) even_columns: bool,
    /// What it takes though the parser does not.
    pub(super) tolerances: &'static [Tolerance],
    /// What it refuses though the parser does not.
    pub(super) refusals: &'static [Refusal],
    /// A last line without an end gets one.
    pub(super) ends_last_line: bool,
}

/// What a key means that is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    /// The last one counts.
    Last,
    /// An error.
    Refused,
    /// Whoever takes the entries decides.
    Kept,
}

/// What `<<` does with the entries of another mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merges {
    /// It is a key like any other.
    Key,
    /// It takes them over.
    Taken,
    /// They must be entries, and nobody sees them.
    Hidden,
}

/// What may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// What Python can hash: no list, no mapping.
    Hashable,
    /// Anything; it becomes text.
    Text,
    /// Anything.
    Any,
}

/// What anchors may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchors {
    /// They are refused.
    Refused,
    /// A name is given once.
    Once,
    /// A name may be given again.
    Again,
}

/// libyaml 0.2.5, below two of the readers.
const LIBYAML_TOLERANCES: &[Tolerance] = &[
    QuotedInAnyColumn,
    QuotedBehindTab,
    CommentAtIndicator,
    ByteOrderMarkInLine,
    BlockAtLineStart,
    HyphenInBrackets,
    UnicodeLineEnds,
];
const LIBYAML_REFUSALS: &[Refusal] = &[
    AnchorLetters,
    QuestionMarkInBrackets,
    MissingKey,
    LeadingEnd,
    ByteOrderMark,
    TabAtLineStart,
];

/// strictyaml 1.7: every scalar is text, nothing of YAML that surprises.
pub(super) static STRICTYAML: Reading = Reading {
    schema: Schema::Text,
    duplicates: Duplicates::Refused,
    keys: Keys::Hashable,
    merges: Merges::Hidden,
    anchors: Anchors::Refused,
    tags: false,
    flow: false,
    even_columns: true,
    tolerances: &[QuotedInAnyColumn, ByteOrderMarkInLine, NextLineFolds],
    refusals: &[AnyTab, LeadingEnd],
    ends_last_line: false,
};

/// PyYAML 6 over libyaml: YAML 1.1.
pub(super) static PYYAML: Reading = Reading {
    schema: Schema::Yaml11,
    duplicates: Duplicates::Last,
    keys: Keys::Hashable,
    merges: Merges::Taken,
    anchors: Anchors::Once,
    tags: true,
    flow: true,
    even_columns: false,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ends_last_line: false,
};

/// js-yaml 4: YAML 1.2.
pub(super) static JS_YAML: Reading = JS_YAML_ROW;

const JS_YAML_ROW: Reading = Reading {
    schema: Schema::JavaScript,
    duplicates: Duplicates::Refused,
    keys: Keys::Text,
    merges: Merges::Taken,
    anchors: Anchors::Again,
    tags: true,
    flow: true,
    even_columns: false,
    tolerances: &[
        QuotedInAnyColumn,
        QuotedBehindTab,
        ByteOrderMarkInLine,
        ByteOrderMarkAtLineStart,
    ],
    refusals: &[
        QuestionMarkInBrackets,
        MissingKey,
        LeadingEnd,
        TabBeforeKey,
        OutdentedInBrackets,
    ],
    ends_last_line: true,
};

/// serde_yaml_ng 0.10 over libyaml: scalars keep their text, since a field that wants text takes it.
pub(super) static SERDE_YAML: Reading = Reading {
    schema: Schema::Serde,
    duplicates: Duplicates::Kept,
    keys: Keys::Any,
    merges: Merges::Key,
    anchors: Anchors::Again,
    tags: true,
    flow: true,
    even_columns: false,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ends_last_line: false,
};

/// Claude Code, as far as its documentation tells: YAML 1.2, and a key given twice is no error.
pub(super) static CLAUDE_YAML: Reading = Reading {
    duplicates: Duplicates::Last,
    ..JS_YAML_ROW
};

impl Reading {
    /// The value of a document; `None` for one without any.
    pub(super) fn read(&self, text: &str, range: TextRange, first: &Document) -> Result<Option<Value>, Trouble> {
        let again = quirks::reread(self.tolerances, text, range, first);
        let document = again.as_ref().unwrap_or(first);
        for node in document.nodes() {
            self.allows(node)?;
        }
        if let Some(error) = &document.error {
            return Err(error.clone());
        }
        let mut refused = self.refusals.iter();
        if let Some(trouble) = refused.find_map(|refusal| refusal.check(text, range, document)) {
            return Err(trouble);
        }
        if document.documents > 1 {
            return Err(trouble(messages::SEVERAL_DOCUMENTS, None));
        }
        let Some(root) = document.root else {
            return Ok(None);
        };
        if self.anchors == Anchors::Once {
            let mut names = HashSet::new();
            let mut anchored = document.nodes().iter().filter(|node| node.anchor.is_some());
            if let Some(twice) = anchored.find(|node| !names.insert(&node.anchor)) {
                return Err(trouble(messages::REPEATED_ANCHOR, Some(twice.range)));
            }
        }
        let mut constructor = Constructor {
            reading: self,
            document,
            done: BTreeMap::new(),
        };
        constructor.value(root).map(Some)
    }

    /// What this reader refuses wherever it stands.
    fn allows(&self, node: &Node) -> Result<(), Trouble> {
        let is_flow = matches!(
            node.kind,
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
        );
        let refused = if !self.flow && is_flow {
            Some(messages::FLOW)
        } else if !self.tags && node.tag.is_some() {
            Some(messages::TAG)
        } else if self.anchors == Anchors::Refused && node.anchor.is_some() {
            Some(messages::ANCHOR)
        } else {
            None
        };
        refused.map_or(Ok(()), |message| Err(trouble(message, Some(node.range))))
    }
}

/// A [`Trouble`] with a fixed text.
pub(super) fn trouble(message: &str, range: Option<TextRange>) -> Trouble {
    Trouble {
        message: message.to_owned(),
        range,
    }
}

/// Builds values, each node once.
struct Constructor<'a> {
    reading: &'a Reading,
    document: &'a Document,
    /// The anchored nodes that were built; `None` while one is being built.
    done: BTreeMap<NodeId, Option<Value>>,
}

impl Constructor<'_> {
    fn value(&mut self, id: NodeId) -> Result<Value, Trouble> {
        let node = self.document.node(id);
        if let Some(done) = self.done.get(&id) {
            return Ok(done.clone().unwrap_or(Value {
                range: node.range,
                foreign: false,
                kind: ValueKind::Recursive,
            }));
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
        let value = Value {
            range: node.range,
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
            atom: atom.map_err(|message| Trouble {
                message,
                range: Some(node.range),
            })?,
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
            if self.reading.merges != Merges::Key && self.is_merge(*key) {
                let value = self.value(*value)?;
                merged.extend(merge(&value).ok_or_else(|| trouble(messages::MERGE, Some(value.range)))?);
                continue;
            }
            let key = self.key(*key)?;
            let value = self.value(*value)?;
            match (places.entry(identity(&key)), self.reading.duplicates) {
                (Entry::Occupied(_), Duplicates::Refused) => {
                    return Err(Trouble {
                        message: messages::duplicate_key(&key),
                        range: Some(key.range),
                    });
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
        // What is written beside `<<` wins, and so does the mapping that is named first.
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
            Kind::Scalar { value, .. } if value == "=" && node.tag.is_none() => Value {
                range: node.range,
                foreign: false,
                kind: ValueKind::Scalar(Rc::new(Scalar {
                    text: value.clone(),
                    atom: Atom::Text,
                })),
            },
            _ => self.value(id)?,
        };
        match (self.reading.keys, &key.kind) {
            (Keys::Hashable, ValueKind::List(_) | ValueKind::Map(_) | ValueKind::Other | ValueKind::Recursive) => {
                Err(trouble(messages::KEY, Some(key.range)))
            }
            (Keys::Text, _) => Ok(Value {
                range: key.range,
                foreign: false,
                kind: ValueKind::Scalar(Rc::new(Scalar {
                    text: key.spelled(super::value::Spelling::JavaScript),
                    atom: Atom::Text,
                })),
            }),
            _ => Ok(key),
        }
    }

    fn is_merge(&self, key: NodeId) -> bool {
        let node = self.document.node(key);
        match (&node.kind, node.tag.as_deref()) {
            (Kind::Scalar { value, style }, None) => *style == Style::Plain && value == "<<",
            (Kind::Scalar { .. }, Some(tag)) => tag == "tag:yaml.org,2002:merge",
            _ => false,
        }
    }
}

/// The entries that `<<: value` takes over; `None` where it is neither a mapping nor a list of them.
fn merge(value: &Value) -> Option<Vec<(Value, Value)>> {
    match &value.kind {
        ValueKind::Map(entries) => Some(entries.to_vec()),
        ValueKind::List(items) => {
            let mut all: Vec<(Value, Value)> = Vec::new();
            for item in items.iter() {
                let ValueKind::Map(entries) = &item.kind else {
                    return None;
                };
                all.extend(entries.iter().cloned());
            }
            Some(all)
        }
        ValueKind::Recursive => Some(Vec::new()),
        _ => None,
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
        Atom::Bytes | Atom::Foreign => format!("other {}", scalar.text),
    }
}
