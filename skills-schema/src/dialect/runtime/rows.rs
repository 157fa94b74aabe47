//! The rows: what each reader does, and which version of it.

use std::time::Duration;

use super::{
    Arguments, Beyond, Cap, Commands, Effect, Filter, Form, Matcher, OnError, Paths, Positional, References, Room,
    Runtime, Size, Triggers,
};
use crate::{
    dialect::{Dialect, Profile},
    glob::Flavour,
};

/// Every row.
pub(super) const ALL: [&Runtime; 19] = [
    &AGENT_SKILLS,
    &CLAUDE,
    &CLAUDE_2_1_209,
    &OPEN_HANDS,
    &OPEN_HANDS_CURRENT,
    &THNDRS,
    &WOLFFISH,
    &WOLFFISH_2026_07,
    &WOLFFISH_CURRENT,
    &CODEX,
    &COPILOT,
    &VS_CODE,
    &OPEN_CODE,
    &PI,
    &GEMINI,
    &GOOSE,
    &CRUSH,
    &CURSOR,
    &UNIFIED,
];

const NO_ARGUMENTS: Arguments = Arguments {
    are_replaced: false,
    missing_is_empty: false,
    inputs_are_replaced: false,
    asks_for_inputs: false,
    positional: None,
};

/// Agent Skills specification and skills-ref 0.1.1: it lists, and says nothing of the rest.
static AGENT_SKILLS: Runtime = Runtime {
    dialect: Dialect::AgentSkills,
    profile: Profile::Documented,
    paths: None,
    triggers: None,
    is_always_on: false,
    names_tools: false,
    listing: Form::XmlLines,
    room: None,
    arguments: NO_ARGUMENTS,
    commands: None,
    references: None,
};

/// Claude Code 2.1.240.
static CLAUDE: Runtime = Runtime {
    dialect: Dialect::Claude,
    profile: Profile::Documented,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: Effect::List,
    }),
    triggers: None,
    is_always_on: false,
    names_tools: false,
    listing: Form::Bullets,
    room: Some(HUNDREDTH),
    arguments: Arguments {
        are_replaced: true,
        ..NO_ARGUMENTS
    },
    commands: Some(CLAUDE_COMMANDS),
    references: None,
};

const HUNDREDTH: Room = Room {
    size: Size::Window {
        hundredths: 1,
        unknown: 8_000,
    },
    beyond: Beyond::RankedDescriptions,
};

const CLAUDE_COMMANDS: Commands = Commands {
    interpreter: "bash",
    reads_shell: true,
    timeout: Duration::from_secs(120),
    cap: Cap::Characters(30_000),
    on_error: OnError::Abort,
    trims: true,
    merges_stderr: true,
};

/// The last version that removed a number without an argument.
static CLAUDE_2_1_209: Runtime = Runtime {
    profile: Profile::Version("2.1.209"),
    arguments: Arguments {
        are_replaced: true,
        missing_is_empty: true,
        ..NO_ARGUMENTS
    },
    ..CLAUDE
};

