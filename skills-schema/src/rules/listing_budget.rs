//! `listing-budget`

use crate::{
    facts::{Facts, FileKind},
    listing::{self, Budget},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// On how many skills, the longest, the finding is shown.
const SHOWN: usize = 3;

/// Descriptions that are too long together.
pub(super) const RULE: Rule = Rule {
    code: "listing-budget",
    summary: "more skills than fit into the list that the model is given",
    outcome: |reader| reader.policy().listing_budget,
    needs: Needs::Catalog,
    kinds: &[FileKind::Skill],
    documentation: include_str!("listing_budget.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(names) = facts.around.names else {
        return;
    };
    let Some(room) = listing::room(facts.runtime(), Budget::Window(None)) else {
        return;
    };
    let mut listed: Vec<_> = names
        .listed(facts.dialect)
        .map(|(path, length)| (length, path))
        .collect();
    let all: usize = listed.iter().map(|(length, _)| length).sum();
    if all <= room {
        return;
    }
    listed.sort_unstable_by(|a, b| b.cmp(a));
    let Some((own, _)) = listed.iter().take(SHOWN).find(|(_, path)| path == facts.path) else {
        return;
    };
    let range = file.entry("description").map(|entry| entry.value.range);
    let message = format!("skill listing over budget ({all} of {room} characters); {own} are from this skill");
    report.add(range.unwrap_or_else(|| super::head(file)), message);
}
