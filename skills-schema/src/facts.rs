//! What a check must know beside the text.

mod folder;
mod index;
mod names;
mod script;

use std::sync::Arc;

use crate::{
    dialect::{Dialect, Outcome, Profile, View, runtime::Runtime},
    levels::Levels,
    manifest::Manifest,
    rules::{Needs, Severity},
    syntax::SkillFile,
};

pub(crate) use folder::anchors;
pub use folder::{
    Dangling, Entry, EntryKind, Folder, Found, Outline, Plugin, Reference, ReferenceKind, normal, references,
};
pub use index::FileIndex;
pub use names::{Named, Names, Standing};
pub use script::{NamedScript, Prompt, Script, ScriptStart, scripts, scripts_in, scripts_of_hooks};

/// What the caller knows about a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The system that the file is written for.
    pub dialect: Dialect,
    /// Which account of it is followed; `None` leaves that to what is asked.
    pub profile: Option<Profile>,
    /// What sort of file it is.
    pub kind: FileKind,
    /// Where the file lies, with `/` separators; empty for an unsaved text.
    pub path: &'a str,
    /// The name of the folder that the file stands in; `None` for an unsaved text.
    pub folder: Option<&'a str>,
    /// Other systems that read the files of this place. What makes one of them drop the file is a warning.
    pub readers: &'a [Dialect],
    /// The file is no UTF-8, and its text has replacement characters for the bytes that are none.
    pub invalid_utf8: bool,
    /// What is around the file. Rules that need what is not known here say nothing.
    pub around: Around<'a>,
    /// How loud the rules are; `None` for each rule's own loudness.
    pub levels: Option<&'a Levels>,
}

/// What is around a file: the caller looks, the rules only compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// The files beside it, and those elsewhere that it names.
    pub folder: Option<&'a Folder>,
    /// All skills that there are.
    pub names: Option<&'a dyn Names>,
    /// The files of each folder of the workspace that the file's patterns may mean; empty while they are not known.
    pub files: &'a [&'a FileIndex],
}

impl Around<'_> {
    /// Whether a rule with these needs has what it needs.
    pub fn meets(&self, needs: Needs) -> bool {
        match needs {
            Needs::Text => true,
            Needs::Folder => self.folder.is_some(),
            Needs::Catalog => self.names.is_some(),
            Needs::Workspace => !self.files.is_empty(),
        }
    }
}

/// What sort of file carries instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileKind {
    /// `NAME/SKILL.md`.
    #[default]
    Skill,
    /// `NAME.md` in a folder of skills: a microagent.
    FlatSkill,
    /// `.claude/commands/NAME.md`.
    Command,
    /// `AGENTS.md`, `CLAUDE.md` and their like: always in the context.
    AlwaysOn,
    /// `.claude/agents/NAME.md`: a subagent, which may list skills.
    Agent,
    /// `.mcp.json` beside a skill: its servers.
    McpConfig,
    /// `agents/openai.yaml` in the folder of a skill: what Codex shows and heeds of it.
    CodexMetadata,
    /// `plugin.json` at the root of a package of skills (Agent Plugins).
    Plugin,
    /// `mcp.json` at the root of such a package: its servers.
    PluginServers,
}

impl<'a> Facts<'a> {
    /// What a path alone says; it has `/` separators.
    pub fn of_path(path: &'a str) -> Facts<'a> {
        Facts::of_place(path, FileKind::of_path(path).unwrap_or_default())
    }

    /// What a path says of a file whose sort is known; it has `/` separators.
    pub fn of_place(path: &'a str, kind: FileKind) -> Facts<'a> {
        let (dialect, readers) = kind.readers(path);
        Facts {
            dialect,
            kind,
            path,
            folder: kind.folder(path),
            readers,
            ..Facts::default()
        }
    }

    /// The account of the file's system that the server itself follows.
    pub fn runtime(&self) -> &'static Runtime {
        let (dialect, profile) = (self.dialect, self.profile);
        View { dialect, profile }.runtime()
    }

    /// The account of the file's system that its triggers and patterns are held against.
    pub fn checked(&self) -> &'static Runtime {
        match self.profile {
            Some(_) => self.runtime(),
            None => self.dialect.checked(),
        }
    }

    /// Whether that system looks for skills in this place.
    pub fn is_read_by(&self, dialect: Dialect) -> bool {
        self.dialect == dialect || self.readers.contains(&dialect)
    }

