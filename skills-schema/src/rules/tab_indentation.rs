//! `tab-indentation`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_findings},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// A tab where YAML wants spaces.
pub(super) const RULE: Rule = Rule {
    code: "tab-indentation",
    summary: "YAML that is indented with tabs",
    outcome: |reader| reader.policy().invalid_yaml,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("tab_indentation.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    syntax_findings(&RULE, file, facts, |kind| kind == SyntaxErrorKind::Tab, report);
}
