//! `duplicate-trigger`

use std::collections::HashMap;

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule, Tag, dead_trigger::triggers},
    syntax::SkillFile,
};

/// A trigger that stands twice.
pub(super) struct DuplicateTrigger;

impl Rule for DuplicateTrigger {
    fn code(&self) -> &'static str {
        "duplicate-trigger"
    }

    fn summary(&self) -> &'static str {
        "a trigger stands once"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        if policy.dialect.checked().triggers.is_none() {
            Outcome::Fine
        } else {
            Outcome::Doubts
        }
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let mut seen = HashMap::new();
        for trigger in triggers(file, facts) {
            let key = trigger.value.to_lowercase();
            if key.trim().is_empty() {
                continue;
            }
            match seen.get(&key) {
                Some(first) => {
                    let message = format!("`{}` stands twice; capitals make no difference", trigger.value);
                    let finding = report.add(severity, trigger.range, message);
                    finding.tags.push(Tag::Unnecessary);
                    finding.relate(*first, "it stands here first");
                }
                None => {
                    seen.insert(key, trigger.range);
                }
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("duplicate_trigger.md")
    }
}
