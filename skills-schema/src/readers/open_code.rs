//! opencode 1.18.33.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::OpenCode,
    name: "opencode",
    title: "opencode",
    about: "opencode.",
    recorded: "opencode 1.18.33",
    command: "/{name}",
    hides_otherwise: "deny it under `permission.skill` in opencode's configuration",
    folders: &[".opencode"],
    command_scan: CommandScan::Anywhere,
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    switch: Some(Switch {
        project: &["opencode.json", ".opencode/opencode.json"],
        home: &[".config/opencode/opencode.json"],
        read: off,
    }),
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity and `/name`; must be text"),
    reads("description", "shown to the model").otherwise("only a command"),
];

const POLICY: Policy = Policy {
    unquoted_colon: Recovers,
    no_description: Misreads,
    scalar_for_text: Drops,
    command_in_code: Recovers,
    argument_in_command: Doubts,
    ..Policy::USUAL
};

/// opencode 1.18.33. Which of several skills of one name it takes can change from run to run.
const SEARCH: Search = Search {
    same_name: SameName::Any,
    notes: &[
        "a folder needs no trust",
        "off: `permission.skill` with `deny`; OPENCODE_DISABLE_EXTERNAL_SKILLS passes over `.agents` and `.claude`, \
             OPENCODE_DISABLE_CLAUDE_CODE_SKILLS over `.claude`",
    ],
    precedence: BOTH,
    project: Reach::UpToRepository,
    folders: &[
        folder(PROJECT, ".opencode/skills", DEEP),
        folder(PROJECT, ".opencode/skill", DEEP),
        folder(BOTH, ".agents/skills", DEEP),
        folder(BOTH, ".claude/skills", DEEP),
        folder(USER, ".config/opencode/skills", DEEP),
        folder(USER, ".config/opencode/skill", DEEP),
        folder(USER, ".opencode/skills", DEEP),
    ],
    hidden: true,
    any_case: false,
    takes_root: true,
    below_skills: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Behind(Behind::NoHyphen),
    unopened: Without::Refused("there is no frontmatter; opencode skips the file without a message"),
    unclosed: Without::Refused("there is no frontmatter; opencode skips the file without a message"),
    yaml: Yaml::Repairing(Library::JsYaml3, Repair::Blocks),
    unreadable: Without::Refused("Failed to parse YAML frontmatter: {error}"),
    empty: Without::Refused(NO_NAME),
    no_mapping: Without::Refused(NO_NAME),
    rules: &[
        FieldRule {
            missing: Missing::Broken(NO_NAME),
            tests: &[(Test::Text, NO_NAME, Done)],
            ..rule(&["name"])
        },
        FieldRule {
            tests: &[(
                Test::Text,
                "`description` is no text; opencode skips the file without a message",
                Done,
            )],
            ..rule(&["description"])
        },
    ],
    hides: &[Hides::NoDescription],
    ..Stages::USUAL
};

/// opencode 1.18.33.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::OpenCode,
    listing: Some(&LISTING),
    arguments: Arguments {
        positional: Some(Positional {
            last_takes_rest: true,
            runs_commands: true,
            after: "\n\nBase directory for this skill: {folder}\nRelative paths in this skill (e.g., scripts/, references/) \
                    are relative to this base directory.",
            before_typed: "\n\n",
        }),
        ..Arguments::USUAL
    },
    commands: Some(Commands {
        interpreter: "sh",
        reads_shell: false,
        // It has no limits of its own: these are ours.
        timeout: Duration::from_secs(120),
        cap: Cap::Characters(30_000),
        on_error: OnError::Nothing,
        trims: false,
        merges_stderr: false,
    }),
    ..Runtime::USUAL
};

const NO_NAME: &str = "there is no `name` that is text; opencode skips the file without a message";

fn off(config: &Value) -> Vec<Off> {
    match config.pointer("/permission/skill") {
        Some(Value::String(word)) if word == "deny" => vec![Off::All],
        Some(Value::Object(rules)) => {
            let denied = rules.iter().filter(|(_, word)| *word == "deny");
            denied.map(|(name, _)| Off::Name(name.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// opencode 1.18.33: of an entry only the path is escaped.
const LISTING: ListingForm = ListingForm {
    order: by_name_and_path,
    entry: |it, description, _| located(it.name, description, &apostrophes(it.location)),
    before: "Skills provide specialized instructions and workflows for specific tasks.\nUse the skill tool to load a \
             skill when a task matches its description.\n<available_skills>\n",
    none: "Skills provide specialized instructions and workflows for specific tasks.\nUse the skill tool to load a \
           skill when a task matches its description.\nNo skills are currently available.",
    ..ListingForm::USUAL
};
