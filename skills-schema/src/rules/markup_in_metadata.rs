//! `markup-in-metadata`

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A description with an angle bracket, for a reader that takes it for markup.
pub(super) const RULE: Rule = Rule {
    code: "markup-in-metadata",
    summary: "an angle bracket in a description",
    outcome: |reader| reader.policy().angle_bracket,
    documentation: include_str!("markup_in_metadata.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(severity) = facts.severity(RULE.outcome).filter(|_| facts.kind == FileKind::Skill) else {
        return;
    };
    let Some(scalar) = field(file, facts, "description").and_then(|entry| entry.value.as_scalar()) else {
        return;
    };
    let Some(at) = scalar.value.find(['<', '>']) else {
        return;
    };
    let bracket = &scalar.value[at..=at];
    let finding = report.add_at(
        severity,
        scalar.part(&file.text, at..at + 1),
        format!("`{bracket}` in `description` is taken for markup; write it in words"),
    );
    finding.dropped(facts, RULE.outcome);
}
