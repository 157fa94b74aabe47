//! Which of several skills of one name counts.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use skills_schema::facts::FileKind;

use super::locations::{Reader, UNIFIED, reader};
use super::skill::{Skill, Source, State};

/// Sets the names and states of the skills that are called like one of `names`, or of all.
///
/// What its reader refuses stands in nobody's way. A nested skill keeps its name where no other has it, and is else
/// called by its folder too. Of one name the one counts that `view` takes; without a view, a dialect's own order
/// decides within it, and ours between dialects.
pub(super) fn resolve(skills: &mut [Arc<Skill>], view: Option<&Reader>, names: Option<&BTreeSet<String>>) {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, skill) in skills.iter().enumerate() {
        if names.is_none_or(|names| names.contains(skill.own_name())) {
            groups.entry(skill.own_name().to_owned()).or_default().push(index);
        }
    }
    for group in groups.into_values() {
        for index in &group {
            if skills[*index].state == State::Shadowed || skills[*index].is_renamed() {
                let alone = Skill::clone(&skills[*index]).alone();
                skills[*index] = Arc::new(alone);
            }
        }
        let mut rivals: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let loaded = |index: &&usize| skills[**index].state != State::Broken;
        let places: BTreeSet<_> = group
            .iter()
            .filter(loaded)
            .map(|index| &skills[*index].nested_in)
            .collect();
        let clash = places.len() > 1;
        for index in group.iter().filter(loaded) {
            let skill = &skills[*index];
            let name = match &skill.nested_in {
                Some(folder) if clash => format!("{folder}:{}", skill.own_name()),
                _ => skill.own_name().to_owned(),
            };
            rivals.entry(name).or_default().push(*index);
        }
        for (name, rivals) in rivals {
            let Some(winner) = winner(skills, &rivals, view) else {
                continue;
            };
            let path = skills[winner].path.clone();
            for index in rivals {
                if skills[index].name != name {
                    Arc::make_mut(&mut skills[index]).rename(Some(&name));
                }
                if index != winner && !view.is_some_and(|view| view.dialect.walk().keeps_all) {
                    let loser = Arc::make_mut(&mut skills[index]);
                    loser.state = State::Shadowed;
                    loser.shadowed_by.clone_from(&path);
                }
            }
        }
    }
}

fn winner(skills: &[Arc<Skill>], rivals: &[usize], view: Option<&Reader>) -> Option<usize> {
    let best = |reader: &Reader, rivals: &mut dyn Iterator<Item = usize>| {
        rivals.min_by(|a, b| compare(&skills[*a], &skills[*b], reader))
    };
    let mut all = rivals.iter().copied();
    if let Some(view) = view {
        return best(view, &mut all);
    }
    // The best of its own dialect, which then meets the best of the others.
    let best_of_dialect = |index: &usize| {
        let dialect = skills[*index].dialect;
        let mut own = rivals.iter().copied().filter(|rival| skills[*rival].dialect == dialect);
        best(reader(dialect), &mut own) == Some(*index)
    };
    best(&UNIFIED, &mut all.filter(best_of_dialect))
}

/// The better first. What a service put into the home comes after everything, and commands after skills.
fn compare(a: &Skill, b: &Skill, reader: &Reader) -> Ordering {
    let key = |skill: &Skill| {
        let is_synced = skill.source == Source::Synced;
        (is_synced, skill.kind == FileKind::Command, reader.rank(skill.source))
    };
    let place = (a.order, &a.path).cmp(&(b.order, &b.path));
    let place = if reader.last_wins { place.reverse() } else { place };
    key(a).cmp(&key(b)).then(place)
}
