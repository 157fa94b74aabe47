//! THE table of readers: one row each, and nothing else tells them apart.

mod agent_skills;
mod claude;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod gemini;
mod goose;
mod open_code;
mod open_hands;
mod pi;
mod thndrs;
mod vs_code;
mod wolffish;

use super::{
    check::{Form, Missing, Rule},
    lines::Lines,
    reading::Reading,
    repair::Repair,
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
    /// What becomes of longer descriptions.
    pub(super) shortens: Shortens,
    /// What keeps the skill from the model, so that only a person can call it.
    pub(super) hides: &'static [Hides],
}

/// What becomes of long descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortens {
    /// They stay.
    Never,
    /// A notice takes the place of their middle.
    Middle(usize),
    /// What comes after so many characters is cut off.
    End(usize),
}

/// Why the model is not told of a skill that loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hides {
    /// It has no description.
    NoDescription,
    /// `disable-model-invocation` is true.
    ModelInvocationDisabled,
    /// The same, with `-` or `_` between the words, for all that pydantic takes for true.
    ModelInvocationDisabledByWord,
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
    /// By a library; where that or the fields fail, once more after a repair of the text.
    Repairing(&'static Reading, Repair),
    /// Line by line.
    Lines(Lines),
    /// By a library; line by line where that fails, or where one of these fields is no text.
    LibraryOrLines(&'static Reading, Lines, &'static [&'static str]),
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
    /// The same, and others are passed over.
    OpenStruct(&'static str, &'static [(&'static str, Type)]),
}

/// What a field of a [`Fields::Struct`] may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Text, a number or a boolean, all taken as text, or nothing.
    Text,
    /// Text, a list of texts, or nothing.
    TextOrTexts,
    /// Text, a number, a boolean or nothing, all taken as text; with what the reader says of anything else.
    Scalar(&'static str),
    /// A mapping, or nothing; with what the reader says of anything else.
    Map(&'static str),
    /// A mapping of text, numbers and booleans, or nothing; with what the reader says of anything else.
    MapOfScalars(&'static str),
    /// `true` or `false`, also as YAML 1.1 writes it, or nothing; with what the reader says of anything else.
    Boolean(&'static str),
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
    pub(super) takes: Takes,
    pub(super) form: Form,
    pub(super) otherwise: Otherwise,
}

/// Which values a reader takes for a text that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Anything but null.
    NotNull,
    /// Anything.
    Anything,
    /// What has something but blanks in it.
    Filled,
    /// Text that is not empty.
    Text,
    /// No value at all.
    Nothing,
}

/// What a reader takes instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    Nothing,
    Empty,
    Folder,
    FirstParagraph,
    /// The first paragraph; the first heading where there is none.
    FirstWords,
}

/// Every reader.
pub(super) static READERS: [Reader; 14] = [
    agent_skills::ROW,
    claude::ROW,
    open_hands::ROW,
    thndrs::ROW,
    wolffish::ROW,
    codex::ROW,
    copilot::ROW,
    vs_code::ROW,
    open_code::ROW,
    pi::ROW,
    gemini::ROW,
    goose::ROW,
    crush::ROW,
    cursor::ROW,
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
        warns: false,
    }
}

const fn seen(form: Form, otherwise: Otherwise) -> Seen {
    Seen {
        takes: Takes::NotNull,
        form,
        otherwise,
    }
}
