//! goose 1.52.0. Only its log file tells why it skips a file.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Goose,
    name: "goose",
    title: "goose",
    about: "goose.",
    recorded: "goose 1.52.0",
    command: "/{name}",
    folders: &[".goose"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; no slash"),
    reads("description", "shown to the model"),
    reads("metadata.argument-hint", "placeholder in the command menu"),
    reads("metadata.arguments", "names for `$name` in the body; a list"),
    reads("metadata", "a mapping; `argument-hint` and `arguments` are read"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    leading_blank_line: Fine,
    no_description: Doubts,
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    notes: &["a folder needs no trust"],
    precedence: BOTH,
    folders: &[
        folder(BOTH, ".agents/skills", DEEP),
        folder(PROJECT, ".goose/skills", DEEP),
        folder(USER, ".config/goose/skills", DEEP),
        folder(BOTH, ".claude/skills", DEEP),
        folder(USER, ".config/agents/skills", DEEP),
    ],
    hidden: true,
    any_case: false,
    takes_root: true,
    below_skills: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("Failed to read skill file {folder}/SKILL.md: stream did not contain valid UTF-8"),
    splitter: Splitter::Cut,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(Library::SerdeStruct),
    unreadable: Without::Refused("Failed to parse skill frontmatter: {error}"),
    no_mapping: Without::Refused("Failed to parse skill frontmatter: it is no mapping"),
    fields: Fields::OpenStruct(
        "Failed to parse skill frontmatter: {error}",
        &[
            ("name", StructType::Text),
            ("description", StructType::Text),
            ("metadata", StructType::Map),
        ],
    ),
    rules: &[FieldRule {
        missing: Missing::Broken(NO_NAME),
        nullable: true,
        tests: &[
            (NotEmpty, NO_NAME, Done),
            (Test::Without('/'), "Skill name '{value}' contains '/', skipping", Done),
        ],
        ..rule(&["name"])
    }],
    description: Seen {
        takes: Takes::Anything,
        form: TextForm::Read,
        otherwise: Otherwise::Empty,
    },
    ..Stages::USUAL
};

/// goose 1.52.0.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Goose,
    listing: Some(&LISTING),
    arguments: Arguments {
        positional: Some(Positional {
            last_takes_rest: false,
            runs_commands: false,
            after: "",
            before_typed: "\n\nARGUMENTS: ",
        }),
        ..Arguments::USUAL
    },
    ..Runtime::USUAL
};

const NO_FRONTMATTER: &str = "there is no frontmatter; goose skips the file without a message";
const NO_NAME: &str = "Skill at '{folder}' is missing a required 'name' in frontmatter, skipping";

/// goose 1.52.0.
const LISTING: ListingForm = ListingForm {
    order: by_name_and_path,
    entry: |it, description, _| format!("• {} - {description}", it.name),
    before: "You have these skills at your disposal, when it is clear they can help you solve a problem or you are \
             asked to use them:\n",
    after: "",
    ..ListingForm::USUAL
};
