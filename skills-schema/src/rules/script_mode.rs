//! `script-mode`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, normal, scripts},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// A script that the system refuses to execute.
pub(super) const RULE: Rule = Rule {
    code: "script-mode",
    summary: "a script that is run by its path and is not executable",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("script_mode.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let mut refused: Vec<(String, TextRange)> = Vec::new();
    for named in scripts(file).filter(|named| named.begins_command(file)) {
        let path = normal(file.slice(named.range));
        let is_refused = matches!(folder.find(&path), Found::Here(it) if it.is_executable == Some(false));
        if is_refused && refused.iter().all(|(other, _)| *other != path) {
            refused.push((path, named.range));
        }
    }
    let Some(((path, range), others)) = refused.split_first() else {
        return;
    };
    // One `chmod` mends all.
    let message = match (others.len(), interpreter(path)) {
        (0, Some(interpreter)) => format!("`{path}` is not executable; run it with `{interpreter}`"),
        (0, None) => format!("`{path}` is not executable; name its interpreter"),
        (1, _) => format!("`{path}` and 1 other script are not executable; use `chmod +x`"),
        (count, _) => format!("`{path}` and {count} other scripts are not executable; use `chmod +x`"),
    };
    let finding = report.add(*range, message);
    for (path, range) in others {
        finding.relate(*range, format!("`{path}` is not executable"));
    }
}

/// What runs a script of that name.
pub(super) fn interpreter(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    let known = INTERPRETERS.iter().find(|(other, _)| *other == extension);
    known.map(|(_, interpreter)| *interpreter)
}

const INTERPRETERS: &[(&str, &str)] = &[
    ("sh", "bash"),
    ("bash", "bash"),
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
];
