//! Who reads the skills of a folder that belongs to others, or to nobody: one row a folder.

use super::Dialect::{self, *};

/// The folders of a project or a home, as consecutive path components, and who reads them beside the one that owns them.
/// As recorded from the versions that the rows of [`Policy`](super::Policy) name.
pub const PLACES: &[(&str, &[Dialect])] = &[
    (
        ".agents",
        &[
            OpenHands, Thndrs, Codex, Copilot, VsCode, OpenCode, Pi, Gemini, Goose, Crush, Cursor,
        ],
    ),
    (
        ".claude/skills",
        &[Thndrs, Copilot, VsCode, OpenCode, Goose, Crush, Cursor],
    ),
    (".github/skills", &[VsCode]),
    (".cursor/skills", &[Crush]),
    (".codex/skills", &[Thndrs, Cursor]),
    (".pi/skills", &[Thndrs]),
    (".copilot/skills", &[VsCode]),
];

/// How a reader walks through a folder of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// A `SKILL.md` directly in the folder is a skill.
    pub takes_root: bool,
    /// It goes on below a skill.
    pub below_skills: bool,
    /// It takes a `SKILL.md` that is a symbolic link.
    pub linked_files: bool,
    /// It enters `node_modules`.
    pub node_modules: bool,
    /// Of several skills of one name it keeps all.
    pub keeps_all: bool,
}

/// Stops at the first `SKILL.md` of a folder, and looks for none in the folder of skills itself.
const USUAL: Walk = Walk {
    takes_root: false,
    below_skills: false,
    linked_files: true,
    node_modules: false,
    keeps_all: false,
};

/// Takes every `SKILL.md` wherever it lies.
const EVERYTHING: Walk = Walk {
    takes_root: true,
    below_skills: true,
    node_modules: true,
    ..USUAL
};

impl Dialect {
    /// How the reader walks through its folders, as recorded from the version that its [`Policy`](super::Policy) names.
    pub fn walk(self) -> Walk {
        match self {
            Codex => Walk {
                linked_files: false,
                keeps_all: true,
                ..EVERYTHING
            },
            OpenCode | Goose | Crush => EVERYTHING,
            // One in the folder itself hides all others.
            Copilot => Walk {
                takes_root: true,
                node_modules: true,
                ..USUAL
            },
            Pi => Walk {
                takes_root: true,
                ..USUAL
            },
            Gemini => Walk {
                takes_root: true,
                below_skills: true,
                ..USUAL
            },
            AgentSkills | Claude | OpenHands | Thndrs | Wolffish | VsCode | Cursor | Unified => USUAL,
        }
    }

    /// The systems that read the skills at a path beside the one that owns its folder; the path has `/` separators.
    pub fn readers_of_path(path: &str) -> &'static [Dialect] {
        let innermost = super::innermost(path, |folders| {
            let mut places = PLACES.iter();
            let (_, readers) = places.find(|(folder, _)| super::begins(folders, folder))?;
            Some(*readers)
        });
        // A folder of one system's own inside of it is that one's alone.
        let owner = super::owner(path);
        match (innermost, owner) {
            (Some((at, _)), Some((own, _))) if own > at => &[],
            (Some((_, readers)), _) => readers,
            (None, _) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_says_who_reads_a_file() {
        let readers = |path| Dialect::readers_of_path(path);
        assert!(readers("home/.agents/skills/x/SKILL.md").contains(&Crush));
        assert!(readers(".claude/skills/x/SKILL.md").contains(&Copilot));
        assert!(!readers(".claude/skills/x/SKILL.md").contains(&Codex));
        assert_eq!(readers(".github/skills/x/SKILL.md"), [VsCode]);
        assert_eq!(readers(".agents/skills/x/.openhands/skills/y/SKILL.md"), []);
        assert_eq!(readers("skills/x/SKILL.md"), []);
    }
}
