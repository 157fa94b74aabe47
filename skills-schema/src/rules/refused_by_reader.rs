//! `refused-by-reader`, and the systems that drop a file for what the other rules find.

use text_size::TextRange;

use crate::{
    dialect::{Dialect, Outcome, titles},
    facts::{Facts, FileKind},
    fixes::{self, Fix},
    levels::Levels,
    rules::{self, Finding, Needs, RULES, Related, Report, Rule, Severity, check_rule, head},
    shown::{one_line, shortened},
    syntax::{Entry, SkillFile},
    verdict::{self, Verdict},
};

/// What a reader of the folder makes of the file other than its text says: told once for all that stumble over it. Where
/// another rule found the place, its finding names the readers; so this rule runs last.
pub(super) const RULE: Rule = Rule {
    code: "refused-by-reader",
    summary: "every reader of the folder loads the file as its text says",
    outcome: |_| Outcome::Drops,
    documentation: include_str!("refused_by_reader.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if facts.readers.is_empty() && facts.dialect == Dialect::Unified {
        return;
    }
    let mut causes: Vec<(TextRange, Vec<Stumble>)> = Vec::new();
    for verdict in &*report.verdicts(file, facts) {
        let is_own = verdict.dialect == facts.dialect;
        if !is_own && !facts.readers.contains(&verdict.dialect) {
            continue;
        }
        for (range, stumble) in stumbles(file, verdict) {
            if is_own {
                own(file, facts, (range, stumble), report);
                continue;
            }
            match causes.iter_mut().find(|(other, _)| touch(*other, range)) {
                Some((_, all)) => all.push(stumble),
                None => causes.push((range, vec![stumble])),
            }
        }
    }
    for (range, stumbles) in causes {
        let known = report.findings.iter().position(|finding| {
            finding.severity <= Severity::Warning && finding.code != RULE.code && touch(finding.range, range)
        });
        let all: Vec<&Stumble> = stumbles.iter().collect();
        let finding = if let Some(at) = known {
            let finding = &mut report.findings[at];
            let is_new = |it: &&&Stumble| !names(&finding.message, it.dialect.title());
            let others: Vec<&Stumble> = all.iter().filter(is_new).copied().collect();
            if !others.is_empty() {
                finding.message += &format!("; {}", fates(&others));
            }
            finding
        } else if is_off(file, facts, range) {
            continue;
        } else {
            let reason = stumbles[0].headline();
            let finding = report.add_at(Severity::Warning, range, format!("{}: {reason}", fates(&all)));
            finding.fixes.extend(quoted(file, facts, range, &all));
            finding
        };
        let said = stumbles.iter().map(|stumble| (stumble.dialect, stumble.headline()));
        finding.relate_readers(range, said);
    }
}

/// Whether the file's own reader refuses it. Our own and Claude Code don't refuse what no other rule finds.
pub(super) fn is_refused(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let is_silent = matches!(facts.dialect, Dialect::Unified | Dialect::Claude);
    let verdict = || verdict::verdict_of(facts.dialect, file, facts);
    RULE.kinds.contains(&facts.kind) && !is_silent && verdict().is_some_and(|verdict| !verdict.loads)
}

/// Whether the file's own reader loads it with its fields.
pub(super) fn is_taken(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let verdict = verdict::verdict_of(facts.dialect, file, facts);
    verdict.is_some_and(|verdict| verdict.loads && verdict.metadata)
}

/// Names every system that does not load the file at the finding that is the reason: of the findings for which it drops
/// a file the one at the place that its verdict names, else the first. What a message names already is not said twice.
pub(super) fn name_droppers(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let may_drop = |finding: &Finding| Dialect::ALL.into_iter().any(|dialect| drops(finding, dialect));
    if facts.kind != FileKind::Skill || !report.findings.iter().any(may_drop) {
        return;
    }
    let verdicts = report.verdicts(file, facts);
    let findings = &mut report.findings;
    let mut droppers: Vec<Vec<Dialect>> = vec![Vec::new(); findings.len()];
    for verdict in verdicts.iter().filter(|verdict| !verdict.loads) {
        if let Some(at) = reason(findings, verdict) {
            droppers[at].push(verdict.dialect);
        }
    }
    for (finding, mut dialects) in findings.iter_mut().zip(droppers) {
        dialects.retain(|dialect| !names(&finding.message, dialect.title()));
        if let Some(message) = not_loaded(facts, &dialects) {
            finding.related.push(Related {
                file: None,
                range: finding.range,
                message,
            });
        }
    }
}

