//! Which of several skills of one name counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use skills_schema::dialect::Dialect;

use super::skill::{Skill, Source, State};

/// The skills with their states, sorted by name and path.
///
/// Within one dialect its own order decides, between dialects a project's skill comes before the person's; then
/// the order of the roots. What its reader refuses stands in nobody's way.
pub(super) fn resolved(skills: Vec<Skill>) -> Vec<Arc<Skill>> {
    let mut skills: Vec<Skill> = skills.into_iter().map(Skill::alone).collect();
    skills.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, skill) in skills
        .iter()
        .enumerate()
        .filter(|(_, skill)| skill.state != State::Broken)
    {
        named.entry(&skill.name).or_default().push(index);
    }
    let mut losers = Vec::new();
    for rivals in named.values() {
        let within = |index: &usize| {
            let skill = &skills[*index];
            ((skill.source == Source::User) != user_wins(skill.dialect), skill.order)
        };
        // The best of its own dialect, which then meets the best of the others.
        let best_of_dialect = |index: &&usize| {
            let dialect = skills[**index].dialect;
            let own = rivals.iter().filter(|rival| skills[**rival].dialect == dialect);
            own.min_by_key(|rival| within(rival)) == Some(*index)
        };
        let winner = rivals.iter().filter(best_of_dialect).min_by_key(|index| {
            let skill = &skills[**index];
            (skill.source, skill.order)
        });
        if let Some(winner) = winner {
            losers.extend(
                rivals
                    .iter()
                    .filter(|rival| *rival != winner)
                    .map(|rival| (*rival, *winner)),
            );
        }
    }
    for (loser, winner) in losers {
        skills[loser].shadowed_by = skills[winner].path.clone();
        skills[loser].state = State::Shadowed;
    }
    skills.into_iter().map(Arc::new).collect()
}

/// Whether a person's skill beats the project's: so in Claude Code and thndrs, not in the others.
fn user_wins(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Claude | Dialect::Thndrs)
}
