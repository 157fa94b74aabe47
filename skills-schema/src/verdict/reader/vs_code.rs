//! Visual Studio Code 1.139.1. It refuses nothing; without a description a skill is only a command.

use super::{Fields, Hides, Lines, Otherwise, Reader, Seen, Shortens, Takes, Tells, Without, Yaml};
use crate::{
    dialect::Dialect,
    verdict::{check::Form, splitter::Splitter},
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::VsCode,
    not_utf8: None,
    splitter: Splitter::MarkdownOrRest,
    unopened: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
    unclosed: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
    yaml: Yaml::Lines(Lines::Yaml),
    unreadable: Without::Loads("the frontmatter can't be read"),
    empty: Without::Loads("the frontmatter is empty"),
    no_mapping: Without::Loads("the frontmatter has no fields"),
    fields: Fields::Any,
    rules: &[],
    tells: Tells::First,
    // A name unlike the folder gives way to it, so the field never counts.
    name: Seen {
        takes: Takes::Nothing,
        form: Form::WithoutTags,
        otherwise: Otherwise::Folder,
    },
    description: Seen {
        takes: Takes::NotNull,
        form: Form::WithoutTags,
        otherwise: Otherwise::Nothing,
    },
    shortens: Shortens::End(1024),
    hides: &[Hides::NoDescription, Hides::ModelInvocationDisabled],
};
