//! `missing-shebang`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, ScriptStart, normal, scripts},
    rules::{Look, Report, Rule, script_mode::interpreter},
    syntax::SkillFile,
};

/// A script that is run by its path and does not say by what.
pub(super) const RULE: Rule = Rule {
    code: "missing-shebang",
    summary: "a script that is run by its path and has no `#!` line",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("missing_shebang.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let mut seen: Vec<String> = Vec::new();
    for named in scripts(file).filter(|named| named.begins_command(file)) {
        let path = normal(file.slice(named.range));
        let (Found::Here(entry), Some(interpreter)) = (folder.find(&path), interpreter(&path)) else {
            continue;
        };
        // The system refuses it before it looks at its first line: that has a rule of its own.
        if entry.is_executable == Some(false) {
            continue;
        }
        // A shell runs what no other program is named for.
        let is_shell = matches!(interpreter, "bash" | "sh");
        let message = match entry.script.as_ref().map(|script| script.start) {
            Some(ScriptStart::CarriageReturn) => {
                format!("the `#!` line of `{path}` ends in CRLF, which breaks it; use LF")
            }
            Some(ScriptStart::Nothing) if !is_shell => {
                format!("`{path}` has no `#!` line; write `{interpreter} {path}`")
            }
            _ => continue,
        };
        if !seen.contains(&path) {
            report.add(named.range, message);
            seen.push(path);
        }
    }
}
