//! `deprecated-field`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fields::{FIELDS, Field},
    fixes::{Edit, Fix},
    rules::{Fate, Report, Rule, Tag, field, where_read},
    syntax::{Entry, SkillFile},
};

/// A field that is out of use.
pub(super) const RULE: Rule = Rule {
    code: "deprecated-field",
    summary: "a deprecated field",
    outcome,
    documentation: include_str!("deprecated_field.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    FIELDS
        .iter()
        .filter(|it| it.deprecated.is_some())
        .map(|it| outcome_of(reader, it))
        .max()
        .unwrap_or(Outcome::Fine)
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for known in FIELDS {
        let (Some(instead), Some(entry)) = (known.deprecated, field(file, facts, known.name)) else {
            continue;
        };
        let Some(severity) = facts.severity(|reader| outcome_of(reader, known)) else {
            continue;
        };
        // The documents of its reader, which somebody chose to follow, still have it.
        let is_documented = || facts.checked().triggers.is_some_and(|triggers| triggers.reads_mapping);
        if known.name == "trigger" && facts.profile.is_some() && is_documented() {
            continue;
        }
        let message = format!("`{}` is deprecated; use `{instead}`", known.name);
        let finding = report.add_at(severity, entry.key.range, message);
        finding.affects_all(facts, Fate::Ignored, known.readers.iter().map(|(reader, _)| *reader));
        finding.tags.push(Tag::Deprecated);
        finding.fixes.extend(replace(file, entry, instead));
    }
}

fn outcome_of(reader: Dialect, field: &Field) -> Outcome {
    let own = if reader == Dialect::Unified {
        Outcome::Tolerates
    } else {
        Outcome::Recovers
    };
    where_read(reader, field.name, own)
}

/// The other field, with the list that stands in this one.
fn replace(file: &SkillFile, entry: &Entry, instead: &str) -> Option<Fix> {
    if file.entry(instead).is_some() {
        return None;
    }
    let list = ["keywords", instead].iter().find_map(|key| entry.value.get(key))?;
    let items: Vec<&str> = list.items().iter().map(|item| file.slice(item.range)).collect();
    if items.is_empty() || items.iter().any(|item| item.contains(['\n', '\r', ',', '[', ']'])) {
        return None;
    }
    let text = format!("{instead}: [{}]", items.join(", "));
    Some(Fix::unsafe_(
        format!("Write `{instead}`"),
        vec![Edit::replace(entry.range, text)],
    ))
}
