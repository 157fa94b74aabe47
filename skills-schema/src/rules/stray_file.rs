//! `stray-file`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Needs, Report, Rule, head},
    syntax::SkillFile,
};

/// A file for people in the folder of a skill.
pub(super) struct StrayFile;

impl Rule for StrayFile {
    fn code(&self) -> &'static str {
        "stray-file"
    }

    fn summary(&self) -> &'static str {
        "what lies beside a skill is for the agent"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn needs(&self) -> Needs {
        Needs::Folder
    }

    fn default_off(&self) -> bool {
        true
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let (Some(folder), Some(severity)) = (facts.around.folder, facts.severity(|policy| self.outcome(policy)))
        else {
            return;
        };
        let is_named = |path: &str| file.slice(file.body.range).contains(path);
        for (path, _) in folder
            .iter()
            .filter(|(path, _)| FOR_PEOPLE.contains(path) && !is_named(path))
        {
            let message = format!("`{path}` is for people, and an agent may read it for instructions; take it out");
            report.add(severity, head(file), message);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("stray_file.md")
    }
}

/// Files that tell people of a project.
const FOR_PEOPLE: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "INSTALLATION_GUIDE.md",
    "QUICK_REFERENCE.md",
];
