//! `invalid-yaml`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_findings},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// Frontmatter that is no YAML, in ways that have no rule of their own.
pub(super) const RULE: Rule = Rule {
    code: "invalid-yaml",
    summary: "frontmatter that is not YAML",
    outcome: |reader| reader.policy().invalid_yaml,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("invalid_yaml.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let has_own_rule = |kind| {
        use SyntaxErrorKind::{MissingSpace, Reserved, Tab, UnquotedColon};
        matches!(kind, UnquotedColon | MissingSpace | Tab | Reserved)
    };
    syntax_findings(&RULE, file, facts, |kind| !has_own_rule(kind), report);
}
