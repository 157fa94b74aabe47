//! `reference-outside`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{EntryKind, Facts, FileKind, Folder, Found, ReferenceKind},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// A link to a file that does not travel with the skill.
pub(super) const RULE: Rule = Rule {
    code: "reference-outside",
    summary: "a file outside the skill's folder",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("reference_outside.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    // A skill of a project or a plugin stays with the files around it.
    let stays = folder.is_packaged
        || Dialect::of_path(facts.path) != Dialect::Unified
        || !Dialect::readers_of_path(facts.path).is_empty();
    for reference in report.references(file).iter() {
        if reference.kind != ReferenceKind::Link {
            continue;
        }
        // Another skill is named, not read; one that is not there is a broken link.
        if reference.path.ends_with("/SKILL.md") {
            continue;
        }
        let Found::Here(entry) = folder.find(&reference.path) else {
            continue;
        };
        let path = &reference.path;
        if reference.path.starts_with("../") && !stays {
            let message = format!("`{path}` is outside the skill's folder; copies of the skill lose it");
            report.add(reference.range, message);
        } else if entry.kind == EntryKind::LeadsOut {
            let message = format!("`{path}` is a symlink out of the skill's folder, which readers refuse");
            report.add(reference.range, message);
        }
    }
}
