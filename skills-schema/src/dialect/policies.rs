//! How each reader treats what rules look for: one row each.

use super::{
    Alphabet, Dialect, Limit,
    Outcome::{self, Doubts, Drops, Fine, Misreads, Recovers, Tolerates},
    Policy,
    Unit::{self, Bytes, Characters},
};

/// The row of a dialect.
pub(super) fn of(dialect: Dialect) -> &'static Policy {
    match dialect {
        Dialect::AgentSkills => &AGENT_SKILLS,
        Dialect::Claude => &CLAUDE,
        Dialect::OpenHands => &OPEN_HANDS,
        Dialect::Thndrs => &THNDRS,
        Dialect::Wolffish => &WOLFFISH,
        Dialect::Codex => &CODEX,
        Dialect::Copilot => &COPILOT,
        Dialect::VsCode => &VS_CODE,
        Dialect::OpenCode => &OPEN_CODE,
        Dialect::Pi => &PI,
        Dialect::Gemini => &GEMINI,
        Dialect::Goose => &GOOSE,
        Dialect::Crush => &CRUSH,
        Dialect::Cursor => &CURSOR,
        Dialect::Unified => &UNIFIED,
    }
}

const fn limit(field: &'static str, max: usize, unit: Unit, beyond: Outcome) -> Limit {
    Limit {
        field,
        max,
        unit,
        beyond,
        with: None,
    }
}

/// Nothing is known that keeps a skill from the model.
const NO_WAY: &str = "nothing is known that keeps it from the model";

/// Agent Skills specification and its reference validator skills-ref 0.1.1.
static AGENT_SKILLS: Policy = Policy {
    dialect: Dialect::AgentSkills,
    name: "agentskills",
    title: "the Agent Skills validator",
    recorded: "skills-ref 0.1.1",
    command: "",
    hides_otherwise: NO_WAY,
    folders: &[],
    no_frontmatter: Drops,
    invalid_utf8: Drops,
    leading_blank_line: Drops,
    unclosed: Drops,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Drops,
    no_name: Drops,
    no_description: Drops,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Unicode,
    name_format: Drops,
    unknown_field: Drops,
    wrong_type: Drops,
    scalar_for_text: Fine,
    argument_mismatch: Fine,
    file_name_case: Tolerates,
    invalid_reference: Fine,
    unmet_requirement: Fine,
    invalid_mcp: Fine,
    listing_budget: Fine,
    command_in_code: Fine,
    argument_in_command: Fine,
    command_escape: None,
    yaml_features: Drops,
    unusable_key: Fine,
    reserved_keys: &[],
    limits: &[
        limit("name", 64, Characters, Drops),
        limit("description", 1024, Characters, Drops),
        limit("compatibility", 500, Characters, Drops),
    ],
};

/// Claude Code 2.1.240, as its documentation describes it. Malformed YAML loads the body with empty metadata.
static CLAUDE: Policy = Policy {
    dialect: Dialect::Claude,
    name: "claude",
    title: "Claude Code",
    recorded: "the documents of Claude Code 2.1.240",
    command: "/{name}",
    hides_otherwise: NO_WAY,
    folders: &[".claude"],
    no_frontmatter: Doubts,
    invalid_utf8: Doubts,
    leading_blank_line: Misreads,
    unclosed: Misreads,
    invalid_yaml: Misreads,
    unquoted_colon: Recovers,
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Doubts,
    name_unlike_folder: Tolerates,
    alphabet: Alphabet::Any,
    name_format: Fine,
    unknown_field: Fine,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    argument_mismatch: Recovers,
    file_name_case: Recovers,
    invalid_reference: Fine,
    unmet_requirement: Fine,
    invalid_mcp: Fine,
    listing_budget: Doubts,
    command_in_code: Recovers,
    argument_in_command: Doubts,
    command_escape: None,
    yaml_features: Fine,
    unusable_key: Fine,
    reserved_keys: &[],
    limits: &[
        limit("name", 64, Characters, Tolerates),
        Limit {
            with: Some("when_to_use"),
            ..limit("description", 1536, Characters, Recovers)
        },
        limit("description", 1024, Characters, Tolerates),
        limit("compatibility", 500, Characters, Tolerates),
    ],
};

