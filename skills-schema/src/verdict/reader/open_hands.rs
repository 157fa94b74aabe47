//! OpenHands SDK 1.58.0.

use super::{Fields, Hides, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::{Dialect, OPEN_HANDS_ARGUMENTS},
    verdict::{
        check::{
            Form, Missing, Rule,
            Test::{self, *},
            Then::{Done, Next},
        },
        reading::PYYAML,
        splitter::Splitter,
        value::Spelling,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::OpenHands,
    not_utf8: Some("'utf-8' codec can't decode the file"),
    splitter: Splitter::Hyphens,
    unopened: Without::NoFields("the file does not start with frontmatter, so all of it is instructions"),
    unclosed: Without::NoFields("nothing closes the frontmatter, so all of the file is instructions"),
    yaml: Yaml::Library(&PYYAML),
    unreadable: Without::Refused("{error}"),
    empty: Without::NoFields("the frontmatter is empty"),
    no_mapping: Without::NoFields("frontmatter that is no mapping is passed over"),
    fields: Fields::Arguments(OPEN_HANDS_ARGUMENTS),
    rules: &[
        Rule {
            missing: Missing::Folder,
            form: Form::Spelled(Spelling::Python),
            tests: &[
                (NotEmpty, "Name cannot be empty", Done),
                (Characters(64), "Name exceeds 64 characters: {length}", Next),
                (
                    Kebab,
                    "Name must be lowercase alphanumeric with single hyphens (e.g., 'my-skill', 'pdf-tools')",
                    Next,
                ),
                (Folder, "Name '{value}' does not match directory '{folder}'", Next),
            ],
            prefix: "Invalid skill name '{value}': ",
            ..rule(&["name"])
        },
        Rule {
            tests: &[(List, "Triggers must be a list of strings", Done)],
            ..rule(&["triggers"])
        },
        Rule {
            nullable: true,
            tests: &[(TextOrList, "paths must be a string or list", Done)],
            ..rule(&["paths"])
        },
        Rule {
            unless: Some("paths"),
            tests: &[
                (List, "inputs must be a list", Done),
                (
                    MapsWith(&["name", "description"]),
                    "inputs must have a name and a description",
                    Done,
                ),
            ],
            ..rule(&["inputs"])
        },
        Rule {
            unless: Some("paths"),
            tests: &[(Texts, "triggers\n  Input should be a valid string", Done)],
            ..rule(&["triggers"])
        },
        Rule {
            nullable: true,
            tests: &[(Map, "metadata must be a dictionary", Done)],
            ..rule(&["metadata"])
        },
        Rule {
            nullable: true,
            tests: &[(TextOrList, "allowed-tools must be a string or list", Done)],
            ..rule(&["allowed-tools", "allowed_tools"])
        },
        Rule {
            nullable: true,
            tests: &[(
                Test::Text,
                "1 validation error for Skill\ndescription\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["description"])
        },
        Rule {
            nullable: true,
            tests: &[(
                Test::Text,
                "1 validation error for Skill\nlicense\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["license"])
        },
        Rule {
            nullable: true,
            tests: &[(
                Test::Text,
                "1 validation error for Skill\ncompatibility\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["compatibility"])
        },
        Rule {
            nullable: true,
            tests: &[(
                BooleanLike,
                "1 validation error for Skill\ndisable_model_invocation\n  Input should be a valid boolean, unable \
                 to interpret input",
                Done,
            )],
            ..rule(&["disable-model-invocation", "disable_model_invocation"])
        },
    ],
    tells: Tells::First,
    name: seen(Form::Spelled(Spelling::Python), Otherwise::Folder),
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Middle(1024),
    hides: &[Hides::ModelInvocationDisabledByWord],
};
