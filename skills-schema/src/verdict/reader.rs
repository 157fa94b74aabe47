//! THE table of readers: one row each, and nothing else tells them apart.

mod agent_skills;
mod claude;
mod open_hands;
mod thndrs;
mod wolffish;

use super::{
    check::{Form, Missing, Rule},
    reading::Reading,
    splitter::Splitter,
};
use crate::dialect::Dialect;

/// How one program decides whether it loads a file, and what it sees.
#[derive(Debug)]
pub(super) struct Reader {
    /// Whose row this is.
    pub(super) dialect: Dialect,
    /// A file that is no UTF-8: refused with this message, or read with replacement characters.
    pub(super) not_utf8: Option<&'static str>,
    /// Where the frontmatter is.
    pub(super) splitter: Splitter,
    /// Text that does not start with frontmatter.
    pub(super) unopened: Without,
    /// Frontmatter that nothing closes.
    pub(super) unclosed: Without,
    /// How the YAML is read.
    pub(super) yaml: Yaml,
    /// YAML that can't be read; `{error}` is the library's message.
    pub(super) unreadable: Without,
    /// YAML without any value.
    pub(super) empty: Without,
    /// YAML that is no mapping.
    pub(super) no_mapping: Without,
    /// The fields that it knows, where it refuses others.
    pub(super) fields: Fields,
    /// What it demands of them, in its order.
    pub(super) rules: &'static [Rule],
    /// All that is broken is told, or only what it meets first.
    pub(super) tells: Tells,
    /// What it calls the skill.
    pub(super) name: Seen,
    /// What it says about the skill.
    pub(super) description: Seen,
    /// Longer descriptions are shortened in the middle.
    pub(super) shortens: Option<usize>,
}

/// What happens to a file whose frontmatter can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Without {
    /// It is refused; `{folder}` and `{error}` are filled in.
    Refused(&'static str),
    /// It loads without metadata.
    Loads(&'static str),
    /// It is read as if every field were missing, for this reason.
    NoFields(&'static str),
}

/// How the YAML is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Yaml {
    /// By a library.
    Library(&'static Reading),
    /// By a library; a value with `: ` in it is read as if it had quotes.
    Recovering(&'static Reading),
}

/// The fields that a reader knows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fields {
    /// Others are passed over.
    Any,
    /// Others are refused: the names in order, and the message with `{fields}`.
    Only(&'static [&'static str], &'static str),
    /// Any name that is text, but none of these: the fields become arguments of a function that has them already.
    Arguments(&'static [&'static str]),
    /// A type with these fields and what each may hold; they are met in the order of the file.
    Struct(&'static str, &'static [(&'static str, Type)]),
}

/// What a field of a [`Fields::Struct`] may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Text, a number or a boolean, all taken as text, or nothing.
    Text,
    /// Text, a list of texts, or nothing.
    TextOrTexts,
    /// Anything that JSON can say.
    Json,
    /// Anything.
    Any,
}

/// How much a reader tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    First,
    All,
}

/// Where a reader takes a text from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) form: Form,
    pub(super) otherwise: Otherwise,
}

/// What a reader takes where the field is missing or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    Nothing,
    Empty,
    Folder,
    FirstParagraph,
}

/// Every reader.
pub(super) static READERS: [Reader; 5] = [
    agent_skills::ROW,
    claude::ROW,
    open_hands::ROW,
    thndrs::ROW,
    wolffish::ROW,
];

/// A rule that demands nothing.
const fn rule(fields: &'static [&'static str]) -> Rule {
    Rule {
        fields,
        missing: Missing::Kept,
        unless: None,
        nullable: false,
        form: Form::Read,
        tests: &[],
        prefix: "",
    }
}

const fn seen(form: Form, otherwise: Otherwise) -> Seen {
    Seen { form, otherwise }
}
