//! `reserved-character`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A value that starts with a character which means something in YAML: `@`, `` ` ``, `%`, `*`, `&`, `!`.
pub(super) struct ReservedCharacter;

impl Rule for ReservedCharacter {
    fn code(&self) -> &'static str {
        "reserved-character"
    }

    fn summary(&self) -> &'static str {
        "a value that starts with a character of YAML needs quotes"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_yaml
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let errors = file
            .errors()
            .iter()
            .filter(|error| error.kind == SyntaxErrorKind::Reserved);
        for error in errors {
            syntax_finding(self, file, facts, error, report);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("reserved_character.md")
    }
}
