//! What can be said of a system that reads skills: the words in which `readers` says it, a file each.

pub mod fields;
pub mod listing;
mod policy;
pub mod runtime;
pub mod search;
pub(crate) mod stages;
pub mod switch;

pub use fields::{Fallback, PassedOver, Reads, When};
pub(crate) use policy::limit;
pub use policy::{Alphabet, Limit, Outcome, Policy, Unit};
pub use runtime::Runtime;
pub use search::Search;
pub(crate) use stages::Stages;
pub use switch::{Off, Switch};

use crate::syntax::CommandScan;

/// All that is known of one system that reads skills.
#[derive(Debug)]
pub struct Reader {
    /// Which one it is.
    pub dialect: Dialect,
    /// Its name in options and messages for programs.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// What it is, for a person who chooses one.
    pub about: &'static str,
    /// What all of this was recorded from, and which version of it.
    pub recorded: &'static str,
    /// Nobody checks for it who does not name it: it is no agent that finds skills in a workspace.
    pub on_request: bool,
    /// What a person types to call a skill, with `{name}` in it; empty where there is no such command.
    pub command: &'static str,
    /// Commands of its own: a skill of that name can't be called by it.
    pub built_in: &'static [&'static str],
    /// How it is kept from telling its model of a skill, where it does not read `disable-model-invocation`.
    pub hides_otherwise: &'static str,
    /// Folders whose files it owns, as consecutive path components.
    pub folders: &'static [&'static str],
    /// It is a program that reads skills: no specification, and not our own reading.
    pub is_program: bool,
    /// The file beside a skill that keeps it from its model, where there is one.
    pub hiding_file: Option<HidingFile>,
    /// Its tools are those of [`vocabulary`](crate::vocabulary).
    pub has_known_tools: bool,
    /// The tools that a body names behind `#tool:`; empty where it reads no such names.
    pub tool_references: &'static [&'static str],
    /// A plugin's manifest above a folder of skills gives them other names.
    pub plugin_renames: bool,
    /// A skill is called after its folder, and `name` is only a label.
    pub name_is_label: bool,
    /// It has commands, `NAME.md` in a folder of its own.
    pub has_commands: bool,
    /// It has subagents, which may list skills.
    pub has_subagents: bool,
    /// It reads plain files in a folder of skills.
    pub has_flat_skills: bool,
    /// Which commands of a body it runs.
    pub command_scan: CommandScan,
    /// Where it looks for skills, and which of several of one name it takes.
    pub search: Search,
    /// Where its configuration turns skills off: they are found, and not loaded.
    pub switch: Option<Switch>,
    /// The fields that it reads; each has its row in `fields/table.rs`.
    pub fields: &'static [Reads],
    /// Those of them that it passes over in some files.
    pub passed_over: &'static [PassedOver],
    /// What happens to a file that has something wrong.
    pub policy: Policy,
    /// How it decides whether it loads a file, and what it sees; `None` for our own reading, where the rules decide.
    pub(crate) stages: Option<Stages>,
    /// What it does with a skill when an agent runs, as its documents say.
    pub runtime: Runtime,
    /// Other profiles, where they differ.
    pub accounts: &'static [Runtime],
}

/// A file of data beside a skill that keeps it from a reader's model.
#[derive(Debug)]
pub struct HidingFile {
    /// Its path from the skill's folder.
    pub path: &'static str,
    /// The mapping in it, and the key there.
    pub keys: [&'static str; 2],
    /// The value that does it.
    pub value: &'static str,
}

impl Reader {
    /// What most readers are: they own no folder.
    pub(crate) const USUAL: Reader = Reader {
        dialect: Dialect::Unified,
        name: "",
        title: "",
        about: "",
        recorded: "",
        on_request: false,
        command: "",
        built_in: &[],
        hides_otherwise: "nothing is known that keeps it from the model",
        folders: &[],
        command_scan: CommandScan::Nowhere,
        is_program: true,
        hiding_file: None,
        has_known_tools: false,
        tool_references: &[],
        plugin_renames: false,
        name_is_label: false,
        has_commands: false,
        has_subagents: false,
        has_flat_skills: false,
        fields: &[],
        passed_over: &[],
        search: Search::USUAL,
        switch: None,
        policy: Policy::USUAL,
        stages: None,
        runtime: Runtime::USUAL,
        accounts: &[],
    };
}

macro_rules! dialects {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// One reader of skill files.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dialect {
            $($(#[$about])* $name,)*
        }

        impl Dialect {
            /// Every dialect.
            pub const ALL: [Dialect; [$(Dialect::$name),*].len()] = [$(Dialect::$name),*];
        }
    };
}

dialects! {
    /// The open Agent Skills specification, as strictly as its reference validator checks it.
    AgentSkills,
    /// Claude Code.
    Claude,
    /// The OpenHands SDK.
    OpenHands,
    /// thndrs.
    Thndrs,
    /// Wolffish.
    Wolffish,
    /// Codex CLI.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
    /// The chat of Visual Studio Code.
    VsCode,
    /// opencode.
    OpenCode,
    /// pi.
    Pi,
    /// Gemini CLI.
    Gemini,
    /// goose.
    Goose,
    /// Crush.
    Crush,
    /// Cursor, as its documents describe it.
    Cursor,
    /// claude.ai, where a skill is uploaded.
    ClaudeAi,
    /// The Skills extension of the Model Context Protocol.
    Mcp,
    /// Our own reading: loads what can be parsed and has a description, and knows the fields of all others.
    #[default]
    Unified,
}

/// Which profile of a reader counts, where its documents and its newest product differ.
///
/// By default what the server itself does (matching, listing, rendering) is as documented, and what it says about a
/// file (findings, verdicts) is as the products are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As the system's documents say.
    Documented,
    /// As its newest product does.
    Current,
    /// As an older version did, which has a row of its own: `claude@2.1.209`.
    Version(&'static str),
}

impl Profile {
    /// The name in options: `current`.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Documented => "documented",
            Profile::Current => "current",
            Profile::Version(version) => version,
        }
    }
}
