//! claude.ai and the Skills API, where a skill is uploaded: `quick_validate.py` of `anthropics/skills`, which is run before
//! a skill is packaged, and the platform's documents, which forbid more.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::ClaudeAi,
    name: "claude-ai",
    title: "claude.ai",
    about: "A skill that is uploaded to claude.ai or to the Skills API.",
    recorded: "quick_validate.py of 2026-02 and the documents of the Claude platform",
    on_request: true,
    fields: FIELDS,
    policy: POLICY,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; neither `anthropic` nor `claude` in it"),
    required("description", "shown to the model; no `<` or `>`"),
    reads("allowed-tools", "accepted"),
    reads("license", "information"),
    reads("compatibility", "information; at most 500 characters"),
    reads("metadata", "information"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    duplicate_key: Recovers,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    reserved_words: &["anthropic", "claude"],
    angle_bracket: Drops,
    unknown_field: Drops,
    scalar_for_text: Drops,
    unusable_key: Drops,
    limits: &[
        limit("name", 64, Unit::Characters, Drops),
        limit("description", 1024, Unit::Characters, Drops),
        limit("compatibility", 500, Unit::Characters, Drops),
    ],
    ..Policy::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("'utf-8' codec can't decode the file"),
    splitter: Splitter::FirstLine,
    unopened: Without::Refused("No YAML frontmatter found"),
    unclosed: Without::Refused("Invalid frontmatter format"),
    yaml: Yaml::Library(Library::PyYaml),
    unreadable: Without::Refused("Invalid YAML in frontmatter: {error}"),
    empty: Without::Refused("Frontmatter must be a YAML dictionary"),
    no_mapping: Without::Refused("Frontmatter must be a YAML dictionary"),
    fields: Fields::Only(
        &[
            "allowed-tools",
            "compatibility",
            "description",
            "license",
            "metadata",
            "name",
        ],
        "Unexpected key(s) in SKILL.md frontmatter: {fields}. Allowed properties are: allowed-tools, compatibility, \
         description, license, metadata, name",
    ),
    rules: &[
        FieldRule {
            missing: Missing::Broken("Missing 'name' in frontmatter"),
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken("Missing 'description' in frontmatter"),
            ..rule(&["description"])
        },
        FieldRule {
            form: TextForm::Trimmed,
            tests: &[
                (Test::Text, "Name must be a string", Done),
                (NotEmpty, "by the documents `name` is not empty", Done),
                (
                    AsciiLetters,
                    "Name '{value}' should be kebab-case (lowercase letters, digits, and hyphens only)",
                    Done,
                ),
                (NoHyphenAtEdge, HYPHENS, Done),
                (NoDoubleHyphen, HYPHENS, Done),
                (
                    Characters(64),
                    "Name is too long ({length} characters). Maximum is 64 characters.",
                    Done,
                ),
                (WithoutWord("anthropic"), RESERVED, Done),
                (WithoutWord("claude"), RESERVED, Done),
            ],
            ..rule(&["name"])
        },
        FieldRule {
            form: TextForm::Trimmed,
            tests: &[
                (Test::Text, "Description must be a string", Done),
                (NotEmpty, "by the documents `description` is not empty", Done),
                (Without('<'), BRACKETS, Done),
                (Without('>'), BRACKETS, Done),
                (
                    Characters(1024),
                    "Description is too long ({length} characters). Maximum is 1024 characters.",
                    Done,
                ),
            ],
            ..rule(&["description"])
        },
        FieldRule {
            tests: &[
                (Test::Text, "Compatibility must be a string", Done),
                (NotEmpty, "Compatibility cannot be empty", Done),
                (
                    Characters(500),
                    "Compatibility is too long ({length} characters). Maximum is 500 characters.",
                    Done,
                ),
            ],
            ..rule(&["compatibility"])
        },
    ],
    name: seen(TextForm::Trimmed, Otherwise::Nothing),
    description: seen(TextForm::Trimmed, Otherwise::Nothing),
    ..Stages::USUAL
};

/// Nothing is said of what the model is told.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::ClaudeAi,
    ..Runtime::USUAL
};

const HYPHENS: &str = "Name '{value}' cannot start/end with hyphen or contain consecutive hyphens";
const RESERVED: &str = "by the documents `name` has neither `anthropic` nor `claude` in it";
const BRACKETS: &str = "Description cannot contain angle brackets (< or >)";
