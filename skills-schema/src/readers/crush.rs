//! Crush, its source of 2026-08-21. It counts bytes, though its messages say characters.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Crush,
    name: "crush",
    title: "Crush",
    about: "Crush.",
    recorded: "Crush, source of 2026-08-21",
    folders: &[".crush"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    switch: Some(Switch {
        project: &["crush.json", ".crush.json"],
        home: &[".config/crush/crush.json"],
        read: |config| names(config, "/options/disabled_skills", Off::Name),
    }),
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; must equal the folder in any case; at most 64 bytes"),
    required("description", "shown to the model; at most 1,024 bytes"),
    reads("disable-model-invocation", "not listed; the palette may still have it"),
    reads(
        "user-invocable",
        "`true` puts it into the palette; without it the skill is not there",
    )
    .else_value("false"),
    reads("compatibility", "information; at most 500 bytes"),
    reads("metadata", "information; a mapping of texts"),
];

const POLICY: Policy = Policy {
    leading_blank_line: Fine,
    name_unlike_folder: Drops,
    alphabet: Alphabet::AnyCase,
    name_format: Drops,
    limits: &[
        limit("name", 64, Unit::Bytes, Drops),
        limit("description", 1024, Unit::Bytes, Drops),
        limit("compatibility", 500, Unit::Bytes, Drops),
    ],
    ..Policy::USUAL
};

/// Crush, its source of 2026-08-21.
const SEARCH: Search = Search {
    same_name: SameName::LastPath,
    notes: &["off: name a skill under `options.disabled_skills` of crush.json"],
    project: Reach::OpenedAndRepository,
    folders: &[
        folder(BOTH, ".agents/skills", DEEP),
        folder(BOTH, ".claude/skills", DEEP),
        folder(PROJECT, ".crush/skills", DEEP),
        folder(PROJECT, ".cursor/skills", DEEP),
        folder(USER, ".config/agents/skills", DEEP),
        folder(USER, ".config/crush/skills", DEEP),
    ],
    hidden: true,
    any_case: false,
    takes_root: true,
    below_skills: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Lines(Allowed::BlankLines),
    unopened: Without::Refused("no YAML frontmatter found"),
    unclosed: Without::Refused("unclosed frontmatter"),
    yaml: Yaml::Library(Library::GoYaml),
    unreadable: Without::Refused("parsing frontmatter: {error}"),
    no_mapping: Without::Refused("parsing frontmatter: it is no mapping"),
    fields: Fields::OpenStruct(
        "parsing frontmatter: {error}",
        &[
            ("name", StructType::Text),
            ("description", StructType::Text),
            ("license", StructType::Text),
            ("compatibility", StructType::Text),
            ("metadata", StructType::MapOfScalars),
            ("user-invocable", StructType::Boolean),
            ("disable-model-invocation", StructType::Boolean),
        ],
    ),
    rules: &[
        FieldRule {
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
        FieldRule {
            missing: Missing::Broken("description is required"),
            nullable: true,
            tests: &[
                (NotEmpty, "description is required", Done),
                (Bytes(1024), "description exceeds 1024 characters", Done),
            ],
            ..rule(&["description"])
        },
        FieldRule {
            tests: &[(Bytes(500), "compatibility exceeds 500 characters", Done)],
            ..rule(&["compatibility"])
        },
    ],
    tells: Tells::All,
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// Crush, source of 2026-08-21.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Crush,
    listing: Some(&LISTING),
    ..Runtime::USUAL
};

/// Crush, source of 2026-08-21. The fixed text behind its list names no skill and is not part of it here.
const LISTING: ListingForm = ListingForm {
    entry: located_escaped,
    none: "<available_skills>\n</available_skills>",
    ..ListingForm::USUAL
};
