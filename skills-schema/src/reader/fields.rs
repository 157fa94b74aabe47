//! What a reader makes of a field of the frontmatter.

use super::Outcome;

/// That a reader reads a field, and what for.
#[derive(Debug)]
pub struct Reads {
    /// The field, as keys from the top with dots between: `metadata.arguments`.
    pub field: &'static str,
    /// What the field does there.
    pub effect: &'static str,
    /// It refuses a file without the field.
    pub required: bool,
    /// The version that first read it, where that is recorded: `2.1.152`.
    pub since: Option<&'static str>,
    /// What stands in its place where the field is missing.
    pub default: Option<Fallback>,
    /// Other spellings that it takes.
    pub spellings: &'static [&'static str],
}

/// What stands in place of a missing field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// A value, as YAML writes it: `false`.
    Value(&'static str),
    /// Something else, in words: `the folder's name`.
    Words(&'static str),
}

/// A field that a reader reads, and passes over in some files.
#[derive(Debug)]
pub struct PassedOver {
    /// The field.
    pub field: &'static str,
    /// In which files.
    pub when: When,
    /// Why, as the end of a sentence: `it needs …`.
    pub why: &'static str,
    /// What our own reading makes of it.
    pub ours: Outcome,
    /// The title of a repair, and the line that it puts before the field.
    pub repair: Option<(&'static str, &'static str)>,
}

/// In which files a field is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Where another field has no value.
    Without(&'static str),
    /// Where another field has one.
    Beside(&'static str),
    /// In commands.
    InCommand,
    /// In skills with a folder.
    InSkill,
}

/// It passes over a field in some files.
pub(crate) const fn passes_over(field: &'static str, when: When, why: &'static str) -> PassedOver {
    PassedOver {
        field,
        when,
        why,
        ours: Outcome::Recovers,
        repair: None,
    }
}

/// It reads a field, to some effect.
pub(crate) const fn reads(field: &'static str, effect: &'static str) -> Reads {
    Reads {
        field,
        effect,
        required: false,
        since: None,
        default: None,
        spellings: &[],
    }
}

/// It refuses a file without the field.
pub(crate) const fn required(field: &'static str, effect: &'static str) -> Reads {
    Reads {
        required: true,
        ..reads(field, effect)
    }
}

impl Reads {
    pub(crate) const fn since(self, version: &'static str) -> Reads {
        Reads {
            since: Some(version),
            ..self
        }
    }

    /// A value that stands in place of a missing field.
    pub(crate) const fn else_value(self, value: &'static str) -> Reads {
        Reads {
            default: Some(Fallback::Value(value)),
            ..self
        }
    }

    /// What stands in place of a missing field, in words.
    pub(crate) const fn otherwise(self, words: &'static str) -> Reads {
        Reads {
            default: Some(Fallback::Words(words)),
            ..self
        }
    }

    /// Takes other spellings too.
    pub(crate) const fn spelt(self, spellings: &'static [&'static str]) -> Reads {
        Reads { spellings, ..self }
    }
}
