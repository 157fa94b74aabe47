//! `listing-budget`

use crate::{
    facts::{Facts, FileKind, Standing},
    listing::{self, Budget},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// On how many skills, the longest, the finding is shown.
const SHOWN: usize = 3;

/// Descriptions that are too long together.
pub(super) const RULE: Rule = Rule {
    code: "listing-budget",
    summary: "the descriptions of all skills together fit into a model's list",
    outcome: |policy| policy.listing_budget,
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
    let listed = |dialect| {
        names
            .iter()
            .filter(move |skill| skill.dialect == dialect && skill.standing == Standing::Counts && skill.listed > 0)
    };
    let all: usize = listed(facts.dialect).map(|skill| skill.listed).sum();
    let room = listing::room(facts.runtime(), Budget::Window(None));
    let (Some(own), Some(room)) = (names.at(facts.path), room.filter(|room| all > *room)) else {
        return;
    };
    let longer = listed(facts.dialect)
        .filter(|other| (other.listed, &other.path) > (own.listed, &own.path))
        .count();
    if own.listed == 0 || longer >= SHOWN {
        return;
    }
    let range = file.entry("description").map(|entry| entry.value.range);
    let message = format!(
        "all skills together take {all} characters of the list that a model chooses from, and {room} is all it \
         holds by default: the rest loses its descriptions; this is one of the longest, with {}",
        own.listed
    );
    report.add(range.unwrap_or_else(|| super::head(file)), message);
}
