//! `nested-skill`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Folder},
    rules::{Fate, Look, Report, Rule},
    syntax::SkillFile,
};

/// A skill in the folder of another.
pub(super) const RULE: Rule = Rule {
    code: "nested-skill",
    summary: "a skill inside another skill's folder",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("nested_skill.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
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
    // A skill that leads its readers to those below is their menu: that some don't list them is what it is for.
    let references = report.references(file);
    let is_linked = |path: &str| references.iter().any(|reference| reference.path == path);
    let mut nested = folder
        .iter()
        .filter(|(path, _)| is_meant(path) && !is_linked(path))
        .peekable();
    let Some((first, _)) = nested.peek().copied() else {
        return;
    };
    let paths: Vec<&str> = nested.map(|(path, _)| path).collect();
    let message = match paths.len() {
        1 => format!("nested skill `{first}`; some readers don't find it, so move it out"),
        count => format!("{count} skills below this one; some readers don't find them, so move this one"),
    };
    let finders = Dialect::ALL.into_iter().filter(|it| it.search().below_skills);
    let finding = report.add(super::head(file), message);
    finding.affects_all(facts, Fate::Read, finders);
    for path in paths.iter().take(MOST) {
        finding.relate_file(format!("{base}/{path}"), "a nested skill");
    }
}

/// Whether a skill is a template or for a test, so that its name is read where it is copied to.
pub(super) fn is_material(path: &str) -> bool {
    const FOLDERS: [&str; 5] = ["assets", "fixtures", "template", "templates", "testdata"];
    path.split('/').any(|part| FOLDERS.contains(&part))
}

/// How many of the nested skills are named.
const MOST: usize = 10;

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
