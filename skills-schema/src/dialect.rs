//! How the systems that read skills differ: one row of policies each.

mod places;
mod policies;
pub mod runtime;
mod view;

use std::{fmt, str::FromStr};

use crate::rules::Severity;

pub use places::{PLACES, Walk};
pub(crate) use policies::OPEN_HANDS_ARGUMENTS;
pub use view::{Profile, Profiles, UnknownView, View};

/// One reader of skill files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
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
    /// Our own reading: loads what can be parsed and has a description, and knows the fields of all others.
    #[default]
    Unified,
}

/// How one reader treats what a rule looks for. A row of [`Policy::of`] is the whole difference between two dialects.
#[derive(Debug)]
pub struct Policy {
    /// The reader.
    pub dialect: Dialect,
    /// Its name in options and messages for programs.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// What the row was recorded from, and which version of it.
    pub recorded: &'static str,
    /// What a person types to call a skill, with `{name}` in it; empty where there is no such command.
    pub command: &'static str,
    /// How it is kept from telling its model of a skill, where it does not read `disable-model-invocation`.
    pub hides_otherwise: &'static str,
    /// Folders whose files it owns, as consecutive path components.
    pub folders: &'static [&'static str],
    /// A file without frontmatter.
    pub no_frontmatter: Outcome,
    /// Bytes that are no UTF-8.
    pub invalid_utf8: Outcome,
    /// Blank lines before the frontmatter.
    pub leading_blank_line: Outcome,
    /// Frontmatter that nothing closes.
    pub unclosed: Outcome,
    /// Frontmatter that is no YAML.
    pub invalid_yaml: Outcome,
    /// `: ` in a value without quotes.
    pub unquoted_colon: Outcome,
    /// The same key twice.
    pub duplicate_key: Outcome,
    /// No `name`.
    pub no_name: Outcome,
    /// No `description`.
    pub no_description: Outcome,
    /// A `name` unlike its folder.
    pub name_unlike_folder: Outcome,
    /// The characters that a `name` may have.
    pub alphabet: Alphabet,
    /// A `name` with other characters.
    pub name_format: Outcome,
    /// A field that the reader does not know.
    pub unknown_field: Outcome,
    /// A list or mapping where text belongs, or the reverse.
    pub wrong_type: Outcome,
    /// A number or boolean where text belongs.
    pub scalar_for_text: Outcome,
    /// An argument that is used and not declared, or declared and not used.
    pub argument_mismatch: Outcome,
    /// `skill.md` instead of `SKILL.md`.
    pub file_name_case: Outcome,
    /// An entry of `references` that is no file of the skill.
    pub invalid_reference: Outcome,
    /// A name under `requires` that no skill has, or a chain of such names without end.
    pub unmet_requirement: Outcome,
    /// A list of servers beside the skill that can't be read.
    pub invalid_mcp: Outcome,
    /// Descriptions that do not fit into the list of all skills.
    pub listing_budget: Outcome,
    /// A command in code or in a comment, which a person takes for an example and the reader runs.
    pub command_in_code: Outcome,
    /// An argument that becomes part of a command's text.
    pub argument_in_command: Outcome,
    /// What keeps a command from being run when it stands before it.
    pub command_escape: Option<&'static str>,
    /// Anchors, tags, `[lists]` and `{mappings}` in brackets.
    pub yaml_features: Outcome,
    /// A key that is no text, such as `1:` or `on:`, and the keys below.
    pub unusable_key: Outcome,
    /// Keys that clash with the reader's own names.
    pub reserved_keys: &'static [&'static str],
    /// How long values may be.
    pub limits: &'static [Limit],
}

/// What a reader does with a file that has something wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wrong for this reader.
    Fine,
    /// It loads the file as its text says; other readers may not.
    Tolerates,
    /// It loads the file, but the person most likely meant something else.
    Doubts,
    /// It loads the file with a part missing, or repairs it.
    Recovers,
    /// It loads the file with another name, description or activation than its text says.
    Misreads,
    /// It refuses the file.
    Drops,
}

/// The characters of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// Anything.
    Any,
    /// `a-z`, `0-9` and single hyphens between them.
    Ascii,
    /// Lower-case letters and digits of any script, and single hyphens between them.
    Unicode,
    /// `a-z`, `A-Z`, `0-9` and single hyphens between them.
    AnyCase,
    /// `a-z`, `A-Z`, `0-9`, and behind the first character `-`, `_`, `.`, `:` and spaces.
    Label,
}

