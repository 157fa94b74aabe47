//! OpenHands SDK 1.58.0.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::OpenHands,
    name: "openhands",
    title: "OpenHands",
    about: "OpenHands.",
    recorded: "OpenHands SDK 1.58.0",
    folders: &[".openhands"],
    has_flat_skills: true,
    command_scan: CommandScan::Ticks,
    fields: FIELDS,
    passed_over: PASSED_OVER,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    accounts: &[OPEN_HANDS_CURRENT],
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "identity; must equal the folder").otherwise("the folder's name"),
    reads(
        "description",
        "shown to the model; its middle is cut beyond 1,024 characters",
    )
    .otherwise("the first line of the body"),
    reads(
        "paths",
        "puts the skill into the context when a matching file is touched; wins over `triggers`",
    ),
    reads("allowed-tools", "stored, not enforced; also spelt `allowed_tools`").spelt(&["allowed_tools"]),
    reads(
        "disable-model-invocation",
        "not listed; triggers still put it into the context",
    )
    .spelt(&["disable_model_invocation"]),
    reads(
        "triggers",
        "each a literal text that must stand between non-alphanumeric characters",
    ),
    reads(
        "trigger",
        "documented, but the product never reads it: write `triggers`",
    ),
    reads(
        "inputs",
        "the agent asks for what is missing; `/name` becomes a trigger",
    ),
    reads(
        "mcp_tools",
        "starts the servers; only in a flat `NAME.md`, a `SKILL.md` has `.mcp.json` beside it",
    ),
    reads("license", "information"),
    reads("compatibility", "information"),
    reads("metadata", "information; values become text"),
];

const PASSED_OVER: &[PassedOver] = &[
    PassedOver {
        ours: Tolerates,
        ..passes_over("triggers", When::Beside("paths"), "`paths` takes precedence")
    },
    PassedOver {
        ours: Tolerates,
        ..passes_over("inputs", When::Beside("paths"), "`paths` takes precedence")
    },
    passes_over("mcp_tools", When::InSkill, "move it to `.mcp.json` beside the file"),
];

