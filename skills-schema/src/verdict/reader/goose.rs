//! goose 1.52.0. Only its log file tells why it skips a file.

use super::{Fields, Otherwise, Reader, Seen, Shortens, Takes, Tells, Type, Without as Absent, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule, Test::*, Then::Done},
        reading::SERDE_STRUCT,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Goose,
    not_utf8: Some("Failed to read skill file {folder}/SKILL.md: stream did not contain valid UTF-8"),
    splitter: Splitter::Cut,
    unopened: Absent::Refused(NO_FRONTMATTER),
    unclosed: Absent::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(&SERDE_STRUCT),
    unreadable: Absent::Refused("Failed to parse skill frontmatter: {error}"),
    empty: Absent::NoFields("the frontmatter is empty"),
    no_mapping: Absent::Refused(
        "Failed to parse skill frontmatter: invalid type: {kind}, expected struct SkillFrontmatter",
    ),
    fields: Fields::OpenStruct(
        "Failed to parse skill frontmatter: {error}",
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
                Type::Map("metadata: invalid type: {kind}, expected a map at line {line} column {column}"),
            ),
        ],
    ),
    rules: &[Rule {
        missing: Missing::Broken(NO_NAME),
        nullable: true,
        tests: &[
            (NotEmpty, NO_NAME, Done),
            (Without('/'), "Skill name '{value}' contains '/', skipping", Done),
        ],
        ..rule(&["name"])
    }],
    tells: Tells::First,
    name: seen(Form::Read, Otherwise::Nothing),
    description: Seen {
        takes: Takes::Anything,
        form: Form::Read,
        otherwise: Otherwise::Empty,
    },
    shortens: Shortens::Never,
    hides: &[],
};

const NO_FRONTMATTER: &str = "there is no frontmatter; goose skips the file without a message";
const NO_NAME: &str = "Skill at '{folder}' is missing a required 'name' in frontmatter, skipping";
