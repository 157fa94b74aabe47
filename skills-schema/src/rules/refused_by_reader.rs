//! `refused-by-reader`, and the systems that drop a file for what the other rules find.

use std::sync::LazyLock;

use text_size::TextRange;

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind},
    fixes::{self, Fix},
    rules::{
        self, Effect, Fate, Finding, RULES, Report, Rule, Severity, check_rule, head, missing_frontmatter::is_no_skill,
        nested_skill::is_material,
    },
    shown::{MESSAGE, one_line, shortened},
    syntax::{Entry, SkillFile},
    verdict::{self, Verdict},
};

/// What a reader of the folder makes of the file other than its text says: told once for all that stumble over it. Where
/// another rule found the place, its finding names the readers; so this rule runs last.
pub(super) const RULE: Rule = Rule {
    code: "refused-by-reader",
    summary: "a reader of this folder that drops or misreads the file",
    outcome: |_| Outcome::Drops,
    documentation: include_str!("refused_by_reader.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let is_unread = facts.readers.is_empty() && facts.wanted.is_empty() && facts.dialect == Dialect::Unified;
    if is_unread || is_no_skill(file, facts) {
        return;
    }
    let mut causes: Vec<(Place, Vec<Stumble>)> = Vec::new();
    for verdict in &*report.verdicts(file, facts) {
        let is_own = verdict.dialect == facts.dialect;
        if !is_own && !facts.readers.contains(&verdict.dialect) && !facts.wanted.contains(&verdict.dialect) {
            continue;
        }
        for (place, stumble) in stumbles(file, verdict) {
            if is_own {
                own(file, facts, &place, &stumble, report);
                continue;
            }
            match causes.iter_mut().find(|(other, _)| other.is_that_of(&place)) {
                Some((_, all)) => all.push(stumble),
                None => causes.push((place, vec![stumble])),
            }
        }
    }
    for (place, stumbles) in causes {
        let is_loud = |finding: &Finding| finding.severity <= Severity::Warning || place.missing.is_some();
        let mut known = report.findings.iter();
        let known = known.position(|finding| is_loud(finding) && place.is_of(finding));
        let is_wanted = |it: &Stumble| it.fate == Fate::Refused && facts.wanted.contains(&it.reader);
        let is_minor = |it: &Stumble| it.is_minor && !facts.wanted.contains(&it.reader);
        let severity = match &stumbles {
            all if all.iter().any(is_wanted) => Severity::Error,
            all if all.iter().all(is_minor) => Severity::Hint,
            _ => Severity::Warning,
        };
        let finding = if let Some(at) = known {
            let finding = &mut report.findings[at];
            finding.severity = finding.severity.min(severity);
            finding
        } else if severity == Severity::Hint || is_name_of_material(file, facts, &place) || is_off(file, facts, &place)
        {
            // Nobody writes `<id>` otherwise because one reader leaves it out.
            continue;
        } else {
            let all: Vec<&Stumble> = stumbles.iter().collect();
            let message = no_text(file, &place).unwrap_or_else(|| stumbles[0].message());
            let finding = report.add_at(severity, place.range, message);
            finding.fixes.extend(quoted(file, facts, place.range, &all));
            finding
        };
        for stumble in &stumbles {
            finding.affects(facts, stumble.reader, stumble.fate, Some(stumble.headline()));
        }
    }
}

/// Whether the file's own reader refuses it.
pub(super) fn is_refused(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let verdict = || verdict::verdict_of(facts.dialect, file, facts);
    RULE.kinds.contains(&facts.kind) && verdict().is_some_and(|verdict| !verdict.loads)
}

/// Whether the file's own reader loads it with its fields.
pub(super) fn is_taken(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let verdict = verdict::verdict_of(facts.dialect, file, facts);
    verdict.is_some_and(|verdict| verdict.loads && verdict.metadata)
}

/// Holds the findings against the verdicts: every system that does not load the file is named at the finding that is the
/// reason, which is the one that its verdict is about, else the first for which it drops a file. None is named that loads it.
pub(super) fn settle(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let may_drop = |finding: &Finding| dropping(finding).is_some();
    if facts.kind != FileKind::Skill || !report.findings.iter().any(may_drop) {
        return;
    }
    let verdicts = report.verdicts(file, facts);
    for verdict in &*verdicts {
        let reader = verdict.dialect;
        if verdict.loads {
            for finding in &mut report.findings {
                let is_wrong = |it: &Effect| it.reader == reader && it.fate == Fate::Refused;
                finding.readers.retain(|it| !is_wrong(it));
            }
        } else if let Some(at) = reason(&report.findings, file, verdict, reader == facts.dialect) {
            report.findings[at].affects(facts, reader, Fate::Refused, None);
        }
    }
}

/// Whether a reader stumbles over the name of a template, which is read where it is copied to.
fn is_name_of_material(file: &SkillFile, facts: &Facts<'_>, place: &Place) -> bool {
    let name = file.entry("name").map(|entry| entry.value.range);
    is_material(facts.path) && name.is_some_and(|name| touch(name, place.range))
}

/// A rule finds the cause that somebody turned off: it is known, and not wanted.
fn is_off(file: &SkillFile, facts: &Facts<'_>, place: &Place) -> bool {
    let off = RULES
        .iter()
        .filter(|rule| rule.look.is_none() && !rule.default_off && !rule.is_on(facts));
    let mut found = off.flat_map(|rule| check_rule(rule, file, facts));
    found.any(|finding| place.is_of(&finding))
}

/// The file's own reader refuses it, and no rule has an error to say so. Where a rule found the cause, its finding becomes
/// the error, unless nobody knows what the reader does.
fn own(file: &SkillFile, facts: &Facts<'_>, place: &Place, stumble: &Stumble, report: &mut Report) {
    let has_error = report.findings.iter().any(|it| it.severity == Severity::Error);
    if stumble.fate != Fate::Refused || has_error {
        return;
    }
    let is_of_place = |it: &&mut Finding| it.severity == Severity::Warning && place.is_of(it);
    if let Some(finding) = report.findings.iter_mut().find(is_of_place) {
        let outcome = rules::find(finding.code).map(|rule| rule.outcome(stumble.reader));
        if outcome != Some(Outcome::Forbids) {
            finding.severity = Severity::Error;
            finding.affects(facts, stumble.reader, stumble.fate, Some(stumble.headline()));
        }
        return;
    }
    let finding = report.add_at(Severity::Error, place.range, stumble.message());
    finding.affects(facts, stumble.reader, stumble.fate, Some(stumble.headline()));
    finding.fixes.extend(quoted(file, facts, place.range, &[stumble]));
}

/// What a reader stumbles over.
struct Place {
    range: TextRange,
    /// The field that is not there. The range is then where findings about the whole file go.
    missing: Option<&'static str>,
}

impl Place {
    /// Whether two readers stumble over the same.
    fn is_that_of(&self, other: &Place) -> bool {
        self.missing == other.missing && (self.missing.is_some() || touch(self.range, other.range))
    }

    /// Whether this is what a finding is about.
    fn is_of(&self, finding: &Finding) -> bool {
        match self.missing {
            Some(_) => rules::find(finding.code).is_some_and(|rule| rule.lacks == self.missing),
            None => finding.code != RULE.code && touch(finding.range, self.range),
        }
    }
}

/// A reader that makes something else of the file.
struct Stumble {
    reader: Dialect,
    fate: Fate,
    reason: String,
    /// It reads the file almost as it is written.
    is_minor: bool,
}

impl Stumble {
    /// The reason without the lines of the file that some programs show below it.
    fn headline(&self) -> &str {
        self.reason.lines().next().unwrap_or_default().trim_end_matches(':')
    }

    /// What is wrong, where no rule has words of its own.
    fn message(&self) -> String {
        match (self.fate, self.headline()) {
            (Fate::Refused, "") => "some readers of this folder don't load the file".to_owned(),
            (Fate::Refused, reason) => shortened(reason, MESSAGE).into_owned(),
            (Fate::Hidden, _) => "some readers of this folder don't offer the skill to the model".to_owned(),
            (_, reason) => format!("some readers see {reason}"),
        }
    }
}

/// What is wrong with a value of `metadata` that is no text: the programs' own words name neither.
fn no_text(file: &SkillFile, place: &Place) -> Option<String> {
    let mut entries = file.entry("metadata")?.value.entries().iter();
    let is_it = |entry: &&Entry| touch(entry.range, place.range) && entry.value.as_scalar().is_none();
    let key = shortened(&entries.find(is_it)?.key.value, SHOWN).into_owned();
    Some(format!("some readers take only text for `metadata.{key}`"))
}

/// Where and why a reader makes something else of the file.
fn stumbles(file: &SkillFile, verdict: &Verdict) -> Vec<(Place, Stumble)> {
    let stumble = |fate, reason: &str| Stumble {
        reader: verdict.dialect,
        fate,
        reason: reason.to_owned(),
        is_minor: false,
    };
    let reason = verdict.reason.as_deref().unwrap_or_default();
    let at = |range| Place { range, missing: None };
    if let Some(field) = missing(file, verdict) {
        let fate = if verdict.loads { Fate::Hidden } else { Fate::Refused };
        let range = head(file);
        let missing = Some(field);
        return vec![(Place { range, missing }, stumble(fate, reason))];
    }
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
            vec![(at(range), stumble(Fate::Refused, reason))]
        };
    }
    let disabled = file.entry("disable-model-invocation");
    if !verdict.listed && disabled.is_none() {
        return vec![(at(head(file)), stumble(Fate::Hidden, reason))];
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
            let (said, is_minor) = change(field, &written, &seen);
            let stumble = Stumble {
                is_minor,
                ..stumble(Fate::Altered, &said)
            };
            found.push((at(range.unwrap_or(entry.key.range)), stumble));
        }
    }
    found
}

