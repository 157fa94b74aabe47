//! `unknown-field`

use std::collections::HashSet;

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fields::{Field, Place, UNREAD},
    fixes::{Edit, Fix},
    rules::{Fate, Finding, Report, Rule, Severity, Tag, distance},
    shown::shortened,
    syntax::{Entry, Node, NodeKind, SkillFile},
};

/// A field that the file's reader does not know.
pub(super) const RULE: Rule = Rule {
    code: "unknown-field",
    summary: "an unknown field, often a misspelt one",
    outcome: |reader| reader.policy().unknown_field.max(Outcome::Recovers),
    documentation: include_str!("unknown_field.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    let keys = keys(file.entries());
    beyond_the_specification(file, facts, report);
    for entry in file.entries() {
        top(&keys, entry, facts, report);
        let Some(place) = Place::TOP.step(&entry.key.value) else {
            continue;
        };
        if entry.key.value != "hooks" {
            nested(&entry.value, place, facts, report);
            continue;
        }
        // `invalid-hook` knows the events.
        for event in entry.value.entries() {
            if let Some(place) = place.step(&event.key.value) {
                nested(&event.value, place, facts, report);
            }
        }
    }
}

/// How much of a key fits into a message, in characters.
const SHOWN: usize = 20;

/// The keys that stand there.
fn keys(entries: &[Entry]) -> HashSet<&str> {
    entries.iter().map(|entry| entry.key.value.as_str()).collect()
}

fn top(keys: &HashSet<&str>, entry: &Entry, facts: &Facts<'_>, report: &mut Report) {
    let key = entry.key.value.as_str();
    let dialect = facts.dialect;
    let field = Field::find(Place::TOP.fields(), key);
    if field.is_some_and(|field| field.is_read_by(dialect) && field.is_spelt(key, dialect)) || entry.colon.is_none() {
        return;
    }
    let drops = dialect.policy().unknown_field == Outcome::Drops;
    let near = match field {
        Some(field) if field.is_read_by(dialect) => Some(field.name),
        Some(_) => None,
        None => near(
            key,
            Place::TOP.fields().iter().filter(|field| field.is_read_by(dialect)),
        ),
    };
    if let Some(name) = near.filter(|name| !keys.contains(name)) {
        let severity = if drops { Severity::Error } else { Severity::Warning };
        suggest(entry, name, facts, severity, report);
        return;
    }
    let knowing = field
        .map_or(&[][..], |field| field.readers)
        .iter()
        .map(|(reader, _)| *reader);
    let unread = |finding: &mut Finding, fate| {
        finding.affects_all(facts, fate, [dialect]);
        finding.affects_all(facts, Fate::Read, knowing);
    };
    if drops {
        // Below `metadata` nobody would read what other systems know.
        let message = match field {
            Some(_) => format!("`{key}` is not a field of the Agent Skills specification"),
            None => format!("unknown field `{key}`; put it under `metadata`"),
        };
        unread(report.add_at(Severity::Error, entry.key.range, message), Fate::Refused);
    } else if field.is_some_and(|field| acts(field, facts)) && !UNREAD.contains(&key) {
        let message = format!("unread field `{key}`");
        let finding = report.add_at(Severity::Hint, entry.key.range, message);
        unread(finding, Fate::Ignored);
        finding.tags.push(Tag::Unnecessary);
    }
}

/// The fields for which some system that is wanted drops the file, though its own reader takes them: told once, for they
/// are there on purpose.
fn beyond_the_specification(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let drops = |reader: &Dialect| reader.policy().unknown_field == Outcome::Drops;
    if drops(&facts.dialect) || !facts.wanted.iter().any(drops) {
        return;
    }
    let is_beyond = |entry: &&Entry| {
        let field = Field::find(Place::TOP.fields(), &entry.key.value);
        entry.colon.is_some() && !field.is_some_and(|field| field.is_read_by(Dialect::SPECIFICATION))
    };
    let beyond: Vec<&Entry> = file.entries().iter().filter(is_beyond).collect();
    let Some(first) = beyond.first() else { return };
    let key = shortened(&first.key.value, SHOWN);
    let message = match beyond.len() {
        1 => format!("`{key}` is not a field of the Agent Skills specification"),
        count => format!("{count} fields are not in the Agent Skills specification"),
    };
    let finding = report.add_at(Severity::Hint, first.key.range, message);
    finding.affects_all(facts, Fate::Refused, facts.wanted.iter().copied().filter(drops));
    for other in &beyond[1..] {
        finding.relate(other.key.range, "this neither");
    }
}

/// Whether a skill loses something where its field is not read. The fields of the specification are there for whoever
/// reads them, and another reader of the folder may.
fn acts(field: &Field, facts: &Facts<'_>) -> bool {
    let is_label = LABELS.contains(&field.name);
    !is_label
        && !field.is_read_by(Dialect::SPECIFICATION)
        && !facts.readers.iter().any(|reader| field.is_read_by(*reader))
}

/// Fields for people, which change nothing.
const LABELS: &[&str] = &["version", "author", "display-name"];

/// Keys inside a field: only what looks misspelt.
fn nested(node: &Node, place: Place, facts: &Facts<'_>, report: &mut Report) {
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().for_each(|item| nested(item, place, facts, report)),
        NodeKind::Mapping(entries) => {
            let taken = keys(entries);
            for entry in entries {
                let key = entry.key.value.as_str();
                let next = place.step(key);
                // Where other keys are allowed, a slip of a known one is a slip all the same.
                let meant = match next.and_then(|next| next.field) {
                    Some(_) => None,
                    None => near(key, place.fields().iter()).filter(|name| !taken.contains(name)),
                };
                match (meant, next) {
                    (Some(name), _) => suggest(entry, name, facts, Severity::Warning, report),
                    (None, Some(next)) => nested(&entry.value, next, facts, report),
                    (None, None) => {}
                }
            }
        }
        _ => {}
    }
}

