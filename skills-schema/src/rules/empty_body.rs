//! `empty-body`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// A skill without instructions.
pub(super) const RULE: Rule = Rule {
    code: "empty-body",
    summary: "no instructions below the frontmatter",
    outcome: |_| Outcome::Doubts,
    default_off: true,
    documentation: include_str!("empty_body.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(close) = file.frontmatter.as_ref().and_then(|it| it.close) else {
        return;
    };
    let is_guidance = file.entry("tools").is_none_or(|it| it.value.items().is_empty());
    if facts.kind != FileKind::AlwaysOn && is_guidance && file.slice(file.body.range).trim().is_empty() {
        report.add(close, "the skill has no instructions");
    }
}