    /// Whether anything is said of a system: of each agent always, of the others where the person named them.
    pub fn is_asked(&self, dialect: Dialect) -> bool {
        !dialect.reader().on_request || self.is_read_by(dialect)
    }

    /// How loudly a finding speaks in this file: by its own dialect, and at least as a warning where another reader of
    /// the place drops or misreads the file.
    pub fn severity(&self, outcome: impl Fn(Dialect) -> Outcome) -> Option<Severity> {
        let own = outcome(self.dialect).severity();
        let dropped = self.readers.iter().any(|reader| outcome(*reader) >= Outcome::Misreads);
        own.into_iter().chain(dropped.then_some(Severity::Warning)).min()
    }
}

impl FileKind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Skill => "skill",
            FileKind::FlatSkill => "flat",
            FileKind::Command => "command",
            FileKind::AlwaysOn => "alwaysOn",
            FileKind::Agent => "agent",
            FileKind::McpConfig => "mcp",
            FileKind::CodexMetadata => "codexMetadata",
            FileKind::Plugin => "plugin",
            FileKind::PluginServers => "pluginServers",
        }
    }

    /// The system that owns the place of a file of this sort, and the others that read it there; the path has `/`
    /// separators.
    pub fn readers(self, path: &str) -> (Dialect, &'static [Dialect]) {
        let owner = Dialect::of_path(path);
        match self {
            // OpenHands alone reads plain files of the folder that all share.
            FileKind::FlatSkill if owner == Dialect::Unified => (Dialect::OpenHands, &[]),
            FileKind::FlatSkill => (owner, &[]),
            _ => (owner, Dialect::readers_of_path(path)),
        }
    }

    /// Whether a system reads files of this sort at all. Skills are read by all; commands, subagents and plain files in a
    /// folder of skills by those that have them, and no other can drop them.
    pub fn is_read_by(self, reader: Dialect) -> bool {
        match self {
            FileKind::Command => matches!(reader, Dialect::Claude | Dialect::Copilot | Dialect::Unified),
            FileKind::Agent => matches!(reader, Dialect::Claude | Dialect::Unified),
            FileKind::FlatSkill => matches!(reader, Dialect::OpenHands | Dialect::Unified),
            _ => true,
        }
    }

    /// The name of the folder that a file of this sort is called by; its path has `/` separators.
    pub fn folder(self, path: &str) -> Option<&str> {
        let folder = path.rsplit('/').nth(1).filter(|folder| !folder.is_empty());
        folder.filter(|_| self == FileKind::Skill)
    }

    /// What has a skill's frontmatter and instructions.
    pub const SKILLS: &'static [FileKind] = &[FileKind::Skill, FileKind::FlatSkill, FileKind::Command];
    /// What has frontmatter.
    pub const WITH_FRONTMATTER: &'static [FileKind] =
        &[FileKind::Skill, FileKind::FlatSkill, FileKind::Command, FileKind::Agent];
    /// What a model reads.
    pub const TEXTS: &'static [FileKind] = &[
        FileKind::Skill,
        FileKind::FlatSkill,
        FileKind::Command,
        FileKind::Agent,
        FileKind::AlwaysOn,
    ];

    /// Reads a text as a file of this sort: a manifest is data as a whole, the others begin with frontmatter.
    pub fn parse(self, text: Arc<str>) -> SkillFile {
        match Manifest::of(self) {
            Some(_) => SkillFile::parse_data(text),
            None => SkillFile::parse(text),
        }
    }

    /// The sort of a file by its path, which has `/` separators; `None` for a file that is no skill.
    pub fn of_path(path: &str) -> Option<FileKind> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let inside = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
        let is_skill = name.eq_ignore_ascii_case("SKILL.md");
        let is_markdown = name.ends_with(".md");
        let is_flat = |(folder, deep): &(&str, bool)| inside(folder) && (*deep || is_directly_in(path, folder));
        // A folder that says what its files are counts more than a file's name.
        if is_markdown && inside(".claude/commands/") {
            Some(FileKind::Command)
        } else if is_skill {
            Some(FileKind::Skill)
        } else if is_markdown && inside(".claude/agents/") {
            Some(FileKind::Agent)
        } else if name == ".mcp.json" && SKILL_FOLDERS.iter().any(|folder| inside(folder)) {
            Some(FileKind::McpConfig)
        } else if path.ends_with("/agents/openai.yaml") && inside("skills/") {
            Some(FileKind::CodexMetadata)
        } else if name == "plugin.json" && !is_in_hidden(path) {
            Some(FileKind::Plugin)
        } else if name == "mcp.json" && !is_in_hidden(path) {
            Some(FileKind::PluginServers)
        } else if is_markdown && name != "README.md" && FLAT_FOLDERS.iter().any(is_flat) {
            Some(FileKind::FlatSkill)
        } else if ALWAYS_ON.iter().any(|it| name.eq_ignore_ascii_case(it)) {
            Some(FileKind::AlwaysOn)
        } else {
            None
        }
    }
}

