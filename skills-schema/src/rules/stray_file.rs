//! `stray-file`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder},
    rules::{Look, Report, Rule, head},
    syntax::SkillFile,
};

/// A file for people in the folder of a skill.
pub(super) const RULE: Rule = Rule {
    code: "stray-file",
    summary: "a file beside the skill that is for people",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("stray_file.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let is_named = |path: &str| file.slice(file.body.range).contains(path);
    for (path, _) in folder
        .iter()
        .filter(|(path, _)| FOR_PEOPLE.contains(path) && !is_named(path))
    {
        let message = format!("`{path}` is for people; agents may read it as instructions");
        report.add(head(file), message);
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
