//! `unquoted-colon`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A value without quotes that contains `: `: more than half of all broken frontmatter.
pub(super) const RULE: Rule = Rule {
    code: "unquoted-colon",
    summary: "a value that contains `: ` needs quotes",
    outcome: |policy| policy.unquoted_colon,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("unquoted_colon.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let errors = file
        .errors()
        .iter()
        .filter(|error| error.kind == SyntaxErrorKind::UnquotedColon);
    for error in errors {
        syntax_finding(&RULE, file, facts, error, report);
    }
}
