//! `broad-pattern`

use crate::{
    dialect::Outcome,
    facts::Facts,
    pattern,
    rules::{Report, Rule, invalid_regex::patterns, where_read},
    syntax::SkillFile,
};

/// A pattern that matches every call.
pub(super) const RULE: Rule = Rule {
    code: "broad-pattern",
    summary: "a pattern that matches every call",
    outcome: |reader| where_read(reader, "danger_patterns", Outcome::Recovers),
    documentation: include_str!("broad_pattern.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for scalar in patterns(file, facts) {
        if pattern::matches_everything(&scalar.value) {
            let message = "this matches every call; match only what is dangerous";
            report.add(scalar.range, message);
        }
    }
}
