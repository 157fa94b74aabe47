//! Which skills a message activates, and what the model is told about those that it may choose.

pub mod briefing;
pub mod known;
pub mod usage;

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use skills_schema::dialect::runtime::{OnMatch, Runtime};
use skills_schema::facts::FileKind;
use skills_schema::listing::{self, Budget, Listing, ListingEntry};
use skills_schema::requires::{self, Requirements};
use skills_schema::trigger::{self, Candidate, Decision, Match};

use self::usage::Uses;
use crate::catalog::{Catalog, Skill, SkillState, Source};

/// What a message does to each skill of the catalog, in its order. `was_told` tells which are in the conversation
/// already.
pub fn by_message(catalog: &Catalog, message: &str, was_told: impl Fn(&Skill) -> bool) -> Vec<Decision> {
    let counting: Vec<&Skill> = catalog
        .skills
        .iter()
        .map(|skill| &**skill)
        .filter(|skill| counts(skill))
        .collect();
    let candidates: Vec<Candidate<'_>> = counting
        .iter()
        .map(|skill| Candidate {
            name: &skill.name,
            triggers: &skill.metadata.triggers,
            runtime: skill.runtime,
            is_pure: skill.metadata.tools.is_empty() && skill.metadata.body > 0,
            is_flat: skill.kind == FileKind::FlatSkill,
            has_paths: !skill.metadata.paths.is_empty(),
            was_told: was_told(skill),
        })
        .collect();
    let mut decisions = trigger::decide(&candidates, message).into_iter();
    let decision = |skill: &Skill| match skill.state {
        SkillState::Shadowed => Decision::Inactive("another skill of its name counts".to_owned()),
        SkillState::Broken => Decision::Inactive("it is not loaded".to_owned()),
        SkillState::Listed | SkillState::Hidden => decisions
            .next()
            .unwrap_or_else(|| Decision::Inactive("it has no trigger".to_owned())),
    };
    catalog.skills.iter().map(|skill| &**skill).map(decision).collect()
}

/// The skills that a message activates, in the order in which they come into the conversation.
pub fn active<'a>(catalog: &'a Catalog, message: &str, was_told: impl Fn(&Skill) -> bool) -> Vec<(&'a Skill, Match)> {
    let decisions = by_message(catalog, message, was_told);
    let active = |(skill, decision): (&'a Arc<Skill>, Decision)| match decision {
        Decision::Active(found) => Some((&**skill, found)),
        Decision::Inactive(_) => None,
    };
    let mut active: Vec<_> = catalog.skills.iter().zip(decisions).filter_map(active).collect();
    active.sort_by_key(|(_, found)| found.rank);
    active
}

/// What a skill needs beside itself.
pub fn requirements(catalog: &Catalog, name: &str) -> Requirements {
    let names: Vec<&str> = catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
    requires::resolve(name, |name| Some(&catalog.get(name)?.metadata.requires[..]), &names)
}

/// What the model is told about the skills it may choose: those that are listed, and those that wait for a file and
/// are active; and of the tools that skills define, with or without them. Holds no instructions. What was used more keeps
/// its description first.
pub fn prompt(
    catalog: &Catalog,
    reader: &Runtime,
    budget: Budget,
    uses: &Uses,
    is_active: impl Fn(&Skill) -> bool,
) -> Listing {
    let now = SystemTime::now();
    let skills = catalog.skills.iter().map(|skill| &**skill);
    let told: Vec<&Skill> = skills.filter(|skill| is_offered(skill, &is_active)).collect();
    let locations: Vec<String> = told
        .iter()
        .map(|skill| {
            skill
                .path
                .as_deref()
                .map(Path::to_string_lossy)
                .unwrap_or_default()
                .into_owned()
        })
        .collect();
    let entries: Vec<ListingEntry<'_>> = told
        .iter()
        .zip(&locations)
        .map(|(skill, location)| ListingEntry {
            name: &skill.name,
            description: skill.description.as_deref().unwrap_or_default(),
            when_to_use: skill.metadata.when_to_use.as_deref().unwrap_or_default(),
            location,
            source: skill.source.name(),
            allowed_tools: &skill.metadata.allowed_tools,
            tools: skill.metadata.tools.len(),
            body: skill.metadata.body,
            left_out: skill.metadata.behind_first_line,
            priority: skill.metadata.priority,
            is_bundled: skill.source == Source::Bundled,
            uses: uses.get(&skill.name).map_or(0, |used| used.count),
            days: uses.get(&skill.name).map_or(0.0, |used| used.days(now)),
        })
        .collect();
    let mut listing = listing::listing(&entries, reader, budget, listing::by_use);
    let named = catalog
        .skills
        .iter()
        .filter(|skill| counts(skill) && skill.runtime.names_tools);
    let tools = named.flat_map(|skill| &skill.metadata.tools);
    // Their code belongs to the system that they were made for.
    let tools = listing::tools_section(tools, |_| false);
    if reader.names_tools && !tools.is_empty() {
        let gap = if listing.text.is_empty() { "" } else { "\n\n" };
        listing.text = format!("{}{gap}{tools}", listing.text);
    }
    listing
}

/// Whether the model may choose a skill: it is listed, or waits for a file and is active.
fn is_offered(skill: &Skill, is_active: impl Fn(&Skill) -> bool) -> bool {
    let lists = skill.runtime.paths.is_some_and(|paths| paths.effect == OnMatch::List);
    let waits = skill.state == SkillState::Hidden && !skill.metadata.disable_model_invocation && lists;
    skill.state == SkillState::Listed && !skill.is_always_on() || waits && is_active(skill)
}

fn counts(skill: &Skill) -> bool {
    matches!(skill.state, SkillState::Listed | SkillState::Hidden)
}
