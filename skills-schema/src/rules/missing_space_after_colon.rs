//! `missing-space-after-colon`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// `name:foo`, which YAML reads as one word.
pub(super) struct MissingSpaceAfterColon;

impl Rule for MissingSpaceAfterColon {
    fn code(&self) -> &'static str {
        "missing-space-after-colon"
    }

    fn summary(&self) -> &'static str {
        "a key needs a space after its colon"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_yaml
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let errors = file
            .errors()
            .iter()
            .filter(|error| error.kind == SyntaxErrorKind::MissingSpace);
        for error in errors {
            syntax_finding(self, file, facts, error, report);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("missing_space_after_colon.md")
    }
}
