//! Runs the rules over a file.

use text_size::TextRange;

use crate::{
    facts::{Facts, FileKind},
    levels::Level,
    rules::{
        Finding, MAX_FINDINGS, Pass, RULES, Report, Rule, Severity, invalid_manifest, invalid_yaml, refused_by_reader,
        suppression,
    },
    syntax::SkillFile,
};

/// All that the rules find which need nothing but the text, sorted by place; no comment allows anything. Never panics,
/// whatever the text.
///
/// Of more than [`MAX_FINDINGS`] the most severe are kept, and one more, `too-many-findings`, says how many were not.
pub fn check(file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    run(file, facts, Pass::Text).findings
}

/// What a person is shown of a pass: what the rules find, with the systems that drop the file for it, without what
/// comments in the frontmatter allow, and with those comments that allow nothing.
pub fn report(file: &SkillFile, facts: &Facts<'_>, pass: Pass) -> Vec<Finding> {
    let mut report = run(file, facts, pass);
    if pass == Pass::Text && !file.is_too_long() {
        refused_by_reader::settle(file, facts, &mut report);
    }
    let mut findings = report.findings;
    let added = suppression::apply(file, facts, pass, &mut findings);
    if !added.is_empty() {
        findings.extend(added);
        sort(&mut findings);
    }
    findings
}

/// Whether a file is a page about skills, not one of them: `wiki/skill.md` with fields of its own.
fn is_page(file: &SkillFile, facts: &Facts<'_>) -> bool {
    let is_elsewhere = facts.kind == FileKind::Skill && facts.readers.is_empty() && facts.path.ends_with("/skill.md");
    let lacks = |name: &str| file.entry(name).is_none();
    is_elsewhere && file.frontmatter.is_some() && ["name", "description"].into_iter().all(lacks)
}

fn run(file: &SkillFile, facts: &Facts<'_>, pass: Pass) -> Report {
    let mut report = found(file, facts, |rule| pass.runs(rule, facts));
    let more = report.findings.len().saturating_sub(MAX_FINDINGS) + report.more;
    if more > 0 {
        report
            .findings
            .sort_by_key(|finding| (finding.severity, finding.range.start()));
        report.findings.truncate(MAX_FINDINGS);
        report.begin("too-many-findings", Severity::Information);
        let more = match report.has_stopped.get() {
            true => "many".to_owned(),
            false => more.to_string(),
        };
        let message = format!("{more} more findings are not shown; fix these first");
        report.add_at(Severity::Information, TextRange::default(), message);
    }
    sort(&mut report.findings);
    report
}

/// In the order of the text.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| {
        (
            finding.range.start(),
            finding.range.end(),
            finding.severity,
            finding.code,
        )
    });
}

/// The errors among what [`check`] finds, sooner: only rules run that can find one for the file's own dialect, and no
/// other system is asked. Where its own reader refuses the file and none of them says why, all rules run.
pub fn errors(file: &SkillFile, facts: &Facts<'_>) -> Vec<Finding> {
    let finds_errors = |rule: &Rule| rule.outcome(facts.dialect).severity() == Some(Severity::Error);
    let mut findings = found(file, facts, |rule| {
        Pass::Text.runs(rule, facts) && finds_errors(rule) && rule.code != refused_by_reader::RULE.code
    })
    .findings;
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    if !findings.iter().any(is_error) && !file.is_too_long() && refused_by_reader::is_refused(file, facts) {
        findings = check(file, facts);
    }
    findings.retain(is_error);
    findings.sort_by_key(|finding| (finding.range.start(), finding.range.end(), finding.code));
    findings.truncate(MAX_FINDINGS);
    findings
}

fn found(file: &SkillFile, facts: &Facts<'_>, is_wanted: impl Fn(&Rule) -> bool) -> Report {
    let mut report = Report::of("", Severity::Hint);
    // Nothing is known of the fields, so that most rules would say what is not so.
    let is_unread = file.is_too_long();
    let says_so = [invalid_yaml::RULE.code, invalid_manifest::RULE.code];
    let is_page = is_page(file, facts);
    let wanted = RULES.iter().filter(|rule| !is_page && is_wanted(rule));
    for rule in wanted.filter(|rule| !is_unread || says_so.contains(&rule.code)) {
        // It does not matter to any reader of the place.
        let Some(severity) = facts.severity(rule.outcome) else {
            continue;
        };
        report.begin(rule.code, severity);
        let first = report.findings.len();
        rule.run(file, facts, &mut report);
        if let Some(Level::At(severity)) = facts.levels.and_then(|levels| levels.get(rule.code)) {
            for finding in &mut report.findings[first..] {
                finding.severity = severity;
            }
        }
    }
    if has_doubtful_characters(file) {
        let fixes = report.findings.iter_mut().flat_map(|finding| &mut finding.fixes);
        fixes.for_each(|fix| fix.safe = false);
    }
    report
}

/// Readers don't agree on what ends a line of this frontmatter, or which characters it may have, so that no repair of it
/// is beyond doubt.
fn has_doubtful_characters(file: &SkillFile) -> bool {
    let content = file.frontmatter.as_ref().map_or("", |it| file.slice(it.content));
    let is_doubtful = |c: char| match c {
        '\t' | '\n' | '\r' => false,
        '\u{2028}' | '\u{2029}' => true,
        _ => c.is_control(),
    };
    content.contains(is_doubtful) || content.contains('\r') && content.replace("\r\n", "").contains('\r')
}
