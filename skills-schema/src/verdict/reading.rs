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
    /// Its own words for what we call otherwise, by how our message starts. `{error}` is our message, `{key}` what stands
    /// at the place, `{first}` the line that has the same first, and `{line}`, `{column}` and `{frame}` tell the place.
    pub(super) words: &'static [(&'static str, &'static str)],
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
        let found = self.read_plainly(text, range, first);
        found.map_err(|trouble| self.worded(trouble, &text[range], usize::from(range.start())))
    }

    /// The trouble in the words of the library.
    fn worded(&self, trouble: Trouble, yaml: &str, start: usize) -> Trouble {
        let mut words = self.words.iter();
        let Some((_, template)) = words.find(|(ours, _)| trouble.message.starts_with(ours)) else {
            return trouble;
        };
        let message = template.replace("{error}", &trouble.message);
        Trouble {
            message: placed(&message, trouble.range, yaml, start),
            ..trouble
        }
    }

    fn read_plainly(&self, text: &str, range: TextRange, first: &Document) -> Result<Option<Value>, Trouble> {
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
                return Ok(Some(Value {
                    range: node.range,
                    foreign: false,
                    depth: 1,
                    kind: ValueKind::List(Rc::default()),
                }));
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

/// A message with its place filled in: lines and columns count from 1 at the start of the YAML.
pub(super) fn placed(message: &str, range: Option<TextRange>, yaml: &str, start: usize) -> String {
    let at = range.map_or(0, |range| {
        usize::from(range.start()).saturating_sub(start).min(yaml.len())
    });
    // What is wrong with a tab points at the tab, not of what stands behind it.
    let before = yaml[..at].trim_end_matches('\t');
    let at = before.len();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].chars().count() + 1;
    let line = yaml[line_start..].lines().next().unwrap_or_default();
    let value = line.find(':').map_or(0, |colon| {
        let rest = &line[colon + 1..];
        colon + 1 + rest.len() - rest.trim_start().len()
    });
    let key = yaml[at..].split([':', '\n']).next().unwrap_or_default().trim_end();
    let is_same = |line: &str| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let first = yaml.lines().position(is_same).map_or(1, |at| at + 1);
    // Only the message's own words are filled in, so that a text in braces stays what it is.
    let values = [
        ("{line}", (before.matches('\n').count() + 1).to_string()),
        ("{column}", column.to_string()),
        ("{first}", first.to_string()),
        (
            "{frame}",
            format!("{}\n{}^", before_and(yaml, line_start, line), " ".repeat(column - 1)),
        ),
        ("{value_column}", (value + 1).to_string()),
        ("{value_frame}", format!("{line}\n{}^", " ".repeat(value))),
        ("{key}", key.to_owned()),
    ];
    values.iter().fold(message.to_owned(), |message, (name, value)| {
        message.replace(name, value)
    })
}

/// A line and the one before it, where that opens it.
fn before_and<'a>(yaml: &'a str, start: usize, line: &'a str) -> &'a str {
    let previous = yaml[..start].trim_end_matches('\n');
    let from = previous.rfind('\n').map_or(0, |at| at + 1);
    let is_opener = previous[from..].trim_end().ends_with(':') || same_key(&previous[from..], line);
    if start == 0 || !is_opener {
        line
    } else {
        &yaml[from..start + line.len()]
    }
}

fn same_key(first: &str, second: &str) -> bool {
    let key = |line: &str| line.split(':').next().map(str::to_owned);
    key(first) == key(second)
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
