//! `duplicate-trigger`

use std::collections::HashMap;

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, Tag, dead_trigger::triggers, where_triggered},
    syntax::SkillFile,
};

/// A trigger that stands twice.
pub(super) const RULE: Rule = Rule {
    code: "duplicate-trigger",
    summary: "a duplicate trigger",
    outcome: |reader| where_triggered(reader, Outcome::Doubts),
    documentation: include_str!("duplicate_trigger.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let mut seen = HashMap::new();
    for trigger in triggers(file, facts) {
        let key = trigger.value.to_lowercase();
        if key.trim().is_empty() {
            continue;
        }
        match seen.get(&key) {
            Some(first) => {
                let message = format!("duplicate trigger `{}`; letter case is ignored", trigger.value);
                let finding = report.add(trigger.range, message);
                finding.tags.push(Tag::Unnecessary);
                finding.relate(*first, "first one here");
            }
            None => {
                seen.insert(key, trigger.range);
            }
        }
    }
}
