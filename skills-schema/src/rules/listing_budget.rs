//! `listing-budget`

use crate::{
    dialect::Dialect,
    facts::{Facts, FileKind, Names},
    listing::{self, Budget},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// Descriptions that are too long together.
pub(super) const RULE: Rule = Rule {
    code: "listing-budget",
    summary: "more skills than fit into the list that the model is given",
    outcome: |reader| reader.policy().listing_budget,
    kinds: &[FileKind::Skill],
    documentation: include_str!("listing_budget.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let Some(room) = listing::room(facts.runtime(), Budget::Window(None)) else {
        return;
    };
    // A folder of others has their budgets.
    if facts.dialect == Dialect::Unified && !facts.readers.is_empty() {
        return;
    }
    let listed: Vec<_> = names
        .listed(facts.dialect)
        .map(|(path, length)| (length, path))
        .collect();
    let all: usize = listed.iter().map(|(length, _)| length).sum();
    // The longest stands for all.
    let longest = listed.iter().max();
    let Some((own, _)) = longest.filter(|(_, path)| all > room && path == facts.path) else {
        return;
    };
    let range = file.entry("description").map(|entry| entry.value.range);
    let message = format!("skill listing over budget ({all} of {room} characters); {own} are from this skill");
    report.add(range.unwrap_or_else(|| super::head(file)), message);
}