/// OpenHands SDK 1.58 and its documentation.
static OPEN_HANDS: Runtime = Runtime {
    dialect: Dialect::OpenHands,
    profile: Profile::Documented,
    paths: Some(Paths {
        flavour: Flavour::OpenHands,
        effect: Effect::Inject,
    }),
    triggers: Some(OPEN_HANDS_TRIGGERS),
    is_always_on: true,
    names_tools: false,
    listing: Form::XmlIndented,
    room: None,
    arguments: Arguments {
        asks_for_inputs: true,
        ..NO_ARGUMENTS
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
    references: None,
};

const OPEN_HANDS_TRIGGERS: Triggers = Triggers {
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
static OPEN_HANDS_CURRENT: Runtime = Runtime {
    profile: Profile::Current,
    triggers: Some(Triggers {
        reads_mapping: false,
        reads_regex: false,
        ..OPEN_HANDS_TRIGGERS
    }),
    ..OPEN_HANDS
};

/// thndrs 0.1.0.
static THNDRS: Runtime = Runtime {
    dialect: Dialect::Thndrs,
    profile: Profile::Documented,
    paths: None,
    triggers: None,
    is_always_on: false,
    names_tools: false,
    listing: Form::XmlWithSource,
    room: None,
    arguments: NO_ARGUMENTS,
    commands: None,
    references: Some(References { with_frontmatter: true }),
};

/// The documentation of Wolffish.
static WOLFFISH: Runtime = Runtime {
    dialect: Dialect::Wolffish,
    profile: Profile::Documented,
    paths: None,
    triggers: Some(WOLFFISH_TRIGGERS),
    is_always_on: false,
    names_tools: true,
    listing: Form::Index,
    room: None,
    arguments: NO_ARGUMENTS,
    commands: None,
    references: None,
};

const WOLFFISH_TRIGGERS: Triggers = Triggers {
    matcher: Matcher::Substring,
    star_is_always: true,
    limit: Some(3),
    is_once: false,
    filter: Filter::PureBeforeLimit,
    reads_mapping: false,
    reads_regex: false,
    beside_paths: true,
};

/// The last version with keywords: skills with tools take the places of others.
static WOLFFISH_2026_07: Runtime = Runtime {
    profile: Profile::Version("2026-07"),
    triggers: Some(Triggers {
        filter: Filter::PureAfterLimit,
        ..WOLFFISH_TRIGGERS
    }),
    ..WOLFFISH
};

/// Wolffish 1.0.263: the model searches for skills itself.
static WOLFFISH_CURRENT: Runtime = Runtime {
    profile: Profile::Current,
    triggers: None,
    ..WOLFFISH
};

/// Codex CLI 0.169.0.
static CODEX: Runtime = Runtime {
    dialect: Dialect::Codex,
    listing: Form::Roots,
    room: Some(Room {
        size: Size::Window {
            hundredths: 2,
            unknown: 8_000,
        },
        beyond: Beyond::AllDescriptions,
    }),
    ..AGENT_SKILLS
};

/// GitHub Copilot CLI 1.0.102.
static COPILOT: Runtime = Runtime {
    dialect: Dialect::Copilot,
    listing: Form::XmlLevel,
    room: Some(Room {
        size: Size::Characters(15_000),
        beyond: Beyond::LaterDescriptions,
    }),
    ..AGENT_SKILLS
};

/// Visual Studio Code 1.139.1.
static VS_CODE: Runtime = Runtime {
    dialect: Dialect::VsCode,
    listing: Form::XmlFile,
    // Where its tool for skills is on; else the list has no limit.
    room: Some(Room {
        size: Size::Characters(15_000),
        beyond: Beyond::LaterDescriptions,
    }),
    ..AGENT_SKILLS
};

/// opencode 1.18.33.
static OPEN_CODE: Runtime = Runtime {
    dialect: Dialect::OpenCode,
    listing: Form::XmlLoaded,
    arguments: Arguments {
        positional: Some(Positional::OpenCode),
        ..NO_ARGUMENTS
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
    ..AGENT_SKILLS
};

/// pi 1.5.2.
static PI: Runtime = Runtime {
    dialect: Dialect::Pi,
    listing: Form::XmlRead,
    ..AGENT_SKILLS
};

/// Gemini CLI 0.61.0.
static GEMINI: Runtime = Runtime {
    dialect: Dialect::Gemini,
    listing: Form::XmlActivated,
    ..AGENT_SKILLS
};

/// goose 1.52.0.
static GOOSE: Runtime = Runtime {
    dialect: Dialect::Goose,
    listing: Form::Dots,
    arguments: Arguments {
        positional: Some(Positional::Goose),
        ..NO_ARGUMENTS
    },
    ..AGENT_SKILLS
};

/// Crush, source of 2026-08-21.
static CRUSH: Runtime = Runtime {
    dialect: Dialect::Crush,
    listing: Form::XmlViewed,
    ..AGENT_SKILLS
};

/// The documents of Cursor, mid 2026.
static CURSOR: Runtime = Runtime {
    dialect: Dialect::Cursor,
    listing: Form::Unstated,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: Effect::List,
    }),
    ..AGENT_SKILLS
};

/// Our own reading: everything that can be read beside the rest.
pub(super) static UNIFIED: Runtime = Runtime {
    dialect: Dialect::Unified,
    profile: Profile::Documented,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: Effect::List,
    }),
    triggers: Some(Triggers {
        star_is_always: true,
        beside_paths: true,
        ..OPEN_HANDS_TRIGGERS
    }),
    is_always_on: true,
    names_tools: true,
    listing: Form::Bullets,
    room: Some(HUNDREDTH),
    arguments: Arguments {
        are_replaced: true,
        inputs_are_replaced: true,
        ..NO_ARGUMENTS
    },
    commands: Some(CLAUDE_COMMANDS),
    references: Some(References {
        with_frontmatter: false,
    }),
};
