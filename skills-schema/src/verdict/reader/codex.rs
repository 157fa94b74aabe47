//! Codex CLI 0.169.0.

use super::{Fields, Otherwise, Reader, Repair, Seen, Shortens, Takes, Tells, Type, Without, Yaml, rule};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule, Test::*, Then::Done},
        reading::SERDE_STRUCT,
        splitter::{Allowed, Splitter},
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Codex,
    not_utf8: Some("failed to read file: invalid utf-8 sequence of 1 bytes from index {index}"),
    splitter: Splitter::Lines(Allowed::Nothing),
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Repairing(&SERDE_STRUCT, Repair::Quotes),
    unreadable: Without::Refused("invalid YAML: {error}"),
    empty: Without::NoFields("the frontmatter is empty"),
    no_mapping: Without::Refused("invalid YAML: invalid type: {kind}, expected struct SkillFrontmatter"),
    fields: Fields::OpenStruct(
        "invalid YAML: {error}",
        &[
            (
                "name",
                Type::Scalar("name: invalid type: {kind}, expected a string at line {line} column {column}"),
            ),
            (
                "description",
                Type::Scalar("description: invalid type: {kind}, expected a string at line {line} column {column}"),
            ),
            (
                "metadata",
                Type::Map(
                    "metadata: invalid type: {kind}, expected struct SkillFrontmatterMetadata at line {line} column \
                     {column}",
                ),
            ),
        ],
    ),
    rules: &[
        Rule {
            form: Form::Collapsed,
            tests: &[(
                Characters(64),
                "invalid name: exceeds maximum length of 64 characters",
                Done,
            )],
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken(NO_DESCRIPTION),
            nullable: true,
            form: Form::Collapsed,
            tests: &[(NotEmpty, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
    ],
    tells: Tells::First,
    name: Seen {
        takes: Takes::Filled,
        form: Form::Collapsed,
        otherwise: Otherwise::Folder,
    },
    description: Seen {
        takes: Takes::NotNull,
        form: Form::Collapsed,
        otherwise: Otherwise::Nothing,
    },
    shortens: Shortens::Never,
    hides: &[],
};

const NO_FRONTMATTER: &str = "missing YAML frontmatter delimited by ---";
const NO_DESCRIPTION: &str = "missing field `description`";
