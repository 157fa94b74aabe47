//! `missing-script`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, normal, scripts, scripts_of_hooks},
    fixes::{Edit, Fix},
    rules::{Look, Report, Rule, Severity},
    syntax::SkillFile,
};

/// A command that runs a script which the skill does not have.
pub(super) const RULE: Rule = Rule {
    code: "missing-script",
    summary: "a command or hook that runs a script that does not exist",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("missing_script.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    for named in scripts_of_hooks(file) {
        check_script(file, named.range, folder, Severity::Warning, report);
    }
    // Without scripts of its own, the skill speaks of those of the project.
    let has_scripts = folder.iter().any(|(path, _)| path.starts_with("scripts/"));
    let mut seen = Vec::new();
    for named in scripts(file) {
        let is_new = !seen.contains(&named.range);
        // A span that is a path and nothing else is a mention, which is looked at as a link.
        // A span that is a script with its arguments is a command of this skill as much as a path alone.
        let is_meant = has_scripts || named.is_first_of_span;
        if is_new && (named.is_own || is_meant && !named.is_alone) {
            seen.push(named.range);
            let severity = if named.is_own {
                Severity::Warning
            } else {
                Severity::Hint
            };
            let path = normal(file.slice(named.range));
            let is_slip = || !matches!(folder.find(&path), Found::Missing) || folder.near(&path).is_some();
            // What does not begin with the skill's folder is mostly the project's, or written by a step before.
            let is_elsewhere = !named.is_own && (folder.is_at_root(&path) || !is_slip());
            if !is_elsewhere {
                check_script(file, named.range, folder, severity, report);
            }
        }
    }
}

fn check_script(file: &SkillFile, range: TextRange, folder: &Folder, severity: Severity, report: &mut Report) {
    let path = normal(file.slice(range));
    let near = match folder.find(&path) {
        Found::Here(_) | Found::Unknown => return,
        Found::OtherCase(other) => Some(other),
        Found::Missing => folder.near(&path),
    };
    let way_out = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "add it or remove the command".to_owned(),
    };
    let finding = report.add_at(severity, range, format!("script `{path}` does not exist; {way_out}"));
    if let Some(near) = near {
        let edits = vec![Edit::replace(range, near)];
        finding.fix(Fix::unsafe_(format!("Write `{near}`"), edits));
    }
}
