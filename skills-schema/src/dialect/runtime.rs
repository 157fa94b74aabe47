//! What each reader does with a skill when an agent runs: one row each.
//!
//! Where a product and its documents differ, a dialect has a row for either: what its documents say, which is what our
//! own runtime does, and `current`, what its newest product does. A version is a row where vectors record an older one.

use std::{fmt, time::Duration};

use super::{Dialect, Profile};
use crate::glob::Flavour;

/// How one reader activates, lists and renders skills.
#[derive(Debug)]
pub struct Runtime {
    /// The reader.
    pub dialect: Dialect,
    /// Which account of it.
    pub profile: Profile,
    /// What it does with `paths`; `None` where it does not read them.
    pub paths: Option<Paths>,
    /// What it does with `triggers`; `None` where it does not read them.
    pub triggers: Option<Triggers>,
    /// A flat file without a trigger is always in the context.
    pub is_always_on: bool,
    /// How it tells the model of its skills.
    pub listing: Form,
    /// Whether the listing has a budget.
    pub has_budget: bool,
    /// What it does with `$…` in the body.
    pub arguments: Arguments,
    /// What it does with commands in the body; `None` where it runs nothing.
    pub commands: Option<Commands>,
    /// What it does with `references`; `None` where it does not read them.
    pub references: Option<References>,
}

/// What a reader does with `paths`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// How it reads the patterns.
    pub flavour: Flavour,
    /// What a match does.
    pub effect: Effect,
}

/// What a file that matches does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The skill is listed from then on; without a match the model is not told of it. `**` is no condition.
    List,
    /// The skill's text comes into the context, once in a conversation.
    Inject,
}

/// What a reader does with keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggers {
    /// Where a keyword is found.
    pub matcher: Matcher,
    /// `*` among the keywords means every message; else it is a character.
    pub star_is_always: bool,
    /// How many skills one message activates at most, without those that are always active.
    pub limit: Option<usize>,
    /// A skill comes into a conversation once; else with each message that matches.
    pub is_once: bool,
    /// Which skills take part.
    pub filter: Filter,
    /// `trigger: {type: keyword, keywords: […]}` is read too.
    pub reads_mapping: bool,
    /// A keyword that starts with `regex:` is a regular expression.
    pub reads_regex: bool,
    /// A skill with `paths` keeps its keywords.
    pub beside_paths: bool,
}

/// Where a keyword is found, in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Where no ASCII letter or digit stands before or behind it. An empty keyword is never found.
    Token,
    /// Anywhere. An empty keyword is always found.
    Substring,
}

/// Which skills take part in the choice by keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All.
    All,
    /// Those that define no tools and have a body; others are left out before the best are chosen.
    PureBeforeLimit,
    /// The same, left out of the best that were chosen.
    PureAfterLimit,
}

/// The form of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `<available_skills>` with each tag on a line of its own, and the file's path. skills-ref 0.1.1.
    XmlLines,
    /// `<available_skills>`, indented, without a path. OpenHands 1.58.
    XmlIndented,
    /// `<available_skills>` with path, source and tools. thndrs 0.1.0.
    XmlWithSource,
    /// `- name: description - when_to_use`. Claude Code 2.1.
    Bullets,
    /// `- name (N tools) — description`, 60 lines at most. Wolffish 1.0.263.
    Index,
}

/// What a reader does with `$…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// `$ARGUMENTS`, `$0`, `$name` and `${CLAUDE_…}` are replaced.
    pub are_replaced: bool,
    /// A number without an argument becomes empty; else it stays.
    pub missing_is_empty: bool,
    /// `${name}` of a declared input is replaced.
    pub inputs_are_replaced: bool,
    /// The model is told to ask for inputs that were not given.
    pub asks_for_inputs: bool,
}

/// What a reader does with commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commands {
    /// The program that runs them.
    pub interpreter: &'static str,
    /// `shell` of the skill names the program that runs them.
    pub reads_shell: bool,
    /// How long one may run.
    pub timeout: Duration,
    /// How much of its output is kept.
    pub cap: Cap,
    /// What a failure does.
    pub on_error: OnError,
    /// Standard error comes with the output; else it is dropped where the command succeeds.
    pub merges_stderr: bool,
}

/// How much output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// Unicode scalar values.
    Characters(usize),
    /// Bytes, up to the last whole character.
    Bytes(usize),
}

/// What a command that fails does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The skill is not invoked at all.
    Abort,
    /// Its place holds a note.
    Marker,
}