/// The field that a verdict misses, as far as the text has none: a reader that sees no frontmatter misses all of them.
fn missing(file: &SkillFile, verdict: &Verdict) -> Option<&'static str> {
    let field = verdict.missing.filter(|_| file.frontmatter.is_some())?;
    file.entry(field)
        .is_none_or(|entry| entry.value.is_blank())
        .then_some(field)
}

fn touch(a: TextRange, b: TextRange) -> bool {
    a.intersect(b).is_some()
}

/// What a reader sees of a field where that is not what is written, behind "some readers see"; and whether hardly anything
/// is missing.
fn change(field: &str, written: &str, seen: &str) -> (String, bool) {
    if field == "name" {
        return (format!("`name` as `{}`", shortened(seen, SHOWN)), false);
    }
    let (written, seen): (Vec<char>, Vec<char>) = (written.chars().collect(), seen.chars().collect());
    let first = written.iter().zip(&seen).take_while(|(a, b)| a == b).count();
    let rest = written.len().min(seen.len()) - first;
    let ends = written.iter().rev().zip(seen.iter().rev());
    let last = ends.take_while(|(a, b)| a == b).count().min(rest);
    let middle = |chars: &[char]| {
        let text: String = chars[first..chars.len() - last].iter().collect();
        shortened(text.trim(), SHOWN).into_owned()
    };
    let said = match (middle(&written), middle(&seen)) {
        (missing, put) if put.is_empty() => format!("`{field}` without `{missing}`"),
        (replaced, put) if replaced.is_empty() => format!("`{put}` more in `{field}`"),
        (replaced, put) => format!("`{put}` for `{replaced}` in `{field}`"),
    };
    let is_minor = written.len() - first - last <= MINOR || without_tags(&written) == without_tags(&seen);
    (said, is_minor)
}

