//! `invalid-yaml`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, SyntaxErrorKind},
};

/// Frontmatter that is no YAML, in ways that have no rule of their own.
pub(super) const RULE: Rule = Rule {
    code: "invalid-yaml",
    summary: "the frontmatter must be YAML",
    outcome: |policy| policy.invalid_yaml,
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
    for error in file.errors().iter().filter(|error| !has_own_rule(error.kind)) {
        syntax_finding(&RULE, file, facts, error, report);
    }
}
