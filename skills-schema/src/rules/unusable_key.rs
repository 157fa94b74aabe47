//! `unusable-key`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{Scalar, SkillFile, Style},
};

/// A key that a reader can't take.
pub(super) const RULE: Rule = Rule {
    code: "unusable-key",
    summary: "a key that is not text, or clashes with a reader's own",
    outcome: |reader| reader.policy().unusable_key,
    documentation: include_str!("unusable_key.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    for entry in file.entries().iter().filter(|entry| entry.colon.is_some()) {
        let key = &entry.key;
        let is_text = !is_other(key);
        let outcome = |reader: Dialect| match (is_text, reader.policy().reserved_keys.contains(&key.value.as_str())) {
            (false, _) => reader.policy().unusable_key,
            (true, true) => Outcome::Drops,
            (true, false) => Outcome::Fine,
        };
        let Some(severity) = facts.severity(outcome) else {
            continue;
        };
        let message = if is_text {
            format!("the key `{}` is reserved; choose another", key.value)
        } else {
            format!("YAML does not read the key `{}` as text; quote it", key.value)
        };
        let finding = report.add_at(severity, key.range, message);
        finding.dropped(facts, outcome);
        if !is_text {
            let edits = vec![
                Edit::insert(key.range.start(), "\""),
                Edit::insert(key.range.end(), "\""),
            ];
            finding.fix(Fix::safe("Quote the key", edits));
        }
    }
}

/// Whether YAML 1.1 reads a key as something that is no text.
fn is_other(key: &Scalar) -> bool {
    let value = key.value.as_str();
    let lower = value.to_ascii_lowercase();
    let is_word = matches!(lower.as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "null")
        && (value == lower || value == lower.to_ascii_uppercase() || value[1..] == lower[1..]);
    let is_number = value.starts_with(|c: char| c.is_ascii_digit()) && value.replace('_', "").parse::<f64>().is_ok();
    key.style == Style::Plain && (is_word || is_number || value == "~")
}
