//! opencode 1.18.33.

use super::{Fields, Hides, Otherwise, Reader, Repair, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule, Test, Then::Done},
        reading::JS_YAML_3,
        splitter::{Behind, Splitter},
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::OpenCode,
    not_utf8: None,
    splitter: Splitter::Behind(Behind::NoHyphen),
    unopened: Without::Refused("there is no frontmatter; opencode skips the file without a message"),
    unclosed: Without::Refused("there is no frontmatter; opencode skips the file without a message"),
    yaml: Yaml::Repairing(&JS_YAML_3, Repair::Blocks),
    unreadable: Without::Refused("Failed to parse YAML frontmatter: {error}"),
    empty: Without::Refused(NO_NAME),
    no_mapping: Without::Refused(NO_NAME),
    fields: Fields::Any,
    rules: &[
        Rule {
            missing: Missing::Broken(NO_NAME),
            tests: &[(Test::Text, NO_NAME, Done)],
            ..rule(&["name"])
        },
        Rule {
            tests: &[(
                Test::Text,
                "`description` is no text; opencode skips the file without a message",
                Done,
            )],
            ..rule(&["description"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Read, Otherwise::Nothing),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[Hides::NoDescription],
};

const NO_NAME: &str = "there is no `name` that is text; opencode skips the file without a message";
