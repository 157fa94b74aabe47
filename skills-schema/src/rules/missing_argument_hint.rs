//! `missing-argument-hint`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field, where_read},
    syntax::{PlaceholderKind, SkillFile},
};

/// Arguments of which the menu says nothing.
pub(super) const RULE: Rule = Rule {
    code: "missing-argument-hint",
    summary: "arguments without an `argument-hint`",
    outcome: |reader| where_read(reader, "argument-hint", Outcome::Doubts),
    default_off: true,
    documentation: include_str!("missing_argument_hint.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let is_said = field(file, facts, "argument-hint").is_some() || field(file, facts, "arguments").is_some();
    if is_said || file.frontmatter.is_none() || !file.slice(file.body.range).contains("$ARGUMENTS") {
        return;
    }
    let mut placeholders = file.markdown().placeholders.iter();
    let takes = |kind| matches!(kind, PlaceholderKind::Arguments | PlaceholderKind::Index(_));
    if let Some(first) = placeholders.find(|it| takes(it.kind) && !it.is_escaped) {
        let message = "the body uses arguments; describe them in `argument-hint`";
        report.add(first.range, message);
    }
}
