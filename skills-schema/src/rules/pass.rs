//! Which rules run when, and what one of them finds.

use crate::{
    facts::Facts,
    rules::{Finding, Report, Rule},
    syntax::SkillFile,
};

/// When rules run: those that need the text alone at every keystroke, the others when what they need is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The rules that need the text alone.
    Text,
    /// The rules that need what is around the file.
    Around,
}

impl Pass {
    /// Whether a rule runs in this pass.
    pub fn runs(self, rule: &Rule, facts: &Facts<'_>) -> bool {
        rule.look.is_none() == (self == Pass::Text) && rule.kinds.contains(&facts.kind) && rule.is_on(facts)
    }
}

/// What one rule finds, whether it is on or off, in the order in which it finds it.
pub fn check_rule(rule: &Rule, file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let Some(severity) = facts.severity(rule.outcome) else {
        return Vec::new();
    };
    let mut report = Report::of(rule.code, severity);
    rule.run(file, facts, &mut report);
    report.findings
}
