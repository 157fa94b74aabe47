//! `dangling-link`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder},
    levels::{Level, Levels},
    rules::{Finding, Look, Report, Rule, Severity, head},
    syntax::SkillFile,
};

/// A symbolic link that leads nowhere.
pub(super) const RULE: Rule = Rule {
    code: "dangling-link",
    summary: "a broken symlink in a skill's folder",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("dangling_link.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let mut links = folder.dangling.iter().map(|link| message(&link.path, &link.target));
    let Some(first) = links.next() else { return };
    let others: Vec<String> = links.collect();
    // Many have one cause, such as a script that writes absolute links.
    let message = match others.len() {
        0 => first,
        more => format!(
            "{} broken symlinks; {}",
            more + 1,
            first.trim_start_matches("broken symlink ")
        ),
    };
    let finding = report.add(head(file), message);
    for other in others.into_iter().take(SHOWN) {
        finding.relate(head(file), other);
    }
}

/// How many others are shown beside the first.
const SHOWN: usize = 10;

fn message(path: &str, target: &str) -> String {
    let reason = if target.trim() == target {
        "does not exist"
    } else {
        "ends in a space or line break"
    };
    let target = target.escape_debug();
    format!("broken symlink `{path}`: `{target}` {reason}")
}

/// What is wrong with a skill file that is itself a link which leads nowhere, so that it has no text: no reader loads it.
/// Nothing where the rule is off.
pub fn dangling(name: &str, target: &str, levels: &Levels) -> Option<Finding> {
    let severity = match levels.get(RULE.code) {
        Some(Level::Off) => return None,
        Some(Level::At(severity)) => severity,
        None => Severity::Error,
    };
    let mut report = Report::of(RULE.code, severity);
    report.add(TextRange::default(), message(name, target));
    report.findings.pop()
}
