//! `legacy-command`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule, head},
    syntax::SkillFile,
};

/// A command in the older form.
pub(super) const RULE: Rule = Rule {
    code: "legacy-command",
    summary: "a command file that could be a skill",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Command],
    documentation: include_str!("legacy_command.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let file_name = facts.path.rsplit('/').next().unwrap_or_default();
    let name = file_name.strip_suffix(".md").unwrap_or(file_name);
    let message = format!("commands are superseded; move this to `.claude/skills/{name}/SKILL.md`");
    report.add(head(file), message);
}
