//! `tab-indentation`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A tab where YAML wants spaces.
pub(super) struct TabIndentation;

impl Rule for TabIndentation {
    fn code(&self) -> &'static str {
        "tab-indentation"
    }

    fn summary(&self) -> &'static str {
        "YAML is indented with spaces, never with tabs"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_yaml
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::WITH_FRONTMATTER
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let errors = file.errors().iter().filter(|error| error.kind == SyntaxErrorKind::Tab);
        for error in errors {
            syntax_finding(self, file, facts, error, report);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("tab_indentation.md")
    }
}
