//! Crush, its source of 2026-08-21. It counts bytes, though its messages say characters.

use super::{Fields, Hides, Otherwise, Reader, Shortens, Tells, Type, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{
            Form, Missing, Rule,
            Test::*,
            Then::{Done, Next},
        },
        reading::GO_YAML,
        splitter::{Allowed, Splitter},
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Crush,
    not_utf8: None,
    splitter: Splitter::Lines(Allowed::BlankLines),
    unopened: Without::Refused("no YAML frontmatter found"),
    unclosed: Without::Refused("unclosed frontmatter"),
    yaml: Yaml::Library(&GO_YAML),
    unreadable: Without::Refused("parsing frontmatter: {error}"),
    empty: Without::NoFields("the frontmatter is empty"),
    no_mapping: Without::Refused(
        "parsing frontmatter: yaml: unmarshal errors:\n  line {line}: cannot unmarshal {tag} into skills.Skill",
    ),
    fields: Fields::OpenStruct(
        "parsing frontmatter: yaml: unmarshal errors:\n  {error}",
        &[
            ("name", TEXT),
            ("description", TEXT),
            ("license", TEXT),
            ("compatibility", TEXT),
            (
                "metadata",
                Type::MapOfScalars("line {line}: cannot unmarshal {tag} into map[string]string"),
            ),
            ("user-invocable", BOOLEAN),
            ("disable-model-invocation", BOOLEAN),
        ],
    ),
    rules: &[
        Rule {
            missing: Missing::Broken("name is required"),
            nullable: true,
            tests: &[
                (NotEmpty, "name is required", Done),
                (Bytes(64), "name exceeds 64 characters", Next),
                (
                    AsciiKebab,
                    "name must be alphanumeric with hyphens, no leading/trailing/consecutive hyphens",
                    Next,
                ),
                (
                    FolderInAnyCase,
                    "name \"{value}\" must match directory \"{folder}\"",
                    Next,
                ),
            ],
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken("description is required"),
            nullable: true,
            tests: &[
                (NotEmpty, "description is required", Done),
                (Bytes(1024), "description exceeds 1024 characters", Done),
            ],
            ..rule(&["description"])
        },
        Rule {
            tests: &[(Bytes(500), "compatibility exceeds 500 characters", Done)],
            ..rule(&["compatibility"])
        },
    ],
    tells: Tells::All,
    name: seen(Form::Read, Otherwise::Nothing),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[Hides::ModelInvocationDisabled],
};

const TEXT: Type = Type::Scalar("line {line}: cannot unmarshal {tag} into string");
const BOOLEAN: Type = Type::Boolean("line {line}: cannot unmarshal {tag} into bool");