fn suggest(entry: &Entry, name: &str, facts: &Facts<'_>, severity: Severity, report: &mut Report) {
    let key = entry.key.value.as_str();
    // Only another spelling of the same word is beyond doubt.
    let safe = is_spelling_of(key, name);
    let message = format!("unknown field `{key}`; did you mean `{name}`?");
    let finding = report.add_at(severity, entry.key.range, message);
    if facts.dialect != Dialect::Unified {
        let drops = severity == Severity::Error;
        let fate = if drops { Fate::Refused } else { Fate::Ignored };
        finding.affects(facts, facts.dialect, fate, None);
    }
    let edits = vec![Edit::replace(entry.key.range, name)];
    finding.fix(Fix {
        title: format!("Rename to `{name}`"),
        safe,
        edits,
        file: None,
    });
}

/// The field that a key most likely means.
fn near(key: &str, fields: impl Iterator<Item = &'static Field>) -> Option<&'static str> {
    if UNREAD.contains(&key) || key.len() > 40 {
        return None;
    }
    let wanted = normal(key);
    let most = if wanted.chars().count() < 6 { 1 } else { 2 };
    let count = |name: &str| name.bytes().filter(|byte| !matches!(byte, b'-' | b'_')).count();
    let length = wanted.chars().count();
    fields
        .filter(|field| count(field.name).abs_diff(length) <= most)
        .filter_map(|field| Some((distance(&wanted, &normal(field.name), most)?, field.name)))
        .filter(|&(distance, name)| distance < name.len().min(wanted.len()) / 2)
        .min()
        .map(|(_, name)| name)
}

/// Whether the field stands there in another spelling: it is mended in its place, and a second one would be one too many.
pub(super) fn has_misspelt(file: &SkillFile, name: &str) -> bool {
    file.entries()
        .iter()
        .any(|entry| is_spelling_of(&entry.key.value, name))
}

/// Whether a key is the name but for case, hyphens and underscores.
fn is_spelling_of(key: &str, name: &str) -> bool {
    letters(key).eq(letters(name))
}

/// Without what people spell in different ways: case, hyphens, underscores.
fn normal(key: &str) -> String {
    letters(key).collect()
}

fn letters(key: &str) -> impl Iterator<Item = char> {
    key.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
}
