//! thndrs 0.1.0. It counts bytes, though its messages say characters.

use super::{Fields, Otherwise, Reader, Shortens, Tells, Type, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{Form, Missing, Rule, Test::*, Then::Done},
        reading::SERDE_YAML,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Thndrs,
    not_utf8: Some("failed to read SKILL.md: stream did not contain valid UTF-8"),
    splitter: Splitter::Markdown,
    unopened: Without::Refused("missing YAML frontmatter"),
    unclosed: Without::Refused("missing YAML frontmatter"),
    yaml: Yaml::Library(&SERDE_YAML),
    unreadable: Without::Refused("invalid YAML frontmatter: {error}"),
    empty: Without::NoFields("the frontmatter is empty"),
    no_mapping: Without::Refused("invalid YAML frontmatter: invalid type, expected struct Frontmatter"),
    fields: Fields::Struct(
        "invalid YAML frontmatter: {error}",
        &[
            ("name", Type::Text),
            ("description", Type::Text),
            ("allowed-tools", Type::TextOrTexts),
            ("license", Type::Text),
            ("compatibility", Type::Text),
            ("metadata", Type::Json),
            ("references", Type::Any),
        ],
    ),
    rules: &[
        Rule {
            missing: Missing::Broken("frontmatter name is required"),
            nullable: true,
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken("frontmatter description is required"),
            nullable: true,
            ..rule(&["description"])
        },
        Rule {
            tests: &[
                (Folder, "name {debug} must match parent directory \"{folder}\"", Done),
                (Bytes(64), "name exceeds 64 characters", Done),
                (
                    AsciiLetters,
                    "name must contain only lowercase letters, numbers, and hyphens",
                    Done,
                ),
                (
                    NoHyphenAtEdge,
                    "name must not start or end with a hyphen or contain consecutive hyphens",
                    Done,
                ),
                (
                    NoDoubleHyphen,
                    "name must not start or end with a hyphen or contain consecutive hyphens",
                    Done,
                ),
            ],
            ..rule(&["name"])
        },
        Rule {
            tests: &[
                (NotBlank, "frontmatter description is required", Done),
                (Bytes(1024), "description exceeds 1024 characters", Done),
            ],
            ..rule(&["description"])
        },
        Rule {
            nullable: true,
            tests: &[
                (List, "frontmatter references must be a list of relative paths", Done),
                (Items, "frontmatter references must not be empty", Done),
                (Texts, "frontmatter references entries must be strings", Done),
                (
                    RelativePaths,
                    "invalid frontmatter reference: path must stay inside the skill",
                    Done,
                ),
            ],
            ..rule(&["references"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Read, Otherwise::Nothing),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[],
};
