//! Gemini CLI 0.61.0. It tells nobody why it skips a file.

use super::{Fields, Lines, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule},
        reading::JS_YAML,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Gemini,
    not_utf8: None,
    splitter: Splitter::FirstLine,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::LibraryOrLines(&JS_YAML, Lines::Keys(KEYS), KEYS),
    unreadable: Without::Refused(NO_FRONTMATTER),
    empty: Without::Refused(NO_FRONTMATTER),
    no_mapping: Without::Refused(NO_FRONTMATTER),
    fields: Fields::Any,
    rules: &[
        Rule {
            missing: Missing::Broken("there is no `name`; Gemini CLI skips the file without a message"),
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken("there is no `description`; Gemini CLI skips the file without a message"),
            ..rule(&["description"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::FileName, Otherwise::Nothing),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[],
};

const KEYS: &[&str] = &["name", "description"];
const NO_FRONTMATTER: &str = "there is no frontmatter; Gemini CLI skips the file without a message";
