//! Which of several skills of one name counts.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use skills_schema::dialect::Dialect;
use skills_schema::facts::FileKind;
use skills_schema::reader::search::{SameName, Search};

use super::skill::{Skill, SkillState};
use skills_schema::reader::search::Source;

/// Sets the names and states of the skills that are called like one of `names`, or of all.
///
/// What its reader refuses stands in nobody's way. A nested skill keeps its name where no other has it, and is else
/// called by its folder too. Of one name the one counts that `view` takes; without a view, a dialect's own order
/// decides within it, and ours between dialects.
pub(super) fn resolve(skills: &mut [Arc<Skill>], view: Option<&Search>, names: Option<&BTreeSet<String>>) {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, skill) in skills.iter().enumerate() {
        if names.is_none_or(|names| names.contains(skill.own_name())) {
            groups.entry(skill.own_name().to_owned()).or_default().push(index);
        }
    }
    for group in groups.into_values() {
        for index in &group {
            if skills[*index].state == SkillState::Shadowed || skills[*index].is_renamed() {
                let alone = Skill::clone(&skills[*index]).alone();
                skills[*index] = Arc::new(alone);
            }
        }
        let mut rivals: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let loaded = |index: &&usize| skills[**index].state != SkillState::Broken;
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
                if index != winner && !view.is_some_and(|view| view.keeps_all) {
                    let loser = Arc::make_mut(&mut skills[index]);
                    loser.state = SkillState::Shadowed;
                    loser.shadowed_by.clone_from(&path);
                }
            }
        }
    }
}

fn winner(skills: &[Arc<Skill>], rivals: &[usize], view: Option<&Search>) -> Option<usize> {
    let best = |reader: &Search, rivals: &mut dyn Iterator<Item = usize>| {
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
        best(dialect.search(), &mut own) == Some(*index)
    };
    best(Dialect::Unified.search(), &mut all.filter(best_of_dialect))
}

/// Where a skill lies, as far as that decides which of several counts.
pub(super) struct Rival<'a> {
    pub(super) path: &'a Path,
    pub(super) source: Source,
    pub(super) is_command: bool,
    /// The order of its root among all roots.
    pub(super) order: usize,
}

impl<'a> Rival<'a> {
    fn of(skill: &'a Skill) -> Self {
        Self {
            path: skill.path.as_deref().unwrap_or(Path::new("")),
            source: skill.source,
            is_command: skill.kind == FileKind::Command,
            order: skill.order,
        }
    }
}

fn compare(a: &Skill, b: &Skill, reader: &Search) -> Ordering {
    compare_rivals(&Rival::of(a), &Rival::of(b), reader)
}

/// The better first. What a service put into the home comes after everything, and commands after skills.
pub(super) fn compare_rivals(a: &Rival<'_>, b: &Rival<'_>, reader: &Search) -> Ordering {
    let key = |place: &Rival<'_>| {
        let is_synced = place.source == Source::Synced;
        (is_synced, place.is_command, reader.rank(place.source))
    };
    let folder = |place: &Rival<'_>| {
        let folder = place.path.parent().unwrap_or(Path::new(""));
        folder.to_string_lossy().to_lowercase()
    };
    let place = (a.order, a.path).cmp(&(b.order, b.path));
    match reader.same_name {
        SameName::First | SameName::Any | SameName::Unstated => key(a).cmp(&key(b)).then(place),
        SameName::Last => key(a).cmp(&key(b)).then(place.reverse()),
        SameName::LastPath => folder(b).cmp(&folder(a)),
    }
}
