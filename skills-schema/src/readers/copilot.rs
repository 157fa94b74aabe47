//! GitHub Copilot CLI 1.0.102.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Copilot,
    name: "copilot",
    title: "Copilot CLI",
    about: "GitHub Copilot CLI.",
    recorded: "GitHub Copilot CLI 1.0.102",
    command: "/{name}",
    folders: &[".github/skills", ".copilot"],
    has_commands: true,
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    switch: Some(Switch {
        project: &[],
        home: &[".copilot/config.json", ".copilot/settings.json"],
        read: |config| names(config, "/disabledSkills", Off::Name),
    }),
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "identity; at most 64 characters").otherwise("the folder's name"),
    reads("description", "shown to the model; at most 1,024 characters").otherwise("the first paragraph of the body"),
    reads("allowed-tools", "granted for the skill; a text or a list of texts"),
    reads("argument-hint", "placeholder in the command menu; must be text"),
    reads("disable-model-invocation", "not listed, and not found by the model"),
    reads("user-invocable", "`false` hides `/name`"),
];

const POLICY: Policy = Policy {
    no_name: Fine,
    no_description: Doubts,
    alphabet: Alphabet::Label,
    name_format: Drops,
    scalar_for_text: Drops,
    limits: &[
        limit("name", 64, Unit::Characters, Drops),
        limit("description", 1024, Unit::Characters, Drops),
    ],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    notes: &[
        "a folder must be trusted before a session loads its skills",
        "off: `copilot skill disable NAME`, or the setting `disabledSkills`",
    ],
    precedence: BOTH,
    project: Reach::UpToRepository,
    folders: &[
        folder(PROJECT, ".github/skills", DEEP),
        folder(USER, ".copilot/skills", DEEP),
        folder(BOTH, ".agents/skills", DEEP),
        folder(PROJECT, ".claude/skills", DEEP),
    ],
    any_case: false,
    // One in the folder itself hides all others.
    takes_root: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Rust,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(Library::SerdeValue),
    unreadable: Without::Refused("failed to parse YAML frontmatter: {error}"),
    empty: Without::NoFields("the frontmatter is empty; name and description come from the folder and the text"),
    no_mapping: Without::NoFields(
        "the frontmatter is no mapping; name and description come from the folder and the text",
    ),
    rules: &[
        FieldRule {
            form: TextForm::Trimmed,
            tests: &[
                (Test::Text, "Skill name must be a string", Done),
                (Characters(64), "Skill name must be at most 64 characters", Done),
                (
                    AsciiLabel,
                    "Skill name must start with an ASCII letter or number and contain only ASCII letters (a-z, A-Z), \
                     numbers, hyphens, underscores, dots, colons, and spaces",
                    Done,
                ),
            ],
            ..rule(&["name"])
        },
        FieldRule {
            tests: &[
                (Test::Text, "Skill description must be a string", Done),
                (
                    Characters(1024),
                    "Skill description must be at most 1024 characters",
                    Done,
                ),
            ],
            ..rule(&["description"])
        },
        FieldRule {
            tests: &[
                (TextOrList, "allowed-tools must be a string or array of strings", Done),
                (Texts, "allowed-tools must contain only strings", Done),
            ],
            ..rule(&["allowed-tools"])
        },
        FieldRule {
            tests: &[(Test::Text, "argument-hint must be a string", Done)],
            ..rule(&["argument-hint"])
        },
        FieldRule {
            tests: &[(Boolean, "disable-model-invocation must be a boolean", Done)],
            ..rule(&["disable-model-invocation"])
        },
        FieldRule {
            tests: &[(Boolean, "user-invocable must be a boolean", Done)],
            ..rule(&["user-invocable"])
        },
    ],
    name: seen(TextForm::Hyphenated, Otherwise::Folder),
    description: seen(TextForm::Read, Otherwise::FirstWords),
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// GitHub Copilot CLI 1.0.102.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Copilot,
    listing: Some(&LISTING),
    room: Some(Room {
        size: Size::Characters(15_000),
        beyond: Beyond::LaterDescriptions,
    }),
    ..Runtime::USUAL
};

const NO_FRONTMATTER: &str = "missing or malformed YAML frontmatter";

/// GitHub Copilot CLI 1.0.102: with the level of the skill, such as `project`.
const LISTING: ListingForm = ListingForm {
    entry,
    before: "<skill>\n<available_skills>\n",
    after: "\n</available_skills>{named}\n</skill>",
    ..ListingForm::USUAL
};

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let [name, description, source] = [it.name, description, it.source].map(apostrophes);
    format!(
        "<skill>\n  <name>{name}</name>\n  <description>{description}</description>\n  <location>{source}</location>\n\
         </skill>"
    )
}
