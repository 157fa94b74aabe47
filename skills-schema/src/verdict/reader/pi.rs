//! pi 1.5.2. What it says of names and lengths are warnings.

use super::{Fields, Hides, Otherwise, Reader, Seen, Shortens, Takes, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{
            Form, Missing, Rule,
            Test::{self, *},
            Then::{Done, Next},
        },
        reading::YAML_2,
        splitter::{Behind, Splitter},
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::Pi,
    not_utf8: None,
    splitter: Splitter::Behind(Behind::Anything),
    unopened: Without::Refused(NO_DESCRIPTION),
    unclosed: Without::Refused(NO_DESCRIPTION),
    yaml: Yaml::Library(&YAML_2),
    unreadable: Without::Refused("{error}"),
    empty: Without::Refused(NO_DESCRIPTION),
    no_mapping: Without::Refused(NO_DESCRIPTION),
    fields: Fields::Any,
    rules: &[
        Rule {
            missing: Missing::Broken(NO_DESCRIPTION),
            tests: &[(Test::Text, NO_DESCRIPTION, Done), (NotBlank, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
        Rule {
            tests: &[(Characters(1024), "description exceeds 1024 characters ({length})", Done)],
            warns: true,
            ..rule(&["description"])
        },
        Rule {
            missing: Missing::Folder,
            tests: &[
                (Characters(64), "name exceeds 64 characters ({length})", Next),
                (
                    AsciiLetters,
                    "name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)",
                    Next,
                ),
                (NoHyphenAtEdge, "name must not start or end with a hyphen", Next),
                (NoDoubleHyphen, "name must not contain consecutive hyphens", Next),
            ],
            warns: true,
            ..rule(&["name"])
        },
    ],
    tells: Tells::All,
    name: Seen {
        takes: Takes::Text,
        form: Form::Read,
        otherwise: Otherwise::Folder,
    },
    description: seen(Form::Read, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[Hides::ModelInvocationDisabled],
};

const NO_DESCRIPTION: &str = "description is required";
