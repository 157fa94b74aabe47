//! `invalid-yaml`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// Frontmatter that is no YAML, in ways that have no rule of their own.
pub(super) struct InvalidYaml;

impl Rule for InvalidYaml {
    fn code(&self) -> &'static str {
        "invalid-yaml"
    }

    fn summary(&self) -> &'static str {
        "the frontmatter must be YAML"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_yaml
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::WITH_FRONTMATTER
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let has_own_rule = |kind| {
            use SyntaxErrorKind::{MissingSpace, Reserved, Tab, UnquotedColon};
            matches!(kind, UnquotedColon | MissingSpace | Tab | Reserved)
        };
        for error in file.errors().iter().filter(|error| !has_own_rule(error.kind)) {
            syntax_finding(self, file, facts, error, report);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("invalid_yaml.md")
    }
}
