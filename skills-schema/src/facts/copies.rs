//! The copies of a skill that people keep in the folders of several systems.

use std::{borrow::Cow, collections::BTreeSet, sync::LazyLock};

use crate::dialect::Dialect;

/// A copy of a skill in the folder of another system, of the same project or person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillCopy {
    /// Its path from the folder of the skill: `../../../.agents/skills/deploy/SKILL.md`.
    pub path: Cow<'static, str>,
    /// Its text.
    pub text: String,
}

/// The folders of skills of all systems that lie directly in a project: `.agents/skills`, which all share, before the
/// others by their names.
pub static SKILL_FOLDERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = Dialect::ALL.into_iter().flat_map(|dialect| dialect.search().folders);
    let is_own = |path: &&str| path.starts_with('.') && path.ends_with("/skills") && path.matches('/').count() == 1;
    let sorted: BTreeSet<&str> = all.map(|folder| folder.path).filter(is_own).collect();
    sorted.into_iter().collect()
});

/// Where a skill lies in a folder of one system: what holds that folder, that folder, and the path below it. The path has
/// `/` separators.
pub fn place_of_copy(path: &str) -> Option<(&str, &'static str, &str)> {
    let found = SKILL_FOLDERS.iter().filter_map(|folder| {
        let at = path.rfind(&format!("{folder}/"))?;
        let is_whole = at == 0 || path[..at].ends_with('/');
        is_whole.then_some((at, *folder))
    });
    let (at, folder) = found.max_by_key(|(at, _)| *at)?;
    Some((&path[..at], folder, &path[at + folder.len() + 1..]))
}

/// Whether two skills are copies for two systems: at the same place below the folders of each.
pub(crate) fn are_copies(one: &str, other: &str) -> bool {
    match (place_of_copy(one), place_of_copy(other)) {
        (Some((root, own, rest)), Some((other_root, folder, other_rest))) => {
            root == other_root && rest == other_rest && own != folder
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_folder_goes_first() {
        assert_eq!(SKILL_FOLDERS[0], ".agents/skills");
        assert!(SKILL_FOLDERS.contains(&".claude/skills") && SKILL_FOLDERS.contains(&".github/skills"));
    }

    #[test]
    fn copies_lie_at_one_place_of_two_folders() {
        let path = "/w/.claude/skills/ship/deploy/SKILL.md";
        assert_eq!(
            place_of_copy(path),
            Some(("/w/", ".claude/skills", "ship/deploy/SKILL.md"))
        );
        assert!(are_copies(path, "/w/.agents/skills/ship/deploy/SKILL.md"));
        for other in [
            path,
            "/w/.agents/skills/deploy/SKILL.md",
            "/v/.agents/skills/ship/deploy/SKILL.md",
            "/w/skills/ship/deploy/SKILL.md",
            "/w/x.agents/skills/ship/deploy/SKILL.md",
        ] {
            assert!(!are_copies(path, other), "{other}");
        }
    }
}
