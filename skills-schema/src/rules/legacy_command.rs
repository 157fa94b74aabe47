//! `legacy-command`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule, head},
    syntax::SkillFile,
};

/// A command in the older form.
pub(super) struct LegacyCommand;

impl Rule for LegacyCommand {
    fn code(&self) -> &'static str {
        "legacy-command"
    }

    fn summary(&self) -> &'static str {
        "a command is a skill"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn default_off(&self) -> bool {
        true
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Command]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let file_name = facts.path.rsplit('/').next().unwrap_or_default();
        let name = file_name.strip_suffix(".md").unwrap_or(file_name);
        let message = format!(
            "a skill can do all that a command can, and may have files beside it; move this to \
             `.claude/skills/{name}/SKILL.md`"
        );
        report.add(severity, head(file), message);
    }

    fn documentation(&self) -> &'static str {
        include_str!("legacy_command.md")
    }
}
