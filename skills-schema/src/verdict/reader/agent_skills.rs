//! skills-ref 0.1.1.

use super::{Fields, Otherwise, Reader, Shortens, Tells, Without, Yaml, rule, seen};
use crate::{
    dialect::Dialect,
    verdict::{
        check::{
            Form, Missing, Rule,
            Test::{self, *},
            Then::{Done, Next},
        },
        reading::STRICTYAML,
        splitter::Splitter,
    },
};

pub(super) const ROW: Reader = Reader {
    dialect: Dialect::AgentSkills,
    not_utf8: Some("'utf-8' codec can't decode the file"),
    splitter: Splitter::Anywhere,
    unopened: Without::Refused("SKILL.md must start with YAML frontmatter (---)"),
    unclosed: Without::Refused("SKILL.md frontmatter not properly closed with ---"),
    yaml: Yaml::Library(&STRICTYAML),
    unreadable: Without::Refused("Invalid YAML in frontmatter: {error}"),
    empty: Without::Refused("SKILL.md frontmatter must be a YAML mapping"),
    no_mapping: Without::Refused("SKILL.md frontmatter must be a YAML mapping"),
    fields: Fields::Only(
        &[
            "allowed-tools",
            "compatibility",
            "description",
            "license",
            "metadata",
            "name",
        ],
        "Unexpected fields in frontmatter: {fields}. Only ['allowed-tools', 'compatibility', 'description', \
         'license', 'metadata', 'name'] are allowed.",
    ),
    rules: &[
        Rule {
            missing: Missing::Broken("Missing required field in frontmatter: name"),
            form: Form::Normalized,
            tests: &[
                (Filled, "Field 'name' must be a non-empty string", Done),
                (
                    Characters(64),
                    "Skill name '{value}' exceeds 64 character limit ({length} chars)",
                    Next,
                ),
                (Lowercase, "Skill name '{value}' must be lowercase", Next),
                (NoHyphenAtEdge, "Skill name cannot start or end with a hyphen", Next),
                (NoDoubleHyphen, "Skill name cannot contain consecutive hyphens", Next),
                (
                    Letters,
                    "Skill name '{value}' contains invalid characters. Only letters, digits, and hyphens are allowed.",
                    Next,
                ),
                (
                    Folder,
                    "Directory name '{folder}' must match skill name '{value}'",
                    Next,
                ),
            ],
            ..rule(&["name"])
        },
        Rule {
            missing: Missing::Broken("Missing required field in frontmatter: description"),
            tests: &[
                (Filled, "Field 'description' must be a non-empty string", Done),
                (
                    Characters(1024),
                    "Description exceeds 1024 character limit ({length} chars)",
                    Next,
                ),
            ],
            ..rule(&["description"])
        },
        Rule {
            tests: &[
                (Test::Text, "Field 'compatibility' must be a string", Done),
                (
                    Characters(500),
                    "Compatibility exceeds 500 character limit ({length} chars)",
                    Next,
                ),
            ],
            ..rule(&["compatibility"])
        },
    ],
    tells: Tells::All,
    name: seen(Form::Trimmed, Otherwise::Nothing),
    description: seen(Form::Trimmed, Otherwise::Nothing),
    shortens: Shortens::Never,
    hides: &[],
};
