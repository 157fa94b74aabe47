//! `broad-pattern`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    pattern,
    rules::{Report, Rule, invalid_regex::patterns, where_read},
    syntax::SkillFile,
};

/// A pattern that matches every call.
pub(super) struct BroadPattern;

impl Rule for BroadPattern {
    fn code(&self) -> &'static str {
        "broad-pattern"
    }

    fn summary(&self) -> &'static str {
        "a pattern matches some calls, not all"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        where_read(policy, "danger_patterns", Outcome::Recovers)
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        for scalar in patterns(file, facts) {
            if pattern::matches_everything(&scalar.value) {
                let message = "this is found in every call, so it stops all; name what is dangerous";
                report.add(severity, scalar.range, message);
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("broad_pattern.md")
    }
}
