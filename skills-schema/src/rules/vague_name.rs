//! `vague-name`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A name that says nothing.
pub(super) const RULE: Rule = Rule {
    code: "vague-name",
    summary: "a name that does not say what the skill does",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("vague_name.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(scalar) = field(file, facts, "name")
        .filter(|_| facts.kind == FileKind::Skill)
        .and_then(|entry| entry.value.as_scalar())
    else {
        return;
    };
    if VAGUE.contains(&scalar.value.trim()) {
        let message = format!(
            "vague name `{}`; say what the skill does, as in `ship-release`",
            scalar.value.trim()
        );
        report.add(scalar.range, message);
    }
}

const VAGUE: &[&str] = &[
    "helper",
    "helpers",
    "util",
    "utils",
    "tool",
    "tools",
    "document",
    "documents",
    "data",
    "file",
    "files",
    "misc",
    "general",
    "skill",
    "skills",
    "my-skill",
    "test",
    "stuff",
    "common",
];
