//! The sorts of files that carry instructions.

use std::sync::Arc;

use crate::{dialect::Dialect, syntax::SkillFile};

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
    /// `agents/openai.yaml` in the folder of a skill: what Codex shows and uses of it.
    CodexMetadata,
    /// `plugin.json` at the root of a package of skills (Agent Plugins).
    Plugin,
    /// `mcp.json` at the root of such a package: its servers.
    PluginServers,
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
            // In the folder that all share they are those of the one system that has them.
            FileKind::FlatSkill if owner == Dialect::Unified => {
                let reads_them = |it: &Dialect| *it != owner && self.is_read_by(*it);
                (Dialect::ALL.into_iter().find(reads_them).unwrap_or(owner), &[])
            }
            FileKind::FlatSkill => (owner, &[]),
            _ => (owner, Dialect::readers_of_path(path)),
        }
    }

    /// Whether a system reads files of this sort at all. Skills are read by all; commands, subagents and plain files in a
    /// folder of skills by those that have them, and no other can drop them.
    pub fn is_read_by(self, reader: Dialect) -> bool {
        let reader = reader.reader();
        match self {
            FileKind::Command => reader.has_commands,
            FileKind::Agent => reader.has_subagents,
            FileKind::FlatSkill => reader.has_flat_skills,
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
        match self {
            FileKind::CodexMetadata | FileKind::Plugin | FileKind::PluginServers => SkillFile::parse_data(text),
            _ => SkillFile::parse(text),
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
}
