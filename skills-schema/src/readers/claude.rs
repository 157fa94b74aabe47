//! Claude Code, as its documentation describes it. It refuses nothing.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Claude,
    name: "claude",
    title: "Claude Code",
    about: "Claude Code.",
    recorded: "the documents of Claude Code 2.1.240",
    command: "/{name}",
    built_in: BUILT_IN,
    folders: &[".claude"],
    name_is_label: true,
    has_commands: true,
    has_subagents: true,
    command_scan: CommandScan::Spaced,
    fields: FIELDS,
    passed_over: PASSED_OVER,
    has_known_tools: true,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    accounts: &[CLAUDE_2_1_209],
    ..Reader::USUAL
};

const BUILT_IN: &[&str] = &[
    "add-dir",
    "agents",
    "bg",
    "bug",
    "clear",
    "compact",
    "config",
    "context",
    "cost",
    "doctor",
    "effort",
    "exit",
    "export",
    "fast",
    "feedback",
    "fork",
    "help",
    "hooks",
    "ide",
    "init",
    "login",
    "logout",
    "mcp",
    "memory",
    "model",
    "permissions",
    "plan",
    "plugin",
    "quit",
    "rename",
    "resume",
    "rewind",
    "settings",
    "skills",
    "stats",
    "status",
    "statusline",
    "tasks",
    "theme",
    "usage",
    "vim",
];

const FIELDS: &[Reads] = &[
    reads("name", "a label; the command is named after the folder").otherwise("the folder's name"),
    reads(
        "description",
        "shown to the model, cut at 1,536 characters together with `when_to_use`",
    )
    .otherwise("the first paragraph of the body"),
    reads(
        "when_to_use",
        "appended to the description; both together are cut at 1,536 characters",
    ),
    reads(
        "paths",
        "hides the skill until a matching file is read; `**` alone means always",
    ),
    reads(
        "allowed-tools",
        "granted for the turn; separated by spaces or commas, or a list",
    ),
    reads("disallowed-tools", "removed until the next message of the user").since("2.1.152"),
    reads("argument-hint", "placeholder in the command menu"),
    reads(
        "arguments",
        "names for `$name` in the body; separated by spaces, or a list",
    ),
    reads(
        "disable-model-invocation",
        "not listed, and refused to the model; `/name` still works",
    )
    .else_value("false"),
    reads("user-invocable", "`false` hides `/name`").else_value("true"),
    reads("context", "`fork` runs a subagent")
        .since("2.1.0")
        .otherwise("the conversation"),
    reads("agent", "the agent type")
        .since("2.1.0")
        .else_value("general-purpose"),
    reads("background", "`false` waits for the fork")
        .since("2.1.218")
        .else_value("true"),
    reads("model", "for the rest of the turn, or for the fork").else_value("inherit"),
    reads("effort", "overrides the effort of the session")
        .since("2.1.80")
        .otherwise("the effort of the session"),
    reads(
        "hooks",
        "registered when the skill is invoked, for the rest of the session",
    )
    .since("2.1.0"),
    reads("shell", "runs the `` !`command` `` lines of the body").else_value("bash"),
    reads("license", "accepted, not used"),
    reads("compatibility", "accepted, not used"),
    reads("metadata", "accepted, not used"),
    reads("version", "information"),
    reads("display-name", "for plugins; other spellings since 2.1.186").spelt(&["displayName", "display_name"]),
    reads("default-enabled", "for plugins; other spellings since 2.1.186")
        .spelt(&["defaultEnabled", "default_enabled"]),
    reads("fallback", "for plugins"),
];

const PASSED_OVER: &[PassedOver] = &[
    PassedOver {
        repair: FORK,
        ..passes_over("agent", When::Without("context"), "it needs `context: fork`")
    },
    PassedOver {
        repair: FORK,
        ..passes_over("background", When::Without("context"), "it needs `context: fork`")
    },
    passes_over("name", When::InCommand, "a command is named after its file"),
    passes_over("paths", When::InCommand, "commands are always available"),
];

const FORK: Option<(&str, &str)> = Some(("Run the skill in a fork", "context: fork"));

const POLICY: Policy = Policy {
    no_frontmatter: Doubts,
    invalid_utf8: Doubts,
    leading_blank_line: Misreads,
    unclosed: Misreads,
    invalid_yaml: Misreads,
    unquoted_colon: Recovers,
    colon_read_since: Some("2.1.69"),
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Doubts,
    name_unlike_folder: Tolerates,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    argument_mismatch: Recovers,
    file_name_case: Recovers,
    listing_budget: Doubts,
    command_in_code: Recovers,
    argument_in_command: Doubts,
    limits: &[
        limit("name", 64, Unit::Characters, Tolerates),
        Limit {
            with: Some("when_to_use"),
            ..limit("description", 1536, Unit::Characters, Recovers)
        },
        limit("description", 1024, Unit::Characters, Tolerates),
        limit("compatibility", 500, Unit::Characters, Tolerates),
    ],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    precedence: &[Source::Managed, Source::User, Source::Project],
    project: Reach::UpToRepository,
    folders: &[
        nested(MANAGED, ".claude/skills", DIRECT),
        folder(MANAGED, ".claude/commands", Holds::Commands),
    ],
    any_case: false,
    plugins: true,
    bundles: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Tree,
    unopened: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
    unclosed: Without::Loads("nothing closes the frontmatter, so all of the file is instructions"),
    yaml: Yaml::Recovering(Library::Claude),
    unreadable: Without::Loads("malformed YAML loads with empty metadata: {error}"),
    empty: Without::Loads("the frontmatter is empty"),
    no_mapping: Without::Loads("frontmatter that is no mapping loads with empty metadata"),
    name: seen(TextForm::Spelled(Spelling::Source), Otherwise::Folder),
    description: seen(TextForm::Spelled(Spelling::Source), Otherwise::FirstParagraph),
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// Claude Code 2.1.240.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Claude,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: OnMatch::List,
    }),
    listing: Some(&LISTING),
    room: Some(HUNDREDTH),
    arguments: Arguments {
        are_replaced: true,
        ..Arguments::USUAL
    },
    commands: Some(CLAUDE_COMMANDS),
    ..Runtime::USUAL
};

pub(super) const HUNDREDTH: Room = Room {
    size: Size::Window {
        hundredths: 1,
        unknown: 8_000,
    },
    beyond: Beyond::RankedDescriptions,
};

pub(super) const CLAUDE_COMMANDS: Commands = Commands {
    interpreter: "bash",
    reads_shell: true,
    timeout: Duration::from_secs(120),
    cap: Cap::Characters(30_000),
    on_error: OnError::Abort,
    trims: true,
    merges_stderr: true,
};

/// The last version that removed a number without an argument.
const CLAUDE_2_1_209: Runtime = Runtime {
    profile: Profile::Version("2.1.209"),
    arguments: Arguments {
        are_replaced: true,
        missing_is_empty: true,
        ..Arguments::USUAL
    },
    ..RUNTIME
};

/// Claude Code 2.1.
pub(super) const LISTING: ListingForm = ListingForm {
    description,
    entry,
    before: "The following skills are available for use with the Skill tool:\n\n",
    after: "",
    ..ListingForm::USUAL
};

/// The description and `when_to_use`, cut together.
fn description(it: &ListingEntry<'_>, most: usize) -> (String, bool) {
    let parts = [it.description, it.when_to_use].map(one_line);
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    cut(&parts.join(" - "), most)
}

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let colon = if description.is_empty() { "" } else { ": " };
    format!("- {}{colon}{description}", one_line(it.name))
}