/// OpenHands passes the fields of the frontmatter on as arguments, which may not have the names of its own.
pub(crate) const OPEN_HANDS_ARGUMENTS: &[&str] = &["self", "content", "handler"];

/// OpenHands SDK 1.58.
static OPEN_HANDS: Policy = Policy {
    dialect: Dialect::OpenHands,
    name: "openhands",
    title: "OpenHands",
    recorded: "OpenHands SDK 1.58.0",
    command: "",
    hides_otherwise: NO_WAY,
    folders: &[".openhands"],
    no_frontmatter: Doubts,
    invalid_utf8: Drops,
    leading_blank_line: Fine,
    unclosed: Misreads,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Doubts,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    unknown_field: Fine,
    wrong_type: Drops,
    scalar_for_text: Drops,
    argument_mismatch: Fine,
    file_name_case: Tolerates,
    invalid_reference: Fine,
    unmet_requirement: Fine,
    invalid_mcp: Drops,
    listing_budget: Fine,
    command_in_code: Recovers,
    argument_in_command: Fine,
    command_escape: Some("\\"),
    yaml_features: Fine,
    unusable_key: Drops,
    reserved_keys: OPEN_HANDS_ARGUMENTS,
    limits: &[
        limit("name", 64, Characters, Drops),
        limit("description", 1024, Characters, Recovers),
    ],
};

/// thndrs 0.1.0. It counts bytes, though its messages say characters.
static THNDRS: Policy = Policy {
    dialect: Dialect::Thndrs,
    name: "thndrs",
    title: "thndrs",
    recorded: "thndrs 0.1.0",
    command: "",
    hides_otherwise: NO_WAY,
    folders: &[".thndrs"],
    no_frontmatter: Drops,
    invalid_utf8: Drops,
    leading_blank_line: Drops,
    unclosed: Drops,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Drops,
    no_name: Drops,
    no_description: Drops,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    unknown_field: Drops,
    wrong_type: Drops,
    scalar_for_text: Tolerates,
    argument_mismatch: Fine,
    file_name_case: Drops,
    invalid_reference: Drops,
    unmet_requirement: Fine,
    invalid_mcp: Fine,
    listing_budget: Fine,
    command_in_code: Fine,
    argument_in_command: Fine,
    command_escape: None,
    yaml_features: Fine,
    unusable_key: Fine,
    reserved_keys: &[],
    limits: &[
        limit("name", 64, Bytes, Drops),
        limit("description", 1024, Bytes, Drops),
    ],
};

/// Wolffish 1.0.263 and its documentation.
static WOLFFISH: Policy = Policy {
    dialect: Dialect::Wolffish,
    name: "wolffish",
    title: "Wolffish",
    recorded: "Wolffish 1.0.263",
    command: "",
    hides_otherwise: NO_WAY,
    folders: &["brain/cerebellum"],
    no_frontmatter: Drops,
    invalid_utf8: Doubts,
    leading_blank_line: Drops,
    unclosed: Drops,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Drops,
    no_name: Drops,
    no_description: Recovers,
    name_unlike_folder: Fine,
    alphabet: Alphabet::Any,
    name_format: Fine,
    unknown_field: Fine,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    argument_mismatch: Fine,
    file_name_case: Drops,
    invalid_reference: Fine,
    unmet_requirement: Recovers,
    invalid_mcp: Fine,
    listing_budget: Fine,
    command_in_code: Fine,
    argument_in_command: Fine,
    command_escape: None,
    yaml_features: Fine,
    unusable_key: Fine,
    reserved_keys: &[],
    limits: &[],
};