const POLICY: Policy = Policy {
    no_frontmatter: Doubts,
    invalid_utf8: Drops,
    leading_blank_line: Fine,
    unclosed: Misreads,
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Doubts,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    scalar_for_text: Drops,
    file_name_case: Tolerates,
    invalid_mcp: Drops,
    command_in_code: Recovers,
    command_escape: Some("\\"),
    unusable_key: Drops,
    reserved_keys: ARGUMENTS,
    limits: &[
        limit("name", 64, Unit::Characters, Drops),
        limit("description", 1024, Unit::Characters, Recovers),
    ],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    precedence: &[Source::Configured, Source::Project, Source::User],
    project: Reach::OpenedAndRepository,
    folders: &[
        folder(BOTH, ".agents/skills", MICROAGENTS),
        folder(BOTH, ".openhands/skills", MICROAGENTS),
        folder(BOTH, ".openhands/microagents", MICROAGENTS),
    ],
    hidden: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("'utf-8' codec can't decode the file"),
    splitter: Splitter::Hyphens,
    unopened: Without::NoFields("the file does not start with frontmatter, so all of it is instructions"),
    unclosed: Without::NoFields("nothing closes the frontmatter, so all of the file is instructions"),
    yaml: Yaml::Library(Library::PyYaml),
    unreadable: Without::Refused("{error}"),
    no_mapping: Without::NoFields("frontmatter that is no mapping is passed over"),
    fields: Fields::Arguments(ARGUMENTS),
    rules: &[
        FieldRule {
            missing: Missing::Folder,
            form: TextForm::Spelled(Spelling::Python),
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
        FieldRule {
            tests: &[(List, "Triggers must be a list of strings", Done)],
            ..rule(&["triggers"])
        },
        FieldRule {
            nullable: true,
            tests: &[(TextOrList, "paths must be a string or list", Done)],
            ..rule(&["paths"])
        },
        FieldRule {
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
        FieldRule {
            unless: Some("paths"),
            tests: &[(Texts, "triggers\n  Input should be a valid string", Done)],
            ..rule(&["triggers"])
        },
        FieldRule {
            nullable: true,
            tests: &[(Map, "metadata must be a dictionary", Done)],
            ..rule(&["metadata"])
        },
        FieldRule {
            nullable: true,
            tests: &[(TextOrList, "allowed-tools must be a string or list", Done)],
            ..rule(&["allowed-tools", "allowed_tools"])
        },
        FieldRule {
            nullable: true,
            tests: &[(
                Test::TextOrBytes,
                "1 validation error for Skill\ndescription\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["description"])
        },
        FieldRule {
            nullable: true,
            tests: &[(
                Test::TextOrBytes,
                "1 validation error for Skill\nlicense\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["license"])
        },
        FieldRule {
            nullable: true,
            tests: &[(
                Test::TextOrBytes,
                "1 validation error for Skill\ncompatibility\n  Input should be a valid string",
                Done,
            )],
            ..rule(&["compatibility"])
        },
        FieldRule {
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
    name: seen(TextForm::Spelled(Spelling::Python), Otherwise::Folder),
    shortens: Shortens::Middle(1024),
    hides: &[Hides::ModelInvocationDisabledByWord],
    ..Stages::USUAL
};

/// OpenHands SDK 1.58 and its documentation.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::OpenHands,
    paths: Some(Paths {
        flavour: Flavour::OpenHands,
        effect: OnMatch::Inject,
    }),
    triggers: Some(OPEN_HANDS_TRIGGERS),
    is_always_on: true,
    listing: Some(&LISTING),
    arguments: Arguments {
        asks_for_inputs: true,
        ..Arguments::USUAL
    },
    commands: Some(Commands {
        interpreter: "sh",
        reads_shell: false,
        timeout: Duration::from_secs(10),
        cap: Cap::Bytes(51_200),
        on_error: OnError::Marker,
        trims: true,
        merges_stderr: false,
    }),
    ..Runtime::USUAL
};

pub(super) const OPEN_HANDS_TRIGGERS: Triggers = Triggers {
    matcher: Matcher::Token,
    star_is_always: false,
    limit: None,
    is_once: true,
    filter: Filter::All,
    reads_mapping: true,
    reads_regex: true,
    beside_paths: false,
};

/// The product does not read `trigger:`, and takes every keyword literally.
const OPEN_HANDS_CURRENT: Runtime = Runtime {
    profile: Profile::Current,
    triggers: Some(Triggers {
        reads_mapping: false,
        reads_regex: false,
        ..OPEN_HANDS_TRIGGERS
    }),
    ..RUNTIME
};

/// OpenHands passes the fields of the frontmatter on as arguments, which may not have the names of its own.
const ARGUMENTS: &[&str] = &["self", "content", "handler"];

/// OpenHands 1.58: without a path.
const LISTING: ListingForm = ListingForm {
    description,
    entry,
    none: "<available_skills>\n  no available skills\n</available_skills>",
    ..ListingForm::USUAL
};

/// The longest description that is listed, in characters.
const MAX_DESCRIPTION: usize = 1_024;

/// The description, and how much of the skill it leaves out.
fn description(it: &ListingEntry<'_>, _: usize) -> (String, bool) {
    let (kept, is_cut) = cut(it.description, MAX_DESCRIPTION);
    let left = it.left_out + it.description.chars().count().saturating_sub(MAX_DESCRIPTION);
    if left == 0 {
        return (kept, false);
    }
    let notice = format!(
        "... [{left} characters truncated. Call invoke_skill(name=\"{}\") to load the full skill]",
        it.name
    );
    (format!("{kept}{notice}"), is_cut)
}

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let [name, description] = [it.name, description].map(escaped);
    format!("  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>")
}
