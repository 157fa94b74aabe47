//! `weak-description`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A description that tells too little.
pub(super) const RULE: Rule = Rule {
    code: "weak-description",
    summary: "a description that does not say what the skill does or when to use it",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("weak_description.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(scalar) = field(file, facts, "description")
        .filter(|_| facts.kind == FileKind::Skill)
        .and_then(|entry| entry.value.as_scalar())
    else {
        return;
    };
    let text = scalar.value.trim().to_lowercase();
    let says_when = file.entry("when_to_use").is_some() || WHEN.iter().any(|it| text.contains(it));
    let is_in_person = PERSONS.iter().any(|it| text.starts_with(it));
    let message = if text.is_empty() {
        return;
    } else if is_in_person {
        "write in the third person: `Ships the service.`"
    } else if text.chars().count() < LEAST {
        "short description; say what the skill does and when to use it"
    } else if !says_when {
        "the description does not say when to use the skill; add `Use when …`"
    } else {
        return;
    };
    report.add(scalar.range, message);
}

const LEAST: usize = 20;

const WHEN: &[&str] = &[
    "when", "use for", "use to", "if ", "before", "after", "whenever", "trigger", "asks", "during",
];

const PERSONS: &[&str] = &["i ", "i'", "we ", "you ", "my "];
