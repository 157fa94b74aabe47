//! The systems that read skills: one file each, with all that is known of it.
//!
//! A further one is a file here, its two lines below, its name in [`Dialect`], and its recorded rows in
//! `tests/schema/readers.jsonl`.

mod agent_skills;
mod claude;
mod claude_ai;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod gemini;
mod goose;
mod mcp;
mod open_code;
mod open_hands;
mod pi;
mod thndrs;
mod unified;
mod vs_code;
mod wolffish;

use std::fmt;

use crate::{
    reader::{Dialect, Policy, Profile, Reader, Runtime, Search, stages::Without},
    syntax::Command,
};

macro_rules! readers {
    ($($name:ident: $module:ident,)*) => {
        impl Dialect {
            /// All that is known of the system.
            pub const fn reader(self) -> &'static Reader {
                match self {
                    $(Dialect::$name => {
                        static READER: Reader = $module::READER;
                        &READER
                    })*
                }
            }
        }
    };
}

readers! {
    AgentSkills: agent_skills,
    Claude: claude,
    OpenHands: open_hands,
    Thndrs: thndrs,
    Wolffish: wolffish,
    Codex: codex,
    Copilot: copilot,
    VsCode: vs_code,
    OpenCode: open_code,
    Pi: pi,
    Gemini: gemini,
    Goose: goose,
    Crush: crush,
    Cursor: cursor,
    ClaudeAi: claude_ai,
    Mcp: mcp,
    Unified: unified,
}

impl Dialect {
    /// The specification, which all others follow more or less.
    pub const SPECIFICATION: Dialect = Dialect::AgentSkills;

    /// The name in options: `claude`.
    pub fn name(self) -> &'static str {
        self.reader().name
    }

    /// The name in sentences: `Claude Code`.
    pub fn title(self) -> &'static str {
        self.reader().title
    }

    /// Whether it runs a command of a body.
    pub fn runs(self, command: &Command) -> bool {
        command.is_found(self.reader().command_scan)
    }

    /// Whether it drops the backslash before a command, and leaves the rest as it is.
    pub fn unescapes(self, command: &Command) -> bool {
        command.is_escaped(self.reader().command_scan)
    }

    /// Whether it loads a file whose frontmatter it can't read, as if it had none.
    pub fn loads_unreadable(self) -> bool {
        let stages = self.reader().stages.as_ref();
        stages.is_some_and(|stages| !matches!(stages.unreadable, Without::Refused(_)))
    }

    /// Whether it is a program that puts values in the place of `$…` where the text names them: those that count arguments
    /// from 1 have rules of their own.
    pub fn fills_placeholders(self) -> bool {
        self.reader().is_program && self.runtime().arguments.are_replaced
    }

    /// What happens to a file that has something wrong.
    pub fn policy(self) -> &'static Policy {
        &self.reader().policy
    }

    /// Where it looks for skills.
    pub fn search(self) -> &'static Search {
        &self.reader().search
    }

    /// What the documents of this reader say, which is what our own runtime does.
    pub fn runtime(self) -> &'static Runtime {
        Runtime::of(self, Profile::Documented)
    }

    /// What rules hold triggers and patterns against: the newest product, and the documents of one that has neither any
    /// more.
    pub fn checked(self) -> &'static Runtime {
        let current = Runtime::of(self, Profile::Current);
        match (current.triggers, current.paths) {
            (None, None) => self.runtime(),
            _ => current,
        }
    }
}

impl Runtime {
    /// Every profile of every reader.
    pub fn all() -> impl Iterator<Item = &'static Runtime> {
        Dialect::ALL.into_iter().flat_map(|dialect| {
            let reader = dialect.reader();
            std::iter::once(&reader.runtime).chain(reader.accounts)
        })
    }

    /// A profile of a reader; what its documents say where that profile does not differ.
    pub fn of(dialect: Dialect, profile: Profile) -> &'static Runtime {
        let reader = dialect.reader();
        let account = reader.accounts.iter().find(|row| row.profile == profile);
        account.unwrap_or(&reader.runtime)
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.dialect.name();
        match self.profile {
            Profile::Documented => f.write_str(name),
            profile => write!(f, "{name}@{}", profile.name()),
        }
    }
}

/// What the files of the readers say it with.
mod prelude {
    pub(super) use std::{path::PathBuf, time::Duration};

    pub(super) use serde_json::Value;

    pub(super) use crate::{
        glob::Flavour,
        reader::{
            Alphabet, Dialect, HidingFile, Limit,
            Outcome::{Doubts, Drops, Fine, Forbids, Misreads, Recovers, Tolerates},
            Policy, Profile, Reader, Reads, Search, Stages, Switch, Unit,
            fields::{PassedOver, When, passes_over, reads, required},
            limit,
            listing::{
                ListingEntry, ListingForm, Told, apostrophes, by_name_and_path, cut, cut_line, escaped, folder_of,
                located, located_escaped, quoted,
            },
            runtime::{
                Arguments, Beyond, Cap, Commands, Filter, Matcher, OnError, OnMatch, Paths, Positional, References,
                Room, Runtime, Size, Triggers,
            },
            search::{
                BOTH, COLLECTIONS, DEEP, DIRECT, Flat, Holds, Ignores, MANAGED, MICROAGENTS, PROJECT, Reach, SameName,
                Source, USER, folder, nested, skills,
            },
            stages::{
                Allowed, Behind, FieldRule, Fields, Hides, Library, LineFormat, Missing, Otherwise, Repair, Seen,
                Shortens, Spelling, Splitter, StructType, Takes, Tells,
                Test::{self, *},
                TextForm,
                Then::{Done, Next},
                Without, Yaml, rule, seen,
            },
            switch::{Off, names},
        },
        shown::one_line,
        syntax::CommandScan,
    };
}
