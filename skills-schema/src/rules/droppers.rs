//! Which systems drop the file for what a finding shows, as the verdicts have it.

use text_size::TextRange;

use crate::{
    dialect::{Dialect, Outcome, titles},
    facts::{Facts, FileKind},
    rules::{Finding, Related, Report, find},
    syntax::SkillFile,
    verdict::Verdict,
};

/// Names every system that does not load the file at the finding that is the reason: of the findings for which it drops
/// a file the one at the place that its verdict names, else the first. What a message names already is not said twice.
pub(super) fn name(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
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
        if let Some(message) = message(facts, &dialects) {
            finding.related.push(Related {
                file: None,
                range: finding.range,
                message,
            });
        }
    }
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
pub(super) fn names(text: &str, title: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(title).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + title.len()..]);
        is_end(before.chars().next_back()) && is_end(behind.chars().next())
    })
}

fn drops(finding: &Finding, dialect: Dialect) -> bool {
    find(finding.code).is_some_and(|rule| rule.outcome(dialect.policy()) == Outcome::Drops)
}

fn message(facts: &Facts<'_>, dialects: &[Dialect]) -> Option<String> {
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
