//! `working-folder`

use crate::{
    dialect::Outcome,
    facts::{EntryKind, Facts, FileKind, Folder, Found, normal},
    fixes::{Edit, Fix},
    links::SKILL_FOLDER as FOLDER,
    rules::{Look, Report, Rule},
    syntax::{SkillFile, range_of},
};

/// A file of the skill that is looked for in the project.
pub(super) const RULE: Rule = Rule {
    code: "working-folder",
    summary: "a skill's file that is looked for in the working folder",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("working_folder.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let (body, base) = (file.slice(file.body.range), usize::from(file.body.range.start()));
    for written in FORMS {
        for at in memchr::memmem::find_iter(body.as_bytes(), written.as_bytes()) {
            let rest = &body[at + written.len()..];
            let is_end = |c: char| c.is_whitespace() || "\"'`()=;&|<>,".contains(c);
            let path = normal(rest[..rest.find(is_end).unwrap_or(rest.len())].trim_end_matches(['.', ':']));
            let is_own = matches!(folder.find(&path), Found::Here(it) if it.kind == EntryKind::File);
            if !is_own {
                continue;
            }
            let range = range_of(base + at, base + at + written.len() - 1);
            let message = format!("`{path}` is looked up in the project; {}", way_out(facts));
            let finding = report.add(range, message);
            if facts.dialect.fills_placeholders() {
                let edit = Edit::replace(range, FOLDER);
                finding.fix(Fix::unsafe_(format!("Write `{FOLDER}`"), vec![edit]));
            }
        }
    }
}

/// How commands name the working folder.
const FORMS: [&str; 3] = ["$PWD/", "${PWD}/", "$(pwd)/"];

fn way_out(facts: &Facts<'_>) -> String {
    if facts.dialect.fills_placeholders() {
        format!("write `{FOLDER}`")
    } else {
        "use its path from the skill".to_owned()
    }
}
