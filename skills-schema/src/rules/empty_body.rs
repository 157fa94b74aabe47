//! `empty-body`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// A skill without instructions.
pub(super) struct EmptyBody;

impl Rule for EmptyBody {
    fn code(&self) -> &'static str {
        "empty-body"
    }

    fn summary(&self) -> &'static str {
        "a skill says what to do"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Doubts
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let Some(close) = file.frontmatter.as_ref().and_then(|it| it.close) else {
            return;
        };
        let is_guidance = file.entry("tools").is_none_or(|it| it.value.items().is_empty());
        if facts.kind != FileKind::AlwaysOn && is_guidance && file.slice(file.body.range).trim().is_empty() {
            report.add(
                severity,
                close,
                "the skill has no instructions; write below what is to be done",
            );
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("empty_body.md")
    }
}
