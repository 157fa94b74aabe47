//! `name-folder`

use crate::{
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, scalar},
    rules::{
        Report, Rule, Severity,
        name_format::{self, kebab},
        nearest,
        nested_skill::is_material,
    },
    syntax::SkillFile,
};

/// A name that is not the folder's.
pub(super) const RULE: Rule = Rule {
    code: "name-folder",
    summary: "a name that differs from its folder",
    outcome: |reader| reader.policy().name_unlike_folder,
    documentation: include_str!("name_folder.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(folder) = facts.folder.filter(|_| facts.kind == FileKind::Skill) else {
        return;
    };
    let Some(name) = file.entry("name").and_then(|entry| entry.value.as_scalar()) else {
        return;
    };
    let text = name.value.trim();
    // Where only the spelling differs, the rule about the spelling says so.
    if name.is_null() || text.is_empty() || text == folder || kebab(text) == folder && is_reported(facts) {
        return;
    }
    if report.severity != Severity::Error && is_material(facts.path) {
        return;
    }
    // Where no reader of the place misses anything, people name a folder shorter than its skill, or number it. Only a slip
    // is told.
    let is_slip = || nearest(text, std::iter::once(folder)).is_some();
    if report.severity == Severity::Hint && !is_slip() {
        return;
    }
    let message = match facts.dialect.reader().name_is_label {
        true => format!("`name` differs from folder `{folder}`; the command is `/{folder}`"),
        false => format!("`name` differs from folder `{folder}`"),
    };
    let fix = Fix::unsafe_(
        format!("Rename to `{folder}`, after the folder"),
        vec![Edit::replace(name.range, scalar(folder))],
    );
    report.add(name.range, message).dropped(facts, RULE.outcome).fix(fix);
}

fn is_reported(facts: &Facts<'_>) -> bool {
    facts.severity(name_format::RULE.outcome).is_some()
}
