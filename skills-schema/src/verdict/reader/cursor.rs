//! Cursor, as its documentation of mid 2026 describes it. What becomes of a file that breaks its rules is not stated.

use super::{Fields, Hides, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{
            Form, Missing, Rule,
            Test::*,
            Then::{Done, Next},
        },
        reading::JS_YAML,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Cursor,
    not_utf8: None,
    splitter: Splitter::Tree,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(&JS_YAML),
    unreadable: Without::Refused(
        "by its documents the frontmatter is YAML; what Cursor does otherwise is not stated: {error}",
    ),
    empty: Without::NoFields("the frontmatter is empty"),
    no_mapping: Without::Refused(NO_FRONTMATTER),
    fields: Fields::Any,
    rules: &[
        Rule {
            missing: Missing::Broken(NO_NAME),
            nullable: true,
            tests: &[
                (NotBlank, NO_NAME, Done),
                (
                    AsciiLetters,
                    "by its documents `name` is lower-case letters, digits and hyphens; what Cursor does otherwise is \
                     not stated",
                    Next,
                ),
                (
                    Folder,
                    "by its documents `name` is that of the folder, `{folder}`; what Cursor does otherwise is not stated",
                    Next,
                ),
            ],
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken(NO_DESCRIPTION),
            nullable: true,
            tests: &[(NotBlank, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Read, Otherwise::Nothing),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[Hides::ModelInvocationDisabled],
};

const NO_FRONTMATTER: &str =
    "by its documents a skill starts with frontmatter; what Cursor does otherwise is not stated";
const NO_NAME: &str = "by its documents `name` is required; what Cursor does otherwise is not stated";
const NO_DESCRIPTION: &str = "by its documents `description` is required; what Cursor does otherwise is not stated";
