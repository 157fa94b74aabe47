//! Which skills a message activates.

use skills_agent::activation;
use skills_agent::catalog::{Catalog, Listed, SkillState, Why, WhyKind};
use skills_schema::TextRange;
use skills_schema::trigger::{Decision, MatchKind};

/// Adds what a message activates, with the skills that those need, and why it does not activate the others.
pub fn add(catalog: &Catalog, listed: &mut [Listed], message: &str, has_file: bool) {
    let decisions = activation::by_message(catalog, message, |_| false);
    let mut needed: Vec<(String, String)> = Vec::new();
    for (listed, decision) in listed.iter_mut().zip(decisions) {
        match decision {
            Decision::Active(found) => {
                listed.why.push(Why {
                    kind: match found.kind {
                        MatchKind::Always => WhyKind::Always,
                        MatchKind::Keyword => WhyKind::Keyword,
                        MatchKind::Task => WhyKind::Task,
                    },
                    text: found.text,
                    range: found.range.unwrap_or_default(),
                    matched: message[found.matched].to_owned(),
                });
                listed.why_not = None;
                let requirements = activation::requirements(catalog, &listed.skill.name);
                needed.extend(
                    requirements
                        .names
                        .into_iter()
                        .map(|name| (name, listed.skill.name.clone())),
                );
            }
            Decision::Inactive(reason) if listed.why.is_empty() && listed.skill.errors.is_empty() => {
                let skill = &listed.skill;
                let has_keywords = skill.metadata.triggers.keywords(skill.runtime).next().is_some();
                let has_paths = has_file && !skill.metadata.paths.is_empty();
                listed.why_not = Some(match listed.why_not.take().filter(|_| has_paths) {
                    Some(file) => format!("{file}; {reason}"),
                    None if has_keywords => reason,
                    None => format!("{reason}; {}", skill.chooser()),
                });
            }
            Decision::Inactive(_) => {}
        }
    }
    for (name, by) in needed {
        let counts = |listed: &&mut Listed| {
            listed.skill.name == name && matches!(listed.skill.state, SkillState::Listed | SkillState::Hidden)
        };
        if let Some(listed) = listed.iter_mut().find(counts) {
            listed.why.push(Why {
                kind: WhyKind::RequiredBy,
                text: by,
                range: TextRange::default(),
                matched: String::new(),
            });
            listed.why_not = None;
        }
    }
}
