//! `script-mode`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Found, normal, scripts},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// A script that the system refuses to execute.
pub(super) const RULE: Rule = Rule {
    code: "script-mode",
    summary: "a script that is run by its path and is not executable",
    outcome: |_| Outcome::Doubts,
    needs: Needs::Folder,
    kinds: &[FileKind::Skill],
    documentation: include_str!("script_mode.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(folder) = facts.around.folder else {
        return;
    };
    let mut seen: Vec<String> = Vec::new();
    for named in scripts(file).filter(|named| named.begins_command(file)) {
        let path = normal(file.slice(named.range));
        let is_refused = matches!(folder.find(&path), Found::Here(it) if it.is_executable == Some(false));
        if is_refused && !seen.contains(&path) {
            let way_out =
                interpreter(&path).map_or("name its interpreter".to_owned(), |it| format!("run it with `{it}`"));
            let message = format!("`{path}` is not executable; {way_out}");
            report.add(named.range, message);
            seen.push(path);
        }
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
