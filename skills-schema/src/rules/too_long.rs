//! `too-long`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::{Dialect, Limit, Outcome, Unit},
    facts::{Facts, FileKind},
    rules::{Fate, Report, Rule},
    syntax::{Scalar, SkillFile},
};

/// A value that is longer than a reader takes.
pub(super) const RULE: Rule = Rule {
    code: "too-long",
    summary: "a name, description or `compatibility` over the limit",
    outcome,
    documentation: include_str!("too_long.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    reader
        .policy()
        .limits
        .iter()
        .map(|limit| limit.beyond)
        .max()
        .unwrap_or(Outcome::Fine)
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.kind != FileKind::Skill {
        return;
    }
    for field in ["name", "description", "compatibility"] {
        let Some(scalar) = file.entry(field).and_then(|entry| entry.value.as_scalar()) else {
            continue;
        };
        // What nobody in particular reads is held against the limit of a pair where both are there.
        let is_meant = |reader: Dialect, limit: &Limit| {
            reader != Dialect::Unified || limit.with.is_none_or(|with| file.entry(with).is_some())
        };
        let exceeded = |reader: Dialect| {
            reader
                .policy()
                .limits_of(field)
                .filter(|limit| length(file, scalar, limit) > limit.max && is_meant(reader, limit))
                .max_by_key(|limit| (limit.beyond, limit.unit == Unit::Characters))
        };
        let outcome = |reader: Dialect| exceeded(reader).map_or(Outcome::Fine, |it| it.beyond);
        let Some(severity) = facts.severity(outcome) else {
            continue;
        };
        let Some(limit) = std::iter::once(&facts.dialect)
            .chain(facts.readers)
            .chain(facts.wanted)
            .filter_map(|dialect| exceeded(*dialect))
            .max_by_key(|limit| (limit.beyond, limit.unit == Unit::Characters))
        else {
            continue;
        };
        let key = file.entry(field).map_or(scalar.range, |entry| entry.key.range);
        let range = excess(file, scalar, limit).unwrap_or(key);
        let message = message(field, length(file, scalar, limit), limit);
        let finding = report.add_at(severity, range, message);
        finding.dropped(facts, outcome);
        // Where nobody knows who reads it, those are named that cut it.
        let cuts = |reader: &Dialect| {
            let is_read = facts.is_read_by(*reader) || limit.with.is_some();
            is_read && *reader != Dialect::Unified && outcome(*reader) == Outcome::Recovers
        };
        finding.affects_all(facts, Fate::Cut, Dialect::ALL.into_iter().filter(cuts));
    }
}

fn length(file: &SkillFile, scalar: &Scalar, limit: &Limit) -> usize {
    let count = |text: &str| match limit.unit {
        Unit::Characters => text.chars().count(),
        Unit::Bytes => text.len(),
    };
    let with = limit.with.and_then(|field| file.entry(field)?.value.as_str());
    // The listing puts ` - ` between the two.
    count(scalar.value.trim()) + with.map_or(0, |text| count(text.trim()) + 3)
}

fn message(field: &str, length: usize, limit: &Limit) -> String {
    let unit = match limit.unit {
        Unit::Characters => "characters",
        Unit::Bytes => "bytes",
    };
    let what = limit
        .with
        .map_or(format!("`{field}` has"), |with| format!("`{field}` and `{with}` have"));
    let over = length - limit.max;
    format!("{what} {length} {unit}, {over} over the limit of {}", limit.max)
}

/// What is too much, where the text is written as it reads.
fn excess(file: &SkillFile, scalar: &Scalar, limit: &Limit) -> Option<TextRange> {
    let inner = scalar.inner();
    if file.slice(inner) != scalar.value || limit.with.is_some() {
        return None;
    }
    let at = match limit.unit {
        Unit::Characters => scalar.value.char_indices().nth(limit.max)?.0,
        Unit::Bytes => (0..=limit.max).rev().find(|&at| scalar.value.is_char_boundary(at))?,
    };
    Some(TextRange::new(
        inner.start() + TextSize::try_from(at).ok()?,
        inner.end(),
    ))
}