/// The longest value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The field's name.
    pub field: &'static str,
    /// How many units it may have.
    pub max: usize,
    /// What is counted.
    pub unit: Unit,
    /// What happens beyond.
    pub beyond: Outcome,
    /// A field that is counted along.
    pub with: Option<&'static str>,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Unicode scalar values.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 15] = [
        Dialect::AgentSkills,
        Dialect::Claude,
        Dialect::OpenHands,
        Dialect::Thndrs,
        Dialect::Wolffish,
        Dialect::Codex,
        Dialect::Copilot,
        Dialect::VsCode,
        Dialect::OpenCode,
        Dialect::Pi,
        Dialect::Gemini,
        Dialect::Goose,
        Dialect::Crush,
        Dialect::Cursor,
        Dialect::Unified,
    ];

    /// The dialect of the folder that a file stands in; the path has `/` separators.
    pub fn of_path(path: &str) -> Dialect {
        owner(path).map_or(Dialect::Unified, |(_, dialect)| dialect)
    }

    /// The name in options: `claude`.
    pub fn name(self) -> &'static str {
        self.policy().name
    }

    /// The name in sentences: `Claude Code`.
    pub fn title(self) -> &'static str {
        self.policy().title
    }

    /// The row of this dialect.
    pub fn policy(self) -> &'static Policy {
        Policy::of(self)
    }
}

/// The names of systems in a sentence: `Codex, pi and goose`; empty where there are none.
pub(crate) fn titles(dialects: impl IntoIterator<Item = Dialect>) -> String {
    let titles: Vec<&str> = dialects.into_iter().map(Dialect::title).collect();
    match titles.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Where the innermost folder of a path begins that a system owns, and that system.
fn owner(path: &str) -> Option<(usize, Dialect)> {
    innermost(path, |folders| {
        let owns = |dialect: &Dialect| dialect.policy().folders.iter().any(|folder| begins(folders, folder));
        Dialect::ALL.into_iter().rev().find(owns)
    })
}

/// The last place of a path from which it is something, and what it is: a skill may carry an example of another
/// system's skill.
fn innermost<T>(path: &str, is: impl Fn(&str) -> Option<T>) -> Option<(usize, T)> {
    let mut starts = path.rmatch_indices('/').map(|(at, _)| at + 1).chain([0]);
    starts.find_map(|start| Some((start, is(&path[start..])?)))
}

/// Whether a path begins with a folder, which may be several components long.
fn begins(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Outcome {
    /// How loudly a finding says so in a file of that reader's own.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Outcome::Fine => None,
            Outcome::Tolerates => Some(Severity::Hint),
            Outcome::Doubts => Some(Severity::Information),
            Outcome::Recovers => Some(Severity::Warning),
            Outcome::Misreads | Outcome::Drops => Some(Severity::Error),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// A name that is no dialect's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(pub String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        write!(f, "unknown dialect `{}`; use one of {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownDialect {}

impl Policy {
    /// The row of a dialect.
    pub fn of(dialect: Dialect) -> &'static Policy {
        policies::of(dialect)
    }

    /// The limits of a field.
    pub fn limits_of(&self, field: &str) -> impl Iterator<Item = &Limit> {
        self.limits.iter().filter(move |limit| limit.field == field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_decides_and_the_innermost_wins() {
        let cases = [
            (".claude/skills/deploy/SKILL.md", Dialect::Claude),
            ("/home/me/.claude/skills/deploy/SKILL.md", Dialect::Claude),
            ("work/.openhands/skills/x/SKILL.md", Dialect::OpenHands),
            (".thndrs/skills/x/SKILL.md", Dialect::Thndrs),
            ("app/brain/cerebellum/git/SKILL.md", Dialect::Wolffish),
            ("brain/SKILL.md", Dialect::Unified),
            (".agents/skills/x/SKILL.md", Dialect::Unified),
            ("skills/claude/SKILL.md", Dialect::Unified),
            (
                ".claude/skills/x/examples/.openhands/skills/y/SKILL.md",
                Dialect::OpenHands,
            ),
            ("", Dialect::Unified),
        ];
        for (path, expected) in cases {
            assert_eq!(Dialect::of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn every_name_is_read_back_and_others_are_refused_with_the_choices() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
            assert_eq!(dialect.policy().dialect, dialect);
        }
        let message = "cascade".parse::<Dialect>().unwrap_err().to_string();
        assert!(message.contains("agentskills, claude, openhands"), "{message}");
    }
}
