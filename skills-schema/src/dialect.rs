//! How people name the systems that read skills, and which of them read a file by its place.

mod view;

use std::{fmt, str::FromStr, sync::LazyLock};

pub use crate::reader::{
    Alphabet, Dialect, Limit, Outcome, Policy, Profile, Reader, Unit, runtime,
    search::{self, Search},
};
pub use view::{Profiles, UnknownView, View};

/// The folders of a project or a home that a system reads though it does not own them, as consecutive path components,
/// and those systems.
pub static PLACES: LazyLock<Vec<(&'static str, Vec<Dialect>)>> = LazyLock::new(|| {
    let mut places: Vec<(&str, Vec<Dialect>)> = Vec::new();
    for dialect in Dialect::ALL.into_iter().filter(|it| it.reader().is_program) {
        for folder in dialect.search().folders {
            let is_shared = folder.path == ".agents/skills" || owner(folder.path).is_some_and(|(_, it)| it != dialect);
            if !is_shared {
                continue;
            }
            match places.iter_mut().find(|(place, _)| *place == folder.path) {
                Some((_, readers)) => readers.push(dialect),
                None => places.push((folder.path, vec![dialect])),
            }
        }
    }
    places
});

impl Dialect {
    /// The systems that portable skills are for: every agent. A validator loads nothing.
    pub fn agents() -> impl Iterator<Item = Dialect> {
        let is_agent = |dialect: &Dialect| {
            let reader = dialect.reader();
            *dialect != Dialect::Unified && reader.is_program && !reader.on_request
        };
        Dialect::ALL.into_iter().filter(is_agent)
    }

    /// The dialect of the folder that a file stands in; the path has `/` separators.
    pub fn of_path(path: &str) -> Dialect {
        owner(path).map_or(Dialect::Unified, |(_, dialect)| dialect)
    }

    /// The systems that read the skills at a path beside the one that owns its folder; the path has `/` separators.
    pub fn readers_of_path(path: &str) -> &'static [Dialect] {
        let innermost = innermost(path, |folders| {
            let mut places = PLACES.iter();
            let (_, readers) = places.find(|(folder, _)| begins(folders, folder))?;
            Some(&readers[..])
        });
        // A folder of one system's own inside of it is that one's alone.
        let owner = owner(path);
        match (innermost, owner) {
            (Some((at, _)), Some((own, _))) if own > at => &[],
            (Some((_, readers)), _) => readers,
            (None, _) => &[],
        }
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
        let owns = |dialect: &Dialect| dialect.reader().folders.iter().any(|folder| begins(folders, folder));
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect `{0}`; use one of {names}", names = Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect(pub String);

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
            assert_eq!(dialect.reader().dialect, dialect);
        }
        let message = "cascade".parse::<Dialect>().unwrap_err().to_string();
        assert!(message.contains("agentskills, claude, openhands"), "{message}");
    }

    #[test]
    fn the_innermost_folder_says_who_reads_a_file() {
        let readers = |path| Dialect::readers_of_path(path);
        assert!(readers("home/.agents/skills/x/SKILL.md").contains(&Dialect::Crush));
        assert!(readers(".claude/skills/x/SKILL.md").contains(&Dialect::Copilot));
        assert!(!readers(".claude/skills/x/SKILL.md").contains(&Dialect::Codex));
        assert_eq!(readers(".github/skills/x/SKILL.md"), [Dialect::VsCode]);
        assert_eq!(readers(".pi/agent/skills/x/SKILL.md"), [Dialect::Thndrs]);
        assert_eq!(readers(".agents/skills/x/.openhands/skills/y/SKILL.md"), []);
        assert_eq!(readers("skills/x/SKILL.md"), []);
    }
}
