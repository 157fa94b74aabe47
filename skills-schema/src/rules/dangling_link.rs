//! `dangling-link`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Needs, Report, Rule, head},
    syntax::SkillFile,
};

/// A symbolic link that leads nowhere.
pub(super) const RULE: Rule = Rule {
    code: "dangling-link",
    summary: "a symbolic link of the skill leads to a file",
    outcome: |_| Outcome::Recovers,
    needs: Needs::Folder,
    kinds: &[FileKind::Skill],
    documentation: include_str!("dangling_link.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(folder) = facts.around.folder else {
        return;
    };
    for link in &folder.dangling {
        let (path, target) = (&link.path, link.target.escape_debug());
        let reason = if link.target.trim() == link.target {
            "which is not there"
        } else {
            "which begins or ends in white space, and is not there"
        };
        let message = format!("`{path}` is a symbolic link to `{target}`, {reason}; link it anew, or take it out");
        report.add(head(file), message);
    }
}
