//! Reading frontmatter whose only fault is a `: ` in a value, as if that value had quotes.

use std::rc::Rc;

use super::{
    reading::Reading,
    value::{Atom, Value, ValueKind},
};
use crate::syntax::{Entry, Node, NodeKind, SkillFile, Style, SyntaxErrorKind};

/// The fields; `None` where something else is wrong too.
pub(super) fn recover(file: &SkillFile, reading: &Reading) -> Option<Value> {
    let colons_only = |kind| kind == SyntaxErrorKind::UnquotedColon;
    let errors = file.errors();
    let recoverable = !errors.is_empty() && errors.iter().all(|error| colons_only(error.kind));
    // What a tag means is for the library to say, which reads the repaired text too.
    let recoverable = recoverable && !file.entries().iter().any(|entry| is_tagged(&entry.value));
    let range = file.frontmatter.as_ref()?.content;
    recoverable.then(|| Value::new(range, entries(file.entries(), reading)))
}

fn is_tagged(node: &Node) -> bool {
    node.tag.is_some()
        || node.items().iter().any(is_tagged)
        || node.entries().iter().any(|entry| is_tagged(&entry.value))
}

fn entries(all: &[Entry], reading: &Reading) -> ValueKind {
    let pair = |entry: &Entry| {
        let key = Value::of_scalar(entry.key.range, &entry.key.value, Atom::Text);
        (key, value(&entry.value, reading))
    };
    ValueKind::Map(Rc::new(all.iter().map(pair).collect()))
}

fn value(node: &Node, reading: &Reading) -> Value {
    let kind = match &node.kind {
        NodeKind::Mapping(nested) => entries(nested, reading),
        NodeKind::Sequence(items) => ValueKind::List(Rc::new(items.iter().map(|item| value(item, reading)).collect())),
        NodeKind::Scalar(it) => {
            let plain = if it.style == Style::Plain {
                Style::Plain
            } else {
                Style::DoubleQuoted
            };
            let atom = reading.schema.scalar(None, &it.value, plain).unwrap_or(Atom::Text);
            return Value::of_scalar(node.range, &it.value, atom);
        }
        NodeKind::Null | NodeKind::Alias(_) | NodeKind::Invalid => {
            return Value::of_scalar(node.range, "", Atom::Null);
        }
    };
    Value::new(node.range, kind)
}