const ALWAYS_ON: [&str; 5] = ["AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", ".cursorrules"];

/// Where `.mcp.json` belongs to a skill; elsewhere it is the project's.
const SKILL_FOLDERS: [&str; 2] = ["skills/", "brain/cerebellum/"];

/// Where plain files are skills, and whether they are deeper in the folder too. OpenHands looks deep into each, but what
/// is deep in a folder of skills belongs to one of them, mostly.
const FLAT_FOLDERS: [(&str, bool); 3] = [
    (".agents/skills/", false),
    (".openhands/skills/", false),
    (".openhands/microagents/", true),
];

/// Whether the file's own folder is one of a program: `.vscode/mcp.json`, `.claude-plugin/plugin.json`.
fn is_in_hidden(path: &str) -> bool {
    path.rsplit('/').nth(1).is_some_and(|folder| folder.starts_with('.'))
}

/// A file directly in its folder; one deeper belongs to the skill of that name.
fn is_directly_in(path: &str, folder: &str) -> bool {
    path.rfind(folder)
        .is_some_and(|at| !path[at + folder.len()..].contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_the_kind_of_file() {
        let cases = [
            (".claude/skills/deploy/SKILL.md", Some(FileKind::Skill)),
            ("deploy/skill.md", Some(FileKind::Skill)),
            (".claude/commands/deploy.md", Some(FileKind::Command)),
            (".claude/commands/git/commit.md", Some(FileKind::Command)),
            (".agents/skills/python.md", Some(FileKind::FlatSkill)),
            ("repo/.openhands/microagents/repo.md", Some(FileKind::FlatSkill)),
            ("repo/.openhands/microagents/team/review.md", Some(FileKind::FlatSkill)),
            (".claude/commands/deploy/SKILL.md", Some(FileKind::Command)),
            (".agents/skills/README.md", None),
            (".agents/skills/deploy/references/x.md", None),
            ("AGENTS.md", Some(FileKind::AlwaysOn)),
            ("docs/CLAUDE.md", Some(FileKind::AlwaysOn)),
            (".claude/agents/reviewer.md", Some(FileKind::Agent)),
            (".agents/skills/deploy/.mcp.json", Some(FileKind::McpConfig)),
            (".mcp.json", None),
            (
                ".agents/skills/deploy/agents/openai.yaml",
                Some(FileKind::CodexMetadata),
            ),
            ("agents/openai.yaml", None),
            ("plugin.json", Some(FileKind::Plugin)),
            (".claude-plugin/plugin.json", None),
            ("pack/mcp.json", Some(FileKind::PluginServers)),
            (".vscode/mcp.json", None),
            ("README.md", None),
        ];
        for (path, expected) in cases {
            assert_eq!(FileKind::of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn the_folder_is_the_one_that_holds_the_file() {
        assert_eq!(Facts::of_path(".claude/skills/deploy/SKILL.md").folder, Some("deploy"));
        assert_eq!(Facts::of_path("SKILL.md").folder, None);
        assert_eq!(Facts::of_path("/SKILL.md").folder, None);
        assert_eq!(Facts::of_path(".agents/skills/python.md").folder, None);
    }

    #[test]
    fn a_plain_file_of_the_shared_folder_is_openhands_alone() {
        let cases = [
            (".agents/skills/python.md", Dialect::OpenHands),
            ("home/.agents/skills/python.md", Dialect::OpenHands),
            (".openhands/microagents/repo.md", Dialect::OpenHands),
            (".openhands/skills/python.md", Dialect::OpenHands),
        ];
        for (path, dialect) in cases {
            let facts = Facts::of_path(path);
            assert_eq!((facts.dialect, facts.readers), (dialect, &[][..]), "{path}");
        }
        let shared = Facts::of_path(".agents/skills/python/SKILL.md");
        assert!(shared.dialect == Dialect::Unified && shared.is_read_by(Dialect::Codex));
    }
}
