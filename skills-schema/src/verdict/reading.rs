//! How each YAML reader turns a document into values: one row each.

use std::collections::HashSet;
use std::rc::Rc;

use text_size::TextRange;

use super::{
    document::{Document, Kind, Node},
    messages,
    quirks::{self, Refusal, Tolerance},
    scalars::Schema,
    trouble::{Trouble, trouble},
    value::{Value, ValueKind},
};
use constructor::Constructor;

mod constructor;
mod libraries;

use libraries::{
    CLAUDE_YAML, GO_YAML, JS_YAML, JS_YAML_3, PYYAML, SERDE_STRUCT, SERDE_VALUE, SERDE_YAML, STRICTYAML, YAML_2,
};

use crate::reader::stages::Library;

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
    /// How many collections it reads below each other.
    pub(super) depth: usize,
    /// What was read before an error counts: a list is refused as such.
    pub(super) streams: bool,
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
    /// It takes them over; of two, the last wins.
    LastWins,
    /// It takes them over; of two, the first wins. All that JavaScript calls an object has entries, if perhaps none.
    FirstWins,
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

impl Reading {
    /// The value of a document; `None` for one without any.
    pub(super) fn read(&self, text: &str, range: TextRange, first: &Document) -> Result<Option<Value>, Trouble> {
        let again = quirks::reread(self.tolerances, text, range, first);
        let document = again.as_ref().unwrap_or(first);
        for node in document.nodes() {
            self.allows(node)?;
        }
        if let Some(error) = &document.error {
            if self.streams
                && let Some(node) = document.nodes().first()
                && matches!(node.kind, Kind::Sequence { .. })
            {
                return Ok(Some(Value::new(node.range, ValueKind::List(Rc::default()))));
            }
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
        Constructor::new(self, document).value(root).map(Some)
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

impl Library {
    /// How it turns a document into values.
    pub(super) fn reading(self) -> &'static Reading {
        match self {
            Library::StrictYaml => &STRICTYAML,
            Library::Claude => &CLAUDE_YAML,
            Library::PyYaml => &PYYAML,
            Library::SerdeYaml => &SERDE_YAML,
            Library::SerdeStruct => &SERDE_STRUCT,
            Library::SerdeValue => &SERDE_VALUE,
            Library::JsYaml => &JS_YAML,
            Library::JsYaml3 => &JS_YAML_3,
            Library::Yaml2 => &YAML_2,
            Library::GoYaml => &GO_YAML,
        }
    }
}
