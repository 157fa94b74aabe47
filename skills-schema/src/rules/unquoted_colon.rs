//! `unquoted-colon`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_findings},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A value without quotes that contains `: `: more than half of all broken frontmatter.
pub(super) const RULE: Rule = Rule {
    code: "unquoted-colon",
    summary: "a value with `: ` and no quotes",
    outcome: |reader| reader.policy().unquoted_colon,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("unquoted_colon.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    syntax_findings(
        &RULE,
        file,
        facts,
        |kind| kind == SyntaxErrorKind::UnquotedColon,
        report,
    );
}
