//! `linked-skill`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Names},
    rules::{Fate, Look, Report, Rule, head},
    syntax::SkillFile,
};

/// A `SKILL.md` that is a symbolic link, which some readers of the folder pass over.
pub(super) const RULE: Rule = Rule {
    code: "linked-skill",
    summary: "a `SKILL.md` that is a symlink",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("linked_skill.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    if !names.is_link(facts.path) {
        return;
    }
    let blind = Dialect::ALL
        .into_iter()
        .filter(|it| facts.is_read_by(*it) && !it.search().linked_files);
    let mut blind = blind.peekable();
    if blind.peek().is_some() {
        report
            .add(head(file), "`SKILL.md` is a symlink; link its folder instead")
            .affects_all(facts, Fate::Unfound, blind);
    }
}
