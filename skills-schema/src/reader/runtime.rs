//! What each reader does with a skill when an agent runs: one row each.
//!
//! Where a product and its documents differ, a dialect has a row for either: what its documents say, which is what our
//! own runtime does, and `current`, what its newest product does. A version is a row where vectors record an older one.

use std::time::Duration;

use super::{Dialect, Profile, listing::ListingForm};
use crate::glob::Flavour;

/// How one reader activates, lists and renders skills.
#[derive(Debug)]
pub struct Runtime {
    /// The reader.
    pub dialect: Dialect,
    /// Which profile of it.
    pub profile: Profile,
    /// What it does with `paths`; `None` where it does not read them.
    pub paths: Option<Paths>,
    /// What it does with `triggers`; `None` where it does not read them.
    pub triggers: Option<Triggers>,
    /// A flat file without a trigger is always in the context.
    pub is_always_on: bool,
    /// The `tools` of a skill are named to the model, whatever the message is.
    pub names_tools: bool,
    /// How it tells the model of its skills; `None` where its documents don't say.
    pub listing: Option<&'static ListingForm>,
    /// How much the listing may take; `None` where that has no limit.
    pub room: Option<Room>,
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
    pub effect: OnMatch,
}

/// What a file that matches does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMatch {
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

/// How much a listing may take, and what gives way beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How much.
    pub size: Size,
    /// What gives way.
    pub beyond: Beyond,
}

/// The size of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Hundredths of the model's context window, a token being four characters.
    Window {
        /// How many hundredths.
        hundredths: u32,
        /// The characters where the window is not known.
        unknown: usize,
    },
    /// This many characters.
    Characters(usize),
}

/// What gives way where a listing is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The descriptions of what is used least. No name is left out. Claude Code 2.1.
    RankedDescriptions,
    /// All descriptions alike; then they are left out, and then skills from the end. Codex CLI 0.169.0.
    AllDescriptions,
    /// Whatever comes after the listing is full is only named, in one line. GitHub Copilot CLI 1.0.102;
    /// Visual Studio Code 1.139.1, which cuts that line too.
    LaterDescriptions,
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
    /// Arguments are counted from 1, and nothing of the above is done.
    pub positional: Option<Positional>,
}

/// How a reader counts arguments from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positional {
    /// The last number takes all that is left, and `$0` is `undefined`. Else names stand for arguments too, and nothing is
    /// replaced where nothing was typed.
    pub last_takes_rest: bool,
    /// The commands of the text are run.
    pub runs_commands: bool,
    /// What stands behind the text; `{folder}` is the skill's.
    pub after: &'static str,
    /// What stands before all that was typed, where no placeholder took it.
    pub before_typed: &'static str,
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
    /// Spaces around the output are dropped.
    pub trims: bool,
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
    /// Its place is empty.
    Nothing,
}

/// What a reader does with `references`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct References {
    /// The skill's own text comes with its frontmatter.
    pub with_frontmatter: bool,
    /// How many files are loaded.
    pub max_files: usize,
    /// How many bytes all of them have.
    pub max_bytes: usize,
    /// How many bytes one of them has.
    pub max_file_bytes: usize,
    /// How many folders below a declared one are looked into.
    pub max_depth: usize,
}

impl Runtime {
    /// What a system does that only lists its skills; each reader says what else it does.
    pub(crate) const USUAL: Runtime = Runtime {
        dialect: Dialect::Unified,
        profile: Profile::Documented,
        paths: None,
        triggers: None,
        is_always_on: false,
        names_tools: false,
        listing: None,
        room: None,
        arguments: Arguments::USUAL,
        commands: None,
        references: None,
    };
}

impl Arguments {
    /// Nothing is replaced.
    pub(crate) const USUAL: Arguments = Arguments {
        are_replaced: false,
        missing_is_empty: false,
        inputs_are_replaced: false,
        asks_for_inputs: false,
        positional: None,
    };
}
