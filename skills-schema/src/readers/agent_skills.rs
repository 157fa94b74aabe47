//! skills-ref 0.1.1.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::AgentSkills,
    name: "agentskills",
    title: "the Agent Skills validator",
    about: "The Agent Skills specification.",
    recorded: "skills-ref 0.1.1",
    is_program: false,
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; must equal the folder"),
    required("description", "shown to the model"),
    reads("allowed-tools", "pre-approved tools, separated by spaces"),
    reads("license", "information"),
    reads("compatibility", "information"),
    reads("metadata", "information; text values"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Unicode,
    name_format: Drops,
    unknown_field: Drops,
    file_name_case: Tolerates,
    yaml_features: Drops,
    limits: &[
        limit("name", 64, Unit::Characters, Drops),
        limit("description", 1024, Unit::Characters, Drops),
        limit("compatibility", 500, Unit::Characters, Drops),
    ],
    ..Policy::USUAL
};

/// The client guide of the Agent Skills specification.
const SEARCH: Search = Search {
    precedence: &[Source::Project, Source::User, Source::Configured],
    folders: &[
        folder(BOTH, ".agents/skills", skills(6, Flat::None)),
        folder(BOTH, ".claude/skills", skills(6, Flat::None)),
    ],
    skips: &["node_modules"],
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("'utf-8' codec can't decode the file"),
    splitter: Splitter::Anywhere,
    unopened: Without::Refused("SKILL.md must start with YAML frontmatter (---)"),
    unclosed: Without::Refused("SKILL.md frontmatter not properly closed with ---"),
    yaml: Yaml::Library(Library::StrictYaml),
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
        FieldRule {
            missing: Missing::Broken("Missing required field in frontmatter: name"),
            form: TextForm::Normalized,
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
        FieldRule {
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
        FieldRule {
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
    name: seen(TextForm::Trimmed, Otherwise::Nothing),
    description: seen(TextForm::Trimmed, Otherwise::Nothing),
    ..Stages::USUAL
};

/// Agent Skills specification and skills-ref 0.1.1: it lists, and says nothing of the rest.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::AgentSkills,
    listing: Some(&LISTING),
    ..Runtime::USUAL
};

/// skills-ref 0.1.1.
const LISTING: ListingForm = ListingForm {
    entry,
    none: "<available_skills>\n</available_skills>",
    ..ListingForm::USUAL
};

/// Each tag is on a line of its own.
fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let [name, description, location] = [it.name, description, it.location].map(quoted);
    format!(
        "<skill>\n<name>\n{name}\n</name>\n<description>\n{description}\n</description>\n<location>\n{location}\n\
         </location>\n</skill>"
    )
}
