//! `field-without-effect`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    fixes::{Edit, Fix},
    reader::{PassedOver, When},
    rules::{Fate, Report, Rule, Tag, field, indentation, where_read},
    syntax::SkillFile,
};

/// A field that the reader passes over where it stands.
pub(super) const RULE: Rule = Rule {
    code: "field-without-effect",
    summary: "a field that has no effect here",
    outcome,
    documentation: include_str!("field_without_effect.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    let rows = passed_over().map(|(_, row)| where_read(reader, row.field, Outcome::Recovers));
    rows.max().unwrap_or(Outcome::Fine)
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for (by, row) in passed_over() {
        let reads = |reader: Dialect| match reader {
            Dialect::Unified => row.ours,
            reader if reader == by => Outcome::Recovers,
            _ => Outcome::Fine,
        };
        let (Some(entry), Some(severity)) = (field(file, facts, row.field), facts.severity(reads)) else {
            continue;
        };
        if holds(row.when, file, facts) {
            let message = format!("`{}` has no effect here: {}", row.field, row.why);
            let finding = report.add_at(severity, entry.key.range, message);
            finding.affects(facts, by, Fate::Ignored, None);
            finding.tags.push(Tag::Unnecessary);
            if let (Some((title, line)), Some(blanks)) = (row.repair, indentation(&file.text, entry)) {
                let edit = Edit::insert(entry.range.start(), format!("{line}\n{blanks}"));
                finding.fix(Fix::unsafe_(title, vec![edit]));
            }
        }
    }
    let Some(severity) = facts.severity(|reader| where_read(reader, "metadata", Outcome::Doubts)) else {
        return;
    };
    for entry in field(file, facts, "metadata").map_or(&[][..], |entry| entry.value.entries()) {
        let name = entry.key.value.as_str();
        let is_field = Field::find(FIELDS, name).is_some_and(|it| it.is_read_by(facts.dialect));
        // goose reads two of them here.
        let here = Field::at_path(["metadata", name]).map_or(&[][..], |it| it.readers);
        let is_read = here
            .iter()
            .any(|(reader, _)| facts.is_read_by(*reader) || facts.dialect == Dialect::Unified);
        if is_field && !is_read && BEHAVIOUR.contains(&name) && file.entry(name).is_none() {
            let message = format!("no reader looks for `{name}` under `metadata`; move it to the top level");
            report
                .add_at(severity, entry.key.range, message)
                .tags
                .push(Tag::Unnecessary);
        }
    }
}

/// The fields that some reader passes over in some files.
fn passed_over() -> impl Iterator<Item = (Dialect, &'static PassedOver)> {
    let of = |reader: Dialect| reader.reader().passed_over.iter().map(move |row| (reader, row));
    Dialect::ALL.into_iter().flat_map(of)
}

fn holds(when: When, file: &SkillFile, facts: &Facts<'_>) -> bool {
    let has_value = |field| file.entry(field).is_some_and(|entry| !entry.value.is_null());
    match when {
        When::Without(field) => !has_value(field),
        When::Beside(field) => has_value(field),
        When::InCommand => facts.kind == FileKind::Command,
        When::InSkill => facts.kind == FileKind::Skill,
    }
}

/// Fields that make a reader do something, so that somebody misses it.
const BEHAVIOUR: &[&str] = &[
    "paths",
    "allowed-tools",
    "disallowed-tools",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "context",
    "model",
    "effort",
    "hooks",
    "when_to_use",
    "triggers",
    "inputs",
    "danger_patterns",
    "confirm_patterns",
];
