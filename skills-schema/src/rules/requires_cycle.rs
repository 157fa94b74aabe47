//! `requires-cycle`

use std::collections::BTreeSet;

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind, Names},
    rules::{Needs, Report, Rule, unknown_skill::listed},
    syntax::SkillFile,
};

/// A skill that requires itself, or too long a chain.
pub(super) struct RequiresCycle;

/// How deep Wolffish 1.0 follows.
const MAX_DEPTH: usize = 3;

impl Rule for RequiresCycle {
    fn code(&self) -> &'static str {
        "requires-cycle"
    }

    fn summary(&self) -> &'static str {
        "what a skill requires ends after three steps"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.unmet_requirement
    }

    fn needs(&self) -> Needs {
        Needs::Catalog
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill, FileKind::FlatSkill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let (Some(names), Some(severity)) = (facts.around.names, facts.severity(|policy| self.outcome(policy))) else {
            return;
        };
        let known = names.at(facts.path).map(|own| own.name.as_str());
        let (Some(own), Some(entry)) = (known.or(facts.folder), file.entry("requires")) else {
            return;
        };
        for (name, range) in listed(&entry.value) {
            let mut seen = BTreeSet::new();
            if let Some(chain) = cycle(own, &mut vec![own, name], names, &mut seen) {
                let message = format!("`{own}` requires itself: {chain}; take one step out");
                report.add(severity, range, message);
            } else if let Some(chain) = too_deep(&mut vec![own, name], names) {
                let message =
                    format!("Wolffish follows {MAX_DEPTH} steps and no more: {chain}; require the last directly");
                report.add(severity, range, message);
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("requires_cycle.md")
    }
}

/// The way back to the first skill. Each skill is entered once.
fn cycle<'a>(own: &str, chain: &mut Vec<&'a str>, names: &'a Names, seen: &mut BTreeSet<&'a str>) -> Option<String> {
    let last = *chain.last()?;
    if last == own {
        return Some(shown(chain));
    }
    // What the rest of a long chain requires is its own matter.
    if !seen.insert(last) || chain.len() > MAX_SHOWN {
        return None;
    }
    next(last, names).find_map(|name| {
        chain.push(name);
        let found = cycle(own, chain, names, seen);
        chain.pop();
        found
    })
}

/// The longest chain that is followed, and so the deepest recursion.
const MAX_SHOWN: usize = 32;

/// A chain that is longer than what is followed.
fn too_deep<'a>(chain: &mut Vec<&'a str>, names: &'a Names) -> Option<String> {
    if chain.len() > MAX_DEPTH + 1 {
        return Some(shown(chain));
    }
    next(chain.last()?, names).take(MAX_SHOWN).find_map(|name| {
        chain.push(name);
        let found = too_deep(chain, names);
        chain.pop();
        found
    })
}

fn next<'a>(name: &str, names: &'a Names) -> impl Iterator<Item = &'a str> {
    let skill = names.get(name);
    skill
        .into_iter()
        .flat_map(|skill| skill.requires.iter().map(String::as_str))
}

fn shown(chain: &[&str]) -> String {
    let names: Vec<String> = chain.iter().map(|name| format!("`{name}`")).collect();
    names.join(" → ")
}
