//! pi 1.5.2. What it says of names and lengths are warnings.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Pi,
    name: "pi",
    title: "pi",
    about: "pi.",
    recorded: "pi 1.5.2",
    command: "/skill:{name}",
    folders: &[".pi"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "identity").otherwise("the folder's name"),
    required("description", "shown to the model"),
    reads("disable-model-invocation", "not listed; `/skill:name` still works"),
];

const POLICY: Policy = Policy {
    no_name: Fine,
    alphabet: Alphabet::Ascii,
    // It takes it for loose Markdown, which it loads too.
    file_name_case: Tolerates,
    name_format: Tolerates,
    scalar_for_text: Drops,
    limits: &[
        limit("name", 64, Unit::Characters, Tolerates),
        limit("description", 1024, Unit::Characters, Tolerates),
    ],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    ignores: Ignores::Inside(&[".gitignore", ".ignore", ".fdignore"]),
    notes: &[
        "a project must be trusted; the skills of the person need no trust",
        "off: `--no-skills`, or a pattern with `!` or `-` in the setting `skills`",
    ],
    precedence: BOTH,
    project: Reach::UpToRepository,
    folders: &[
        folder(PROJECT, ".pi/skills", skills(64, Flat::Direct)),
        folder(USER, ".pi/agent/skills", skills(64, Flat::Direct)),
        folder(BOTH, ".agents/skills", skills(64, Flat::Below)),
    ],
    skips: &["node_modules"],
    any_case: false,
    takes_root: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Behind(Behind::Anything),
    unopened: Without::Refused(NO_DESCRIPTION),
    unclosed: Without::Refused(NO_DESCRIPTION),
    yaml: Yaml::Library(Library::Yaml2),
    unreadable: Without::Refused("{error}"),
    empty: Without::Refused(NO_DESCRIPTION),
    no_mapping: Without::Refused(NO_DESCRIPTION),
    rules: &[
        FieldRule {
            missing: Missing::Broken(NO_DESCRIPTION),
            tests: &[(Test::Text, NO_DESCRIPTION, Done), (NotBlank, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
        FieldRule {
            tests: &[(Characters(1024), "description exceeds 1024 characters ({length})", Done)],
            warns: true,
            ..rule(&["description"])
        },
        FieldRule {
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
        form: TextForm::Read,
        otherwise: Otherwise::Folder,
    },
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// pi 1.5.2.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Pi,
    listing: Some(&LISTING),
    ..Runtime::USUAL
};

const NO_DESCRIPTION: &str = "description is required";

/// pi 1.5.2, where its model may read files.
const LISTING: ListingForm = ListingForm {
    entry: located_escaped,
    before: "The following skills provide specialized instructions for specific tasks.\nUse the read tool to load a \
             skill's file when the task matches its description.\nResolve relative paths against the skill's directory \
             (parent of SKILL.md). Use absolute paths in tool calls.\n\n<available_skills>\n",
    ..ListingForm::USUAL
};
