//! thndrs 0.1.0. It counts bytes, though its messages say characters.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Thndrs,
    name: "thndrs",
    title: "thndrs",
    about: "thndrs.",
    recorded: "thndrs 0.1.0",
    folders: &[".thndrs"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; must equal the folder; at most 64 bytes"),
    required("description", "shown to the model; at most 1,024 bytes"),
    reads(
        "allowed-tools",
        "shown in the listing; a text is one tool, so use a list",
    ),
    reads(
        "references",
        "loaded when the skill is activated: 24 files, 64 KiB, three folders deep at most",
    ),
    reads("license", "information"),
    reads("compatibility", "information"),
    reads("metadata", "information"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    unknown_field: Drops,
    scalar_for_text: Tolerates,
    invalid_reference: Drops,
    limits: &[
        limit("name", 64, Unit::Bytes, Drops),
        limit("description", 1024, Unit::Bytes, Drops),
    ],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    precedence: &[Source::User, Source::Project, Source::Configured],
    project: Reach::Repository,
    folders: &[
        folder(BOTH, ".thndrs/skills", COLLECTIONS),
        folder(BOTH, ".agents/skills", COLLECTIONS),
        folder(BOTH, ".claude/skills", COLLECTIONS),
        folder(BOTH, ".codex/skills", COLLECTIONS),
        folder(BOTH, ".pi/skills", COLLECTIONS),
        folder(BOTH, ".pi/agent/skills", COLLECTIONS),
    ],
    skips: &["node_modules", "target", "dist", "build"],
    any_case: false,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("failed to read SKILL.md: stream did not contain valid UTF-8"),
    splitter: Splitter::Markdown,
    unopened: Without::Refused("missing YAML frontmatter"),
    unclosed: Without::Refused("missing YAML frontmatter"),
    yaml: Yaml::Library(Library::SerdeYaml),
    unreadable: Without::Refused("invalid YAML frontmatter: {error}"),
    no_mapping: Without::Refused("invalid YAML frontmatter: invalid type, expected struct Frontmatter"),
    fields: Fields::Struct(
        "invalid YAML frontmatter: {error}",
        &[
            ("name", StructType::Text),
            ("description", StructType::Text),
            ("allowed-tools", StructType::TextOrTexts),
            ("license", StructType::Text),
            ("compatibility", StructType::Text),
            ("metadata", StructType::Json),
            ("references", StructType::Any),
        ],
    ),
    rules: &[
        FieldRule {
            missing: Missing::Broken("frontmatter name is required"),
            nullable: true,
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken("frontmatter description is required"),
            nullable: true,
            ..rule(&["description"])
        },
        FieldRule {
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
        FieldRule {
            tests: &[
                (NotBlank, "frontmatter description is required", Done),
                (Bytes(1024), "description exceeds 1024 characters", Done),
            ],
            ..rule(&["description"])
        },
        FieldRule {
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
    ..Stages::USUAL
};

/// thndrs 0.1.0.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Thndrs,
    listing: Some(&LISTING),
    references: Some(REFERENCES),
    ..Runtime::USUAL
};

pub(super) const REFERENCES: References = References {
    with_frontmatter: true,
    max_files: 24,
    max_bytes: 64 << 10,
    max_file_bytes: 16 << 10,
    max_depth: 3,
};

/// thndrs 0.1.0: with path, source and tools.
const LISTING: ListingForm = ListingForm {
    entry,
    before: "These skills are available. Read the file at a skill's location when the task fits its \
             description.\n<available_skills>\n",
    ..ListingForm::USUAL
};

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let tools = it.allowed_tools.join(", ");
    let [name, description, location, source, tools] =
        [it.name, description, it.location, it.source, &tools].map(quoted);
    let tools = match tools.as_str() {
        "" => String::new(),
        tools => format!("\n    <allowed_tools>{tools}</allowed_tools>"),
    };
    format!(
        "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
         <location>{location}</location>\n    <source>{source}</source>{tools}\n  </skill>"
    )
}
