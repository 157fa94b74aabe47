//! What people are told at the end of a report: how much was found, by severity and by rule, and what to do about it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use skills_schema::rules::{Finding, RULES, Severity};

use super::{Checked, counts, findings, severity_name};

/// Beyond this many findings, they are easier to read by rule.
const MANY: usize = 50;

/// The findings of one rule.
struct OfRule {
    code: &'static str,
    /// The worst.
    severity: Severity,
    count: usize,
    /// `--fix` repairs some of them.
    is_fixable: bool,
}

/// Prints a line for each rule, the most frequent first.
pub fn table(checked: &[Checked], out: &mut impl Write) -> Result<()> {
    let rules = by_rule(checked);
    let most = rules.first().map_or(0, |rule| rule.count).to_string().len();
    let longest = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    for rule in rules {
        let OfRule {
            code, severity, count, ..
        } = rule;
        let fix = if rule.is_fixable { "[*]" } else { "   " };
        let severity = severity_name(severity);
        let summary = RULES.iter().find(|it| it.code == code).map_or("", |it| it.summary);
        writeln!(
            out,
            "{count:>most$}  {severity:<11}  {fix}  {code:<longest$}  {summary}"
        )?;
    }
    Ok(())
}

/// Prints how much was found, and what can be done. `is_listed` says that the findings stand above, one by one.
pub fn closing(checked: &[Checked], is_listed: bool, out: &mut impl Write) -> Result<()> {
    let files = match checked.len() {
        0 => return Ok(writeln!(out, "no skill found")?),
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let found = counts(checked).into_iter().filter(|(_, _, count)| *count > 0);
    let found: Vec<_> = found
        .map(|(severity, plural, count)| {
            format!("{count} {}", if count == 1 { severity_name(severity) } else { plural })
        })
        .collect();
    if found.is_empty() {
        return Ok(writeln!(out, "{files} checked: nothing found")?);
    }
    writeln!(out, "{files} checked: {}", found.join(", "))?;
    let fixable = findings(checked).filter(|finding| is_fixable(finding)).count();
    if fixable > 0 {
        let mark = if is_listed { "" } else { "[*] " };
        writeln!(out, "{mark}{fixable} can be repaired with `--fix`")?;
    }
    if is_listed && findings(checked).count() > MANY {
        writeln!(
            out,
            "`--statistics` counts them by rule, `skills-ls explain RULE` says more"
        )?;
    }
    Ok(())
}

fn by_rule(checked: &[Checked]) -> Vec<OfRule> {
    let mut rules: BTreeMap<&str, OfRule> = BTreeMap::new();
    for finding in findings(checked) {
        let rule = rules.entry(finding.code).or_insert(OfRule {
            code: finding.code,
            severity: finding.severity,
            count: 0,
            is_fixable: false,
        });
        rule.count += 1;
        rule.severity = rule.severity.min(finding.severity);
        rule.is_fixable |= is_fixable(finding);
    }
    let mut rules: Vec<_> = rules.into_values().collect();
    rules.sort_by_key(|rule| Reverse(rule.count));
    rules
}

fn is_fixable(finding: &Finding) -> bool {
    finding.fixes.iter().any(|fix| fix.safe && fix.file.is_none())
}
