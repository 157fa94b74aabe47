//! What the frontmatter declares of arguments, which the body names.

use text_size::{TextRange, TextSize};

use super::{Node, NodeKind, SkillFile, Style};

/// One text of a list in the frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub range: TextRange,
}

impl Item {
    /// The texts of a list; a text alone is a list of one.
    pub(crate) fn list(node: &Node) -> Vec<Item> {
        let items = match &node.kind {
            NodeKind::Sequence(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let item = |node: &Node| {
            Some(Item {
                text: node.as_str()?.to_owned(),
                range: node.range,
            })
        };
        items.iter().filter_map(item).collect()
    }
}

/// A declared argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What stands behind the `$`.
    pub name: String,
    /// Where it is declared; the whole value where its text is not written as it reads.
    pub range: TextRange,
}

/// So many declared arguments are read: each costs at every `$`, and nobody types more.
pub const MOST_ARGUMENTS: usize = 64;

/// The names under `arguments`, in order: `$name` in the body stands for the one at its place. Claude Code 2.1 reads a
/// list, or a text with spaces between the names. At most [`MOST_ARGUMENTS`].
pub fn declared(file: &SkillFile) -> Vec<Argument> {
    let mut names = all_declared(file);
    names.truncate(MOST_ARGUMENTS);
    names
}

/// The first argument that is declared behind [`MOST_ARGUMENTS`] others.
pub(crate) fn too_many(file: &SkillFile) -> Option<TextRange> {
    all_declared(file).get(MOST_ARGUMENTS).map(|argument| argument.range)
}

fn all_declared(file: &SkillFile) -> Vec<Argument> {
    file.entry("arguments")
        .map_or(Vec::new(), |entry| names(file, &entry.value))
}

/// What a person is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// `${name}` in the body stands for it.
    pub name: String,
    /// Where the name stands.
    pub range: TextRange,
    /// What to give.
    pub description: String,
    /// The skill can't run without it; `true` unless it says otherwise or there is a default.
    pub is_required: bool,
    /// Its value where none is given.
    pub default: Option<String>,
}

/// The names under `inputs`, in order: `${name}` in the body.
pub fn inputs(file: &SkillFile) -> Vec<Argument> {
    let name = |input: Input| Argument {
        name: input.name,
        range: input.range,
    };
    asked(file).into_iter().map(name).collect()
}

/// What stands under `inputs`, in order; those without a name are passed over. OpenHands 1.58 asks the person for them.
/// At most [`MOST_ARGUMENTS`].
pub fn asked(file: &SkillFile) -> Vec<Input> {
    let items = file.entry("inputs").map_or(&[][..], |entry| entry.value.items());
    let input = |item: &Node| {
        let name = item.get("name")?.as_scalar()?;
        let text = |key: &str| item.get(key).and_then(Node::as_str).map(str::to_owned);
        let default = text("default");
        Some(Input {
            name: name.value.clone(),
            range: name.range,
            description: text("description").unwrap_or_default(),
            is_required: item
                .get("required")
                .and_then(Node::as_bool)
                .unwrap_or(default.is_none()),
            default,
        })
    };
    items.iter().filter_map(input).take(MOST_ARGUMENTS).collect()
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
