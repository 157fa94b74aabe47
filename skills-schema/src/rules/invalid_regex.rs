//! `invalid-regex`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    pattern,
    rules::{Report, Rule, dead_trigger::triggers, field, where_read},
    syntax::{Node, NodeKind, Scalar, SkillFile},
};

/// A regular expression that can't be read.
pub(super) const RULE: Rule = Rule {
    code: "invalid-regex",
    summary: "an invalid regular expression",
    outcome,
    documentation: include_str!("invalid_regex.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    match where_read(reader, "danger_patterns", Outcome::Misreads) {
        // Our own reading says so and asks about every call instead.
        Outcome::Misreads if reader == Dialect::Unified => Outcome::Recovers,
        outcome => outcome,
    }
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for scalar in patterns(file, facts) {
        if let Some(fault) = pattern::fault(&scalar.value) {
            let range = scalar.part(&file.text, fault.range);
            report.add(range, format!("the pattern never matches: {}", fault.message));
        }
    }
    let policy = facts.checked().triggers;
    if !policy.is_some_and(|policy| policy.reads_regex) {
        return;
    }
    for scalar in triggers(file, facts) {
        let Some(regex) = scalar.value.strip_prefix("regex:") else {
            continue;
        };
        if let Some(fault) = pattern::fault(regex) {
            let at = scalar.value.len() - regex.len();
            let range = scalar.part(&file.text, at + fault.range.start..at + fault.range.end);
            report.add(range, fault.message);
        }
    }
}

/// The patterns that guard calls of tools, in both spellings.
pub(super) fn patterns<'a>(file: &'a SkillFile, facts: &Facts<'_>) -> Vec<&'a Scalar> {
    let entries = ["danger_patterns", "confirm_patterns"]
        .into_iter()
        .filter_map(|name| field(file, facts, name));
    let text = |item: &'a Node| match &item.kind {
        NodeKind::Mapping(_) => item.get("pattern")?.as_scalar(),
        _ => item.as_scalar(),
    };
    entries
        .flat_map(|entry| entry.value.items())
        .filter_map(text)
        .filter(|scalar| !scalar.is_null())
        .collect()
}
