//! `interactive-script`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, normal, scripts},
    rules::{Look, Report, Rule, example::is_example},
    syntax::SkillFile,
};

/// A script that waits for a person to type, which an agent's shell has none to do.
pub(super) const RULE: Rule = Rule {
    code: "interactive-script",
    summary: "a script that waits for input",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("interactive_script.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let mut seen: Vec<String> = Vec::new();
    for named in scripts(file) {
        let path = normal(file.slice(named.range));
        let Found::Here(entry) = folder.find(&path) else {
            continue;
        };
        let prompt = entry.script.as_ref().and_then(|script| script.prompt.as_ref());
        let is_shown = || is_example(file, named.range);
        if let Some(prompt) = prompt.filter(|_| !seen.contains(&path) && !is_shown()) {
            let message = format!(
                "`{path}` waits for input (line {}: `{}`); use arguments instead",
                prompt.line, prompt.call
            );
            report.add(named.range, message);
            seen.push(path);
        }
    }
}
