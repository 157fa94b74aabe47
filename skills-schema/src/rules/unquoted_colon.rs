//! `unquoted-colon`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A value without quotes that contains `: `: more than half of all broken frontmatter.
pub(super) struct UnquotedColon;

impl Rule for UnquotedColon {
    fn code(&self) -> &'static str {
        "unquoted-colon"
    }

    fn summary(&self) -> &'static str {
        "a value that contains `: ` needs quotes"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.unquoted_colon
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::WITH_FRONTMATTER
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let errors = file
            .errors()
            .iter()
            .filter(|error| error.kind == SyntaxErrorKind::UnquotedColon);
        for error in errors {
            syntax_finding(self, file, facts, error, report);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("unquoted_colon.md")
    }
}