/// A rule speaks of the place that somebody turned off: it is known, and not wanted.
fn is_off(file: &SkillFile, facts: &Facts<'_>, range: TextRange) -> bool {
    let off = RULES
        .iter()
        .filter(|rule| rule.needs == Needs::Text && !rule.default_off && !Levels::is_on(facts.levels, rule));
    let mut found = off.flat_map(|rule| check_rule(rule, file, facts));
    found.any(|finding| touch(finding.range, range))
}

/// The file's own reader refuses it, and no rule has an error to say so. Where a rule speaks of the place, it is the one
/// to be loud, unless nobody knows what the reader does.
fn own(file: &SkillFile, facts: &Facts<'_>, (range, stumble): (TextRange, Stumble), report: &mut Report) {
    let has_error = report.findings.iter().any(|it| it.severity == Severity::Error);
    if stumble.fate != Fate::Refused || has_error {
        return;
    }
    let is_of_place = |it: &&mut Finding| it.severity == Severity::Warning && touch(it.range, range);
    if let Some(finding) = report.findings.iter_mut().find(is_of_place) {
        let outcome = rules::find(finding.code).map(|rule| rule.outcome(stumble.dialect.policy()));
        if outcome != Some(Outcome::Doubts) {
            finding.severity = Severity::Error;
            finding.relate_readers(range, [(stumble.dialect, stumble.headline())]);
        }
        return;
    }
    let message = format!("{}: {}", fates(&[&stumble]), stumble.headline());
    let finding = report.add_at(Severity::Error, range, message);
    finding.fixes.extend(quoted(file, facts, range, &[&stumble]));
}

/// A reader that makes something else of the file.
struct Stumble {
    dialect: Dialect,
    fate: Fate,
    reason: String,
}

