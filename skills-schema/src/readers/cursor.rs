//! Cursor, as its documentation of mid 2026 describes it. What happens to a file that breaks its rules is not stated.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Cursor,
    name: "cursor",
    title: "Cursor",
    about: "Cursor.",
    recorded: "the documents of Cursor, mid 2026",
    command: "/{name}",
    folders: &[".cursor"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "identity; must equal the folder"),
    reads("description", "shown to the model"),
    reads("paths", "listed while a file that matches is read or edited"),
    reads("globs", "read where there is no `paths`"),
    reads("disable-model-invocation", "only by `/name`"),
];

const POLICY: Policy = Policy {
    no_frontmatter: Forbids,
    leading_blank_line: Forbids,
    unclosed: Forbids,
    invalid_yaml: Forbids,
    unquoted_colon: Forbids,
    duplicate_key: Forbids,
    no_name: Forbids,
    no_description: Forbids,
    name_unlike_folder: Forbids,
    alphabet: Alphabet::Ascii,
    name_format: Forbids,
    wrong_type: Recovers,
    file_name_case: Forbids,
    ..Policy::USUAL
};

/// The documents of Cursor, mid 2026. Precedence, links and limits are not stated.
const SEARCH: Search = Search {
    same_name: SameName::Unstated,
    precedence: BOTH,
    folders: &[
        nested(BOTH, ".agents/skills", DEEP),
        nested(BOTH, ".cursor/skills", DEEP),
        folder(BOTH, ".claude/skills", DEEP),
        folder(BOTH, ".codex/skills", DEEP),
    ],
    any_case: false,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Tree,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(Library::JsYaml),
    unreadable: Without::Refused(
        "by its documents the frontmatter is YAML; what Cursor does otherwise is not stated: {error}",
    ),
    no_mapping: Without::Refused(NO_FRONTMATTER),
    rules: &[
        FieldRule {
            missing: Missing::Broken(NO_NAME),
            nullable: true,
            tests: &[
                (NotBlank, NO_NAME, Done),
                (
                    AsciiLetters,
                    "by its documents `name` is lower-case letters, digits and hyphens; what Cursor does otherwise is \
                     not stated",
                    Next,
                ),
                (
                    Folder,
                    "by its documents `name` is that of the folder, `{folder}`; what Cursor does otherwise is not stated",
                    Next,
                ),
            ],
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken(NO_DESCRIPTION),
            nullable: true,
            tests: &[(NotBlank, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
    ],
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// The documents of Cursor, mid 2026.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Cursor,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: OnMatch::List,
    }),
    ..Runtime::USUAL
};

const NO_FRONTMATTER: &str =
    "by its documents a skill starts with frontmatter; what Cursor does otherwise is not stated";
const NO_NAME: &str = "by its documents `name` is required; what Cursor does otherwise is not stated";
const NO_DESCRIPTION: &str = "by its documents `description` is required; what Cursor does otherwise is not stated";
