//! `skill-file-name`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// `skill.md`.
pub(super) struct SkillFileName;

impl Rule for SkillFileName {
    fn code(&self) -> &'static str {
        "skill-file-name"
    }

    fn summary(&self) -> &'static str {
        "the file is named SKILL.md, in capitals"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.file_name_case
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let name = facts.path.rsplit('/').next().unwrap_or_default();
        if name == "SKILL.md" || !name.eq_ignore_ascii_case("SKILL.md") {
            return;
        }
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let message =
            format!("the file is named `{name}`; rename it to `SKILL.md`, the only name that all readers look for");
        report.add(severity, super::head(file), message);
    }

    fn documentation(&self) -> &'static str {
        include_str!("skill_file_name.md")
    }
}
