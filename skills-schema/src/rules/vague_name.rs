//! `vague-name`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A name that says nothing.
pub(super) struct VagueName;

impl Rule for VagueName {
    fn code(&self) -> &'static str {
        "vague-name"
    }

    fn summary(&self) -> &'static str {
        "a name says what the skill does"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let Some(scalar) = field(file, facts, "name")
            .filter(|_| facts.kind == FileKind::Skill)
            .and_then(|entry| entry.value.as_scalar())
        else {
            return;
        };
        if VAGUE.contains(&scalar.value.trim()) {
            let message = format!(
                "`{}` could be anything; name what the skill does: `ship-release`",
                scalar.value.trim()
            );
            report.add(severity, scalar.range, message);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("vague_name.md")
    }
}

const VAGUE: &[&str] = &[
    "helper",
    "helpers",
    "util",
    "utils",
    "tool",
    "tools",
    "document",
    "documents",
    "data",
    "file",
    "files",
    "misc",
    "general",
    "skill",
    "skills",
    "my-skill",
    "test",
    "stuff",
    "common",
];
