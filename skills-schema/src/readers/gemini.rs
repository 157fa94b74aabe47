//! Gemini CLI 0.61.0. It tells nobody why it skips a file.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Gemini,
    name: "gemini",
    title: "Gemini CLI",
    about: "Gemini CLI.",
    recorded: "Gemini CLI 0.61.0",
    command: "/{name}",
    hides_otherwise: "name it under `skills.disabled` in Gemini CLI's settings, which turns it off for all",
    folders: &[".gemini"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    switch: Some(Switch {
        project: &[".gemini/settings.json"],
        home: &[".gemini/settings.json"],
        read: off,
    }),
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity; what no file name may hold becomes a hyphen"),
    required("description", "shown to the model"),
];

const POLICY: Policy = Policy {
    invalid_yaml: Recovers,
    unquoted_colon: Fine,
    duplicate_key: Recovers,
    wrong_type: Recovers,
    multiline_description: Tolerates,
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    notes: &[
        "the skills of a workspace are loaded where its folder is trusted",
        "off: `skills.disabled` (names in any case) or `skills.enabled` in the settings, `/skills disable`",
    ],
    precedence: BOTH,
    folders: &[
        folder(BOTH, ".agents/skills", DIRECT),
        folder(BOTH, ".gemini/skills", DIRECT),
    ],
    skips: &["node_modules"],
    any_case: false,
    takes_root: true,
    below_skills: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::FirstLine,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::LibraryOrLines(Library::JsYaml, LineFormat::Keys(KEYS), KEYS),
    unreadable: Without::Refused(NO_FRONTMATTER),
    empty: Without::Refused(NO_FRONTMATTER),
    no_mapping: Without::Refused(NO_FRONTMATTER),
    rules: &[
        FieldRule {
            missing: Missing::Broken("there is no `name`; Gemini CLI skips the file without a message"),
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken("there is no `description`; Gemini CLI skips the file without a message"),
            ..rule(&["description"])
        },
    ],
    name: seen(TextForm::FileName, Otherwise::Nothing),
    ..Stages::USUAL
};

/// Gemini CLI 0.61.0.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Gemini,
    listing: Some(&LISTING),
    ..Runtime::USUAL
};

const KEYS: &[&str] = &["name", "description"];
const NO_FRONTMATTER: &str = "there is no frontmatter; Gemini CLI skips the file without a message";

fn off(config: &Value) -> Vec<Off> {
    if config.pointer("/skills/enabled") == Some(&Value::Bool(false)) {
        return vec![Off::All];
    }
    names(config, "/skills/disabled", Off::AnyCase)
}

/// Gemini CLI 0.61.0: nothing is escaped.
const LISTING: ListingForm = ListingForm {
    before: "# Available Agent Skills\n\nYou have access to the following specialized skills. To activate a skill and \
             receive its detailed instructions, call the `activate_skill` tool with the skill's name.\n\n\
             <available_skills>\n",
    ..ListingForm::USUAL
};
