//! Wolffish 1.0.263.

use super::{Fields, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule, Test::*, Then::Done},
        reading::JS_YAML,
        splitter::Splitter,
        value::Spelling,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Wolffish,
    not_utf8: None,
    splitter: Splitter::Prefix,
    unopened: Without::Refused(NO_NAME),
    unclosed: Without::Refused(NO_NAME),
    yaml: Yaml::Library(&JS_YAML),
    unreadable: Without::Refused(NO_NAME),
    empty: Without::Refused(NO_NAME),
    no_mapping: Without::Refused(NO_NAME),
    fields: Fields::Any,
    rules: &[
        Rule {
            missing: Missing::Broken(NO_NAME),
            tests: &[(Truthy, NO_NAME, Done)],
            ..rule(&["name"])
        },
        Rule {
            tests: &[(NoNullItems, "danger_patterns can't be iterated", Done)],
            ..rule(&["danger_patterns"])
        },
        Rule {
            tests: &[(NoNullItems, "confirm_patterns can't be iterated", Done)],
            ..rule(&["confirm_patterns"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Spelled(Spelling::JavaScript), Otherwise::Nothing),
    description: seen(Form::Spelled(Spelling::JavaScript), Otherwise::Empty),
    shortens: Shortens::Never,
    hides: &[],
};

/// Wolffish says this of every file whose frontmatter it can't use.
const NO_NAME: &str = "SKILL.md in {folder}/ missing required frontmatter (name)";