/// What a reader does with `references`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct References {
    /// The skill's own text comes with its frontmatter.
    pub with_frontmatter: bool,
}

impl Dialect {
    /// What the documents of this reader say, which is what our own runtime does.
    pub fn runtime(self) -> &'static Runtime {
        Runtime::of(self, Profile::Documented)
    }
}

impl Runtime {
    /// Every row.
    pub const ALL: [&'static Runtime; 19] = [
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

    /// The row of a reader and an account of it; what its documents say where that account has none.
    pub fn of(dialect: Dialect, profile: Profile) -> &'static Runtime {
        let row = |profile: Profile| {
            let is_it = |row: &&&Runtime| row.dialect == dialect && row.profile == profile;
            Runtime::ALL.iter().find(is_it).copied()
        };
        // A product that does what its documents say has one row.
        row(profile).or_else(|| row(Profile::Documented)).unwrap_or(&UNIFIED)
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.profile {
            Profile::Documented => write!(f, "{}", self.dialect),
            profile => write!(f, "{}@{}", self.dialect, profile.name()),
        }
    }
}

const NO_ARGUMENTS: Arguments = Arguments {
    are_replaced: false,
    missing_is_empty: false,
    inputs_are_replaced: false,
    asks_for_inputs: false,
};

/// Agent Skills specification and skills-ref 0.1.1: it lists, and says nothing of the rest.
static AGENT_SKILLS: Runtime = Runtime {
    dialect: Dialect::AgentSkills,
    profile: Profile::Documented,
    paths: None,
    triggers: None,
    is_always_on: false,
    listing: Form::XmlLines,
    has_budget: false,
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
    listing: Form::Bullets,
    has_budget: true,
    arguments: Arguments {
        are_replaced: true,
        ..NO_ARGUMENTS
    },
    commands: Some(CLAUDE_COMMANDS),
    references: None,
};

const CLAUDE_COMMANDS: Commands = Commands {
    interpreter: "bash",
    reads_shell: true,
    timeout: Duration::from_secs(120),
    cap: Cap::Characters(30_000),
    on_error: OnError::Abort,
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
    listing: Form::XmlIndented,
    has_budget: false,
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
    listing: Form::XmlWithSource,
    has_budget: false,
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
    listing: Form::Index,
    has_budget: false,
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
    ..AGENT_SKILLS
};

/// GitHub Copilot CLI 1.0.102.
static COPILOT: Runtime = Runtime {
    dialect: Dialect::Copilot,
    ..AGENT_SKILLS
};

/// Visual Studio Code 1.139.1.
static VS_CODE: Runtime = Runtime {
    dialect: Dialect::VsCode,
    ..AGENT_SKILLS
};

/// opencode 1.18.33.
static OPEN_CODE: Runtime = Runtime {
    dialect: Dialect::OpenCode,
    ..AGENT_SKILLS
};

/// pi 1.5.2.
static PI: Runtime = Runtime {
    dialect: Dialect::Pi,
    ..AGENT_SKILLS
};

/// Gemini CLI 0.61.0.
static GEMINI: Runtime = Runtime {
    dialect: Dialect::Gemini,
    ..AGENT_SKILLS
};

/// goose 1.52.0.
static GOOSE: Runtime = Runtime {
    dialect: Dialect::Goose,
    ..AGENT_SKILLS
};

/// Crush, source of 2026-08-21.
static CRUSH: Runtime = Runtime {
    dialect: Dialect::Crush,
    ..AGENT_SKILLS
};

/// The documents of Cursor, mid 2026.
static CURSOR: Runtime = Runtime {
    dialect: Dialect::Cursor,
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: Effect::List,
    }),
    ..AGENT_SKILLS
};

/// Our own reading: everything that can be read beside the rest.
static UNIFIED: Runtime = Runtime {
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
    listing: Form::Bullets,
    has_budget: true,
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

#[cfg(test)]
mod tests {
    use super::super::View;
    use super::*;

    #[test]
    fn a_reader_is_named_with_its_profile() {
        for row in Runtime::ALL {
            let view: View = row.to_string().parse().unwrap();
            assert!(std::ptr::eq(view.runtime(), row), "{row}");
        }
        for (text, expected) in [
            ("openhands@documented", "openhands"),
            ("thndrs@current", "thndrs"),
            ("claude@current", "claude"),
        ] {
            assert_eq!(text.parse::<View>().unwrap().runtime().to_string(), expected);
        }
    }

    #[test]
    fn every_dialect_has_a_row() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.runtime().dialect, dialect);
        }
    }
}
