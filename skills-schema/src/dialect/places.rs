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

impl Dialect {
    /// The systems that read the skills at a path beside the one that owns its folder; the path has `/` separators.
    pub fn readers_of_path(path: &str) -> &'static [Dialect] {
        let components: Vec<&str> = path.split('/').collect();
        // The innermost folder decides: a skill may carry an example of another system's skill.
        let innermost = PLACES
            .iter()
            .filter_map(|(folder, readers)| {
                let parts: Vec<&str> = folder.split('/').collect();
                let at = components.windows(parts.len()).rposition(|window| window == parts)?;
                Some((at, *readers))
            })
            .max_by_key(|(at, _)| *at);
        // A folder of one system's own inside of it is that one's alone.
        let owner = super::owner(&components);
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