/// A text without `<…>` and without spaces; all of it where one is not closed.
fn without_tags(text: &[char]) -> String {
    let all: String = text.iter().filter(|c| !c.is_whitespace()).collect();
    let mut parts = all.split('<');
    let first = parts.next().map(str::to_owned);
    let rest = parts.map(|part| Some(part.split_once('>')?.1));
    let kept = first.into_iter().map(Some).chain(rest.map(|it| it.map(str::to_owned)));
    kept.collect::<Option<String>>().unwrap_or(all)
}

/// How much of a text fits into a message, in characters.
const SHOWN: usize = 20;
/// So many characters of a description may be missing without harm: a placeholder such as `<name>`.
const MINOR: usize = 20;

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
        let verdict = verdict::verdict_of(stumble.reader, &mended, facts);
        verdict.is_some_and(|verdict| verdict.loads)
    };
    stumbles
        .iter()
        .all(loads)
        .then(|| Fix::unsafe_("Quote the value", edits))
}

/// The finding that makes a system drop the file.
fn reason(findings: &[Finding], file: &SkillFile, verdict: &Verdict, is_own: bool) -> Option<usize> {
    let missing = missing(file, verdict);
    let is_of = |finding: &Finding| match missing {
        Some(_) => rules::find(finding.code).is_some_and(|rule| rule.lacks == missing),
        None => verdict.range.is_some_and(|range| touch(finding.range, range)),
    };
    let drops = |(_, finding): &(usize, &Finding)| drops(finding, verdict.dialect);
    let mut all = findings.iter().enumerate().filter(drops);
    // A field that it stumbles over is a cause of its own; YAML that it can't read is what another rule found, wherever
    // its library noticed. What this rule found names its own readers.
    let has_place = verdict.metadata && (missing.is_some() || verdict.range.is_some());
    let first = all.clone().find(|(_, finding)| finding.code != RULE.code);
    let first = first.filter(|_| !has_place);
    let at = all.find(|(_, finding)| is_of(finding)).or(first);
    // What most readers only doubt may be what its own reader refuses.
    let own = || {
        findings
            .iter()
            .position(|it| it.severity == Severity::Error && is_of(it))
    };
    at.map(|(at, _)| at).or_else(|| own().filter(|_| is_own))
}

fn drops(finding: &Finding, dialect: Dialect) -> bool {
    dropping(finding).is_some_and(|rule| rule_drops(rule, dialect))
}

fn rule_drops(rule: &Rule, dialect: Dialect) -> bool {
    rule.outcome(dialect).is_refusal()
}

/// The rule of a finding, where it is one for which some system drops a file. Few are, and a long text may have many findings.
fn dropping(finding: &Finding) -> Option<&'static Rule> {
    static DROPPING: LazyLock<Vec<&Rule>> = LazyLock::new(|| {
        let all = RULES.iter().copied();
        all.filter(|rule| Dialect::ALL.into_iter().any(|dialect| rule_drops(rule, dialect)))
            .collect()
    });
    DROPPING.iter().copied().find(|rule| rule.code == finding.code)
}