/// What most of the other agents do; each row says where it differs.
const OTHER: Policy = Policy {
    dialect: Dialect::Unified,
    name: "",
    title: "",
    recorded: "",
    command: "",
    hides_otherwise: NO_WAY,
    folders: &[],
    no_frontmatter: Drops,
    invalid_utf8: Fine,
    leading_blank_line: Drops,
    unclosed: Drops,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Drops,
    no_name: Drops,
    no_description: Drops,
    name_unlike_folder: Fine,
    alphabet: Alphabet::Any,
    name_format: Fine,
    unknown_field: Fine,
    wrong_type: Drops,
    scalar_for_text: Fine,
    argument_mismatch: Fine,
    file_name_case: Drops,
    invalid_reference: Fine,
    unmet_requirement: Fine,
    invalid_mcp: Fine,
    listing_budget: Fine,
    command_in_code: Fine,
    argument_in_command: Fine,
    command_escape: None,
    yaml_features: Fine,
    unusable_key: Fine,
    reserved_keys: &[],
    limits: &[],
};

/// Codex CLI 0.169.0. It quotes what YAML refuses, and reads the file again.
static CODEX: Policy = Policy {
    dialect: Dialect::Codex,
    name: "codex",
    title: "Codex",
    recorded: "Codex CLI 0.169.0",
    command: "${name}",
    hides_otherwise: "set `policy.allow_implicit_invocation` to false in `agents/openai.yaml` beside the file",
    folders: &[".codex"],
    invalid_utf8: Drops,
    unquoted_colon: Fine,
    no_name: Fine,
    limits: &[limit("name", 64, Characters, Drops)],
    ..OTHER
};

/// GitHub Copilot CLI 1.0.102.
static COPILOT: Policy = Policy {
    dialect: Dialect::Copilot,
    name: "copilot",
    title: "Copilot CLI",
    recorded: "GitHub Copilot CLI 1.0.102",
    command: "/{name}",
    folders: &[".github/skills", ".copilot"],
    no_name: Fine,
    no_description: Doubts,
    alphabet: Alphabet::Label,
    name_format: Drops,
    scalar_for_text: Drops,
    limits: &[
        limit("name", 64, Characters, Drops),
        limit("description", 1024, Characters, Drops),
    ],
    ..OTHER
};

/// Visual Studio Code 1.139.1. It refuses nothing; without a description a skill is only a command.
static VS_CODE: Policy = Policy {
    dialect: Dialect::VsCode,
    name: "vscode",
    title: "VS Code",
    recorded: "Visual Studio Code 1.139.1",
    command: "/{name}",
    no_frontmatter: Misreads,
    leading_blank_line: Misreads,
    unclosed: Misreads,
    invalid_yaml: Recovers,
    unquoted_colon: Fine,
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Misreads,
    name_unlike_folder: Misreads,
    wrong_type: Recovers,
    yaml_features: Recovers,
    limits: &[limit("description", 1024, Characters, Recovers)],
    ..OTHER
};

/// opencode 1.18.33. It runs commands in code spans and fences too, and nothing keeps it from that.
static OPEN_CODE: Policy = Policy {
    dialect: Dialect::OpenCode,
    name: "opencode",
    title: "opencode",
    recorded: "opencode 1.18.33",
    command: "/{name}",
    hides_otherwise: "deny it under `permission.skill` in opencode's configuration",
    folders: &[".opencode"],
    unquoted_colon: Recovers,
    no_description: Misreads,
    scalar_for_text: Drops,
    command_in_code: Recovers,
    argument_in_command: Doubts,
    ..OTHER
};

/// pi 1.5.2.
static PI: Policy = Policy {
    dialect: Dialect::Pi,
    name: "pi",
    title: "pi",
    recorded: "pi 1.5.2",
    command: "/skill:{name}",
    folders: &[".pi"],
    no_name: Fine,
    alphabet: Alphabet::Ascii,
    name_format: Tolerates,
    scalar_for_text: Drops,
    // It takes it for loose Markdown, which it loads too.
    file_name_case: Tolerates,
    limits: &[
        limit("name", 64, Characters, Tolerates),
        limit("description", 1024, Characters, Tolerates),
    ],
    ..OTHER
};

