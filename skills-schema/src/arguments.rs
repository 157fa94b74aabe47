//! The arguments that a skill declares.

use text_size::{TextRange, TextSize};

use crate::syntax::{Node, NodeKind, SkillFile, Style};

/// A declared argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What stands behind the `$`.
    pub name: String,
    /// Where it is declared; the whole value where its text is not written as it reads.
    pub range: TextRange,
}

/// The names under `arguments`, in order: `$name` in the body stands for the one at its place. Claude Code 2.1 reads a
/// list, or a text with blanks between the names.
pub fn declared(file: &SkillFile) -> Vec<Argument> {
    file.entry("arguments")
        .map_or(Vec::new(), |entry| names(file, &entry.value))
}

/// The names under `inputs`, in order: `${name}` in the body. OpenHands 1.58 asks the person for them.
pub fn inputs(file: &SkillFile) -> Vec<Argument> {
    let items = file.entry("inputs").map_or(&[][..], |entry| entry.value.items());
    items
        .iter()
        .filter_map(|item| item.get("name")?.as_scalar())
        .map(|name| Argument {
            name: name.value.clone(),
            range: name.range,
        })
        .collect()
}

fn names(file: &SkillFile, node: &Node) -> Vec<Argument> {
    let scalar = match &node.kind {
        NodeKind::Sequence(items) => {
            return items
                .iter()
                .filter_map(|item| {
                    Some(Argument {
                        name: item.as_str()?.to_owned(),
                        range: item.range,
                    })
                })
                .collect();
        }
        NodeKind::Scalar(scalar) if !scalar.is_null() => scalar,
        _ => return Vec::new(),
    };
    let inner = scalar.inner();
    let is_verbatim = file.slice(inner) == scalar.value && !matches!(scalar.style, Style::Literal | Style::Folded);
    let place = |word: &str| {
        let offset = word.as_ptr() as usize - scalar.value.as_ptr() as usize;
        let offset = TextSize::try_from(offset).ok().filter(|_| is_verbatim)?;
        Some(TextRange::at(inner.start() + offset, TextSize::of(word)))
    };
    scalar
        .value
        .split_whitespace()
        .map(|word| Argument {
            name: word.to_owned(),
            range: place(word).unwrap_or(scalar.range),
        })
        .collect()
}