impl Stumble {
    /// The reason without the lines of the file that some programs show below it.
    fn headline(&self) -> &str {
        self.reason.lines().next().unwrap_or_default().trim_end_matches(':')
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The file is not loaded.
    Refused,
    /// The model is not told of it.
    Hidden,
    /// The name or the description is another.
    Altered,
}

/// Where and why a reader makes something else of the file.
fn stumbles(file: &SkillFile, verdict: &Verdict) -> Vec<(TextRange, Stumble)> {
    let stumble = |fate, reason: &str| Stumble {
        dialect: verdict.dialect,
        fate,
        reason: reason.to_owned(),
    };
    let reason = verdict.reason.as_deref().unwrap_or_default();
    if !verdict.loads {
        // A library that gives no place stumbled over what we stumble over.
        let broken = || file.errors().first().map(|error| error.range);
        let range = verdict.range.filter(|range| !range.is_empty()).or_else(broken);
        let range = range.unwrap_or_else(|| head(file));
        // A key that it does not know is what another rule looks for.
        let is_key = file.entries().iter().any(|entry| entry.key.range == range);
        return if is_key && verdict.dialect.policy().unknown_field == Outcome::Drops {
            Vec::new()
        } else {
            vec![(range, stumble(Fate::Refused, reason))]
        };
    }
    let disabled = file.entry("disable-model-invocation");
    if !verdict.listed && disabled.is_none() {
        return vec![(head(file), stumble(Fate::Hidden, reason))];
    }
    if !file.errors().is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (field, seen) in [("name", &verdict.name), ("description", &verdict.description)] {
        let (Some(entry), Some(seen)) = (file.entry(field), seen) else {
            continue;
        };
        let Some(written) = entry.value.as_str().filter(|_| !entry.value.is_null()) else {
            continue;
        };
        let (seen, written) = (one_line(seen), one_line(written));
        // A long text is cut by many; that has a rule of its own.
        let is_cut = written.chars().count() > 1_024;
        if seen != written && !is_cut {
            let range = Some(entry.value.range).filter(|range| !range.is_empty());
            let said = format!("the {field} is `{}`", shortened(&seen, SHOWN));
            found.push((range.unwrap_or(entry.key.range), stumble(Fate::Altered, &said)));
        }
    }
    found
}

fn touch(a: TextRange, b: TextRange) -> bool {
    a.intersect(b).is_some()
}

/// How much of a text fits into a message, in characters.
const SHOWN: usize = 60;

/// What becomes of the file, with the readers' names.
fn fates(stumbles: &[&Stumble]) -> String {
    let named = [
        (Fate::Refused, "not loaded by"),
        (Fate::Hidden, "kept from the model by"),
        (Fate::Altered, "read otherwise by"),
    ];
    let parts = named.into_iter().filter_map(|(fate, words)| {
        let readers = stumbles.iter().filter(|it| it.fate == fate).map(|it| it.dialect);
        let readers = titles(readers);
        (!readers.is_empty()).then(|| format!("{words} {readers}"))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The value in quotes, where that makes all of these readers load the file.
fn quoted(file: &SkillFile, facts: &Facts<'_>, range: TextRange, stumbles: &[&Stumble]) -> Option<Fix> {
    let holds = |entry: &&Entry| entry.value.range.contains_range(range) && !range.is_empty();
    let entry = file.entries().iter().find(holds)?;
    let value = file.slice(entry.value.range);
    let is_plain =
        !value.is_empty() && !value.contains(['\n', '\r']) && !value.starts_with(['"', '\'', '|', '>', '&', '*', '!']);
    if !is_plain || !stumbles.iter().all(|it| it.fate == Fate::Refused) {
        return None;
    }
    let edits = fixes::quote(&file.text, entry.value.range);
    let mended = SkillFile::parse(fixes::apply(&file.text, &edits).into());
    let loads = |stumble: &&Stumble| {
        let verdict = verdict::verdict_of(stumble.dialect, &mended, facts);
        verdict.is_some_and(|verdict| verdict.loads)
    };
    stumbles
        .iter()
        .all(loads)
        .then(|| Fix::unsafe_("Quote the value", edits))
}

/// The finding that makes a system drop the file.
fn reason(findings: &[Finding], verdict: &Verdict) -> Option<usize> {
    let touches = |range: TextRange| verdict.range.is_some_and(|it| it.intersect(range).is_some());
    let drops = |(_, finding): &(usize, &Finding)| drops(finding, verdict.dialect);
    let mut all = findings.iter().enumerate().filter(drops);
    let first = all.clone().next();
    let at = all.find(|(_, finding)| touches(finding.range)).or(first);
    at.map(|(at, _)| at)
}

/// Whether a text names a system; `pi` is no part of another word.
fn names(text: &str, title: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(title).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + title.len()..]);
        is_end(before.chars().next_back()) && is_end(behind.chars().next())
    })
}

fn drops(finding: &Finding, dialect: Dialect) -> bool {
    rules::find(finding.code).is_some_and(|rule| rule.outcome(dialect.policy()) == Outcome::Drops)
}

fn not_loaded(facts: &Facts<'_>, dialects: &[Dialect]) -> Option<String> {
    let is_here = |dialect: &Dialect| *dialect == facts.dialect || facts.readers.contains(dialect);
    let (here, elsewhere): (Vec<Dialect>, Vec<Dialect>) = dialects.iter().partition(|dialect| is_here(dialect));
    let read = if here.len() == 1 { "reads" } else { "read" };
    match (titles(here), titles(elsewhere)) {
        (here, elsewhere) if here.is_empty() && elsewhere.is_empty() => None,
        (here, elsewhere) if here.is_empty() => Some(format!("not loaded by {elsewhere}")),
        (here, elsewhere) if elsewhere.is_empty() => Some(format!("not loaded by {here}, which {read} this folder")),
        (here, elsewhere) => Some(format!(
            "not loaded by {here}, which {read} this folder, nor by {elsewhere}"
        )),
    }
}