/// Gemini CLI 0.61.0. What YAML refuses it reads line by line.
static GEMINI: Policy = Policy {
    dialect: Dialect::Gemini,
    name: "gemini",
    title: "Gemini CLI",
    recorded: "Gemini CLI 0.61.0",
    command: "/{name}",
    hides_otherwise: "name it under `skills.disabled` in Gemini CLI's settings, which turns it off for all",
    folders: &[".gemini"],
    invalid_yaml: Recovers,
    unquoted_colon: Fine,
    duplicate_key: Recovers,
    wrong_type: Recovers,
    ..OTHER
};

/// goose 1.52.0.
static GOOSE: Policy = Policy {
    dialect: Dialect::Goose,
    name: "goose",
    title: "goose",
    recorded: "goose 1.52.0",
    command: "/{name}",
    folders: &[".goose"],
    invalid_utf8: Drops,
    leading_blank_line: Fine,
    no_description: Doubts,
    ..OTHER
};

/// Crush 0.96.1, its source of 2026-08-21. It counts bytes, though its messages say characters.
static CRUSH: Policy = Policy {
    dialect: Dialect::Crush,
    name: "crush",
    title: "Crush",
    recorded: "Crush, source of 2026-08-21",
    folders: &[".crush"],
    leading_blank_line: Fine,
    name_unlike_folder: Drops,
    alphabet: Alphabet::AnyCase,
    name_format: Drops,
    limits: &[
        limit("name", 64, Bytes, Drops),
        limit("description", 1024, Bytes, Drops),
        limit("compatibility", 500, Bytes, Drops),
    ],
    ..OTHER
};

/// Cursor's documentation of mid 2026. What becomes of a file that breaks its rules is not stated.
static CURSOR: Policy = Policy {
    dialect: Dialect::Cursor,
    name: "cursor",
    title: "Cursor",
    recorded: "the documents of Cursor, mid 2026",
    command: "/{name}",
    folders: &[".cursor"],
    no_frontmatter: Doubts,
    leading_blank_line: Doubts,
    unclosed: Doubts,
    invalid_yaml: Doubts,
    unquoted_colon: Doubts,
    duplicate_key: Doubts,
    no_name: Doubts,
    no_description: Doubts,
    name_unlike_folder: Doubts,
    alphabet: Alphabet::Ascii,
    name_format: Doubts,
    wrong_type: Recovers,
    file_name_case: Doubts,
    ..OTHER
};

/// Our own reading. What makes another reader of the folder drop the file is a warning: see `Facts::readers`.
static UNIFIED: Policy = Policy {
    dialect: Dialect::Unified,
    name: "unified",
    title: "skills-ls",
    recorded: "this version",
    command: "/{name}",
    hides_otherwise: NO_WAY,
    folders: &[],
    no_frontmatter: Drops,
    invalid_utf8: Drops,
    leading_blank_line: Recovers,
    unclosed: Drops,
    invalid_yaml: Drops,
    unquoted_colon: Drops,
    duplicate_key: Recovers,
    no_name: Tolerates,
    no_description: Drops,
    name_unlike_folder: Tolerates,
    alphabet: Alphabet::Ascii,
    name_format: Tolerates,
    unknown_field: Fine,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    argument_mismatch: Recovers,
    file_name_case: Tolerates,
    invalid_reference: Recovers,
    unmet_requirement: Recovers,
    invalid_mcp: Doubts,
    listing_budget: Doubts,
    command_in_code: Fine,
    argument_in_command: Fine,
    command_escape: Some("\\"),
    yaml_features: Fine,
    unusable_key: Tolerates,
    reserved_keys: &[],
    limits: &[
        limit("name", 64, Characters, Tolerates),
        limit("description", 1024, Characters, Tolerates),
        limit("description", 1024, Bytes, Tolerates),
        limit("compatibility", 500, Characters, Tolerates),
    ],
};
