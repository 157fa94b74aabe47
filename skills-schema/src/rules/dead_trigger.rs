//! `dead-trigger`

use crate::{
    dialect::{
        Outcome,
        runtime::{Matcher, Triggers},
    },
    facts::Facts,
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule, field, texts, where_triggered},
    shown::one_line,
    syntax::{Node, Scalar, SkillFile},
};

/// A trigger that no message brings about.
pub(super) const RULE: Rule = Rule {
    code: "dead-trigger",
    summary: "a trigger that no message can contain",
    outcome: |reader| where_triggered(reader, Outcome::Recovers),
    documentation: include_str!("dead_trigger.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let policy = facts.checked().triggers;
    for trigger in triggers(file, facts) {
        let Some(message) = fault(&trigger.value, policy) else {
            continue;
        };
        let finding = report.add(trigger.range, message);
        let better = one_line(&trigger.value);
        if !better.is_empty() && better != trigger.value {
            let edit = Edit::replace(trigger.range, scalar(&better));
            finding.fix(Fix::unsafe_(format!("Write `{better}`"), vec![edit]));
        }
    }
}

/// The texts that bring a skill in.
pub(super) fn triggers<'a>(file: &'a SkillFile, facts: &Facts<'_>) -> Vec<&'a Scalar> {
    let own = field(file, facts, "triggers").map(|entry| &entry.value);
    let nested = field(file, facts, "trigger").map(|entry| &entry.value);
    let nested = ["keywords", "triggers"].into_iter().filter_map(|key| nested?.get(key));
    own.into_iter()
        .chain(nested)
        .flat_map(Node::items)
        .flat_map(texts)
        .collect()
}

fn fault(trigger: &str, policy: Option<Triggers>) -> Option<String> {
    let is_literal = policy.is_some_and(|policy| !policy.star_is_always);
    let blank = trigger.trim();
    if blank.is_empty() && policy.is_none_or(|policy| policy.matcher != Matcher::Substring) {
        return Some("an empty trigger never matches; remove it".to_owned());
    }
    if is_literal && trigger == "*" {
        return Some("`*` is taken literally; for a skill that is always active, remove `triggers`".to_owned());
    }
    if is_literal
        && (trigger.starts_with("regex:")
            || [".*", ".+", "\\b", "\\s", "\\w", "\\d"]
                .iter()
                .any(|it| trigger.contains(it)))
    {
        return Some("triggers are plain text here, not regular expressions".to_owned());
    }
    if trigger.contains(['\n', '\r', '\t']) || trigger.contains("  ") {
        return Some("spaces must match exactly; write one between words".to_owned());
    }
    (!blank.is_empty() && blank.len() < trigger.len())
        .then(|| "leading or trailing spaces keep this from matching; remove them".to_owned())
}
