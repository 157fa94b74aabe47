//! Claude Code, as its documentation describes it. It refuses nothing.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Claude,
    name: "claude",
    title: "Claude Code",
    about: "Claude Code.",
    recorded: "the documents of Claude Code 2.1.240",
    command: "/{name}",
    folders: &[".claude"],
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    accounts: &[CLAUDE_2_1_209],
    ..Reader::USUAL
};

const POLICY: Policy = Policy {
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
    name: seen(Form::Spelled(Spelling::Source), Otherwise::Folder),
    description: seen(Form::Spelled(Spelling::Source), Otherwise::FirstParagraph),
    hides: &[Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// Claude Code 2.1.240.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Claude,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: Effect::List,
    }),
    listing: Listing::Bullets,
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
