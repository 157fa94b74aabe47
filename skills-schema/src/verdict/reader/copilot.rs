//! GitHub Copilot CLI 1.0.102.

use super::{Fields, Hides, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{
            Form, Rule,
            Test::{self, *},
            Then::Done,
        },
        reading::SERDE_VALUE,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Copilot,
    not_utf8: None,
    splitter: Splitter::Markdown,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(&SERDE_VALUE),
    unreadable: Without::Refused("failed to parse YAML frontmatter: {error}"),
    empty: Without::NoFields("the frontmatter is empty; name and description come from the folder and the text"),
    no_mapping: Without::NoFields(
        "the frontmatter is no mapping; name and description come from the folder and the text",
    ),
    fields: Fields::Any,
    rules: &[
        Rule {
            tests: &[
                (Test::Text, "Skill name must be a string", Done),
                (Characters(64), "Skill name must be at most 64 characters", Done),
                (
                    AsciiLabel,
                    "Skill name must start with an ASCII letter or number and contain only ASCII letters (a-z, A-Z), \
                     numbers, hyphens, underscores, dots, colons, and spaces",
                    Done,
                ),
            ],
            ..rule(&["name"])
        },
        Rule {
            tests: &[
                (Test::Text, "Skill description must be a string", Done),
                (
                    Characters(1024),
                    "Skill description must be at most 1024 characters",
                    Done,
                ),
            ],
            ..rule(&["description"])
        },
        Rule {
            tests: &[
                (TextOrList, "allowed-tools must be a string or array of strings", Done),
                (Texts, "allowed-tools must contain only strings", Done),
            ],
            ..rule(&["allowed-tools"])
        },
        Rule {
            tests: &[(Test::Text, "argument-hint must be a string", Done)],
            ..rule(&["argument-hint"])
        },
        Rule {
            tests: &[(Boolean, "disable-model-invocation must be a boolean", Done)],
            ..rule(&["disable-model-invocation"])
        },
        Rule {
            tests: &[(Boolean, "user-invocable must be a boolean", Done)],
            ..rule(&["user-invocable"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Hyphenated, Otherwise::Folder),
    description: seen(Form::Read, Otherwise::FirstWords),
    shortens: Shortens::Never,
    hides: &[Hides::ModelInvocationDisabled],
};

const NO_FRONTMATTER: &str = "missing or malformed YAML frontmatter";
