//! `multiline-description`

use crate::{
    dialect::{Dialect, Outcome, Policy},
    facts::Facts,
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A description of several lines.
pub(super) struct MultilineDescription;

impl Rule for MultilineDescription {
    fn code(&self) -> &'static str {
        "multiline-description"
    }

    fn summary(&self) -> &'static str {
        "a description is one line"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        match policy.dialect {
            Dialect::Gemini | Dialect::Unified => Outcome::Tolerates,
            _ => Outcome::Fine,
        }
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let Some(text) = field(file, facts, "description").and_then(|entry| entry.value.as_scalar()) else {
            return;
        };
        if !text.value.trim_end().contains('\n') {
            return;
        }
        let message = "Gemini CLI packs no skill whose description has several lines; write it on one";
        let words: Vec<&str> = text.value.split_whitespace().collect();
        let edits = vec![Edit::replace(text.range, scalar(&words.join(" ")))];
        let fix = Fix::unsafe_("Write it on one line", edits);
        report.add(severity, text.range, message).fix(fix);
    }

    fn documentation(&self) -> &'static str {
        include_str!("multiline_description.md")
    }
}
