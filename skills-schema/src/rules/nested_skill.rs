//! `nested-skill`

use crate::{
    dialect::{Dialect, Outcome, Policy, titles},
    facts::{Facts, FileKind},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// A skill in the folder of another.
pub(super) struct NestedSkill;

impl Rule for NestedSkill {
    fn code(&self) -> &'static str {
        "nested-skill"
    }

    fn summary(&self) -> &'static str {
        "no skill lies in the folder of another"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Doubts
    }

    fn needs(&self) -> Needs {
        Needs::Folder
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let (Some(folder), Some(severity)) = (facts.around.folder, facts.severity(|policy| self.outcome(policy)))
        else {
            return;
        };
        // Templates and examples are not meant to be found.
        let is_meant = |path: &str| {
            let mut parts = path.split('/');
            let name = parts.next_back();
            let in_skills = path.split('/').rev().nth(2) == Some("skills");
            name == Some("SKILL.md")
                && !path.starts_with("../")
                && (in_skills || path.split('/').count() == 2)
                && !parts.any(|part| EXAMPLES.contains(&part))
        };
        let base = facts.path.rsplit_once('/').map_or("", |(base, _)| base);
        for (path, _) in folder.iter().filter(|(path, _)| is_meant(path)) {
            let message = format!(
                "`{path}` lies in the folder of this skill, where only {} find it; move it beside this one",
                titles(Dialect::ALL.into_iter().filter(|it| it.walk().below_skills))
            );
            report
                .add(severity, super::head(file), message)
                .relate_file(format!("{base}/{path}"), "the skill that most readers don't find");
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("nested_skill.md")
    }
}

/// Folders whose skills are material.
const EXAMPLES: [&str; 9] = [
    "assets",
    "example",
    "examples",
    "fixtures",
    "references",
    "resources",
    "template",
    "templates",
    "tests",
];
