//! `script-mode`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Found, normal},
    rules::{Needs, Report, Rule, missing_script::scripts},
    syntax::SkillFile,
};

/// A script that the system refuses to execute.
pub(super) const RULE: Rule = Rule {
    code: "script-mode",
    summary: "a script that is run by its path can be executed",
    outcome: |_| Outcome::Doubts,
    needs: Needs::Folder,
    kinds: &[FileKind::Skill],
    documentation: include_str!("script_mode.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let (Some(folder), Some(severity)) = (facts.around.folder, facts.severity(RULE.outcome)) else {
        return;
    };
    let tree = file.markdown();
    let blocks = tree.code_blocks.iter().map(|block| block.content);
    let spans = tree.code_spans.iter().map(|span| span.content);
    let mut seen: Vec<String> = Vec::new();
    for code in blocks.chain(spans) {
        for (range, _) in scripts(file, code) {
            let path = normal(file.slice(range));
            let is_refused = matches!(folder.find(&path), Found::Here(it) if it.is_executable == Some(false));
            // A span that is a path and nothing else only mentions it.
            if is_refused && range != code && begins_command(file, code, range) && !seen.contains(&path) {
                let interpreter = interpreter(&path).map_or(String::new(), |it| format!(", such as `{it} {path}`"));
                let message = format!(
                    "`{path}` is not executable: name its interpreter before it{interpreter}, or run `chmod +x {path}`"
                );
                report.add(severity, range, message);
                seen.push(path);
            }
        }
    }
}

/// Whether a path is the first word of a line of code.
fn begins_command(file: &SkillFile, code: TextRange, path: TextRange) -> bool {
    let before = file.slice(TextRange::new(code.start(), path.start()));
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let word = line.trim_start().trim_start_matches("$ ");
    matches!(
        word,
        "" | "./" | "\"" | "${CLAUDE_SKILL_DIR}/" | "\"${CLAUDE_SKILL_DIR}/"
    )
}

/// What runs a script of that name.
fn interpreter(path: &str) -> Option<&'static str> {
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
