//! `missing-script`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, normal},
    fixes::{Edit, Fix},
    rules::{Needs, Report, Rule, Severity},
    syntax::{Node, NodeKind, SkillFile},
};

/// A command that runs a script which the skill does not have.
pub(super) const RULE: Rule = Rule {
    code: "missing-script",
    summary: "a script that a command or a hook runs exists",
    outcome: |_| Outcome::Recovers,
    needs: Needs::Folder,
    kinds: &[FileKind::Skill],
    documentation: include_str!("missing_script.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(folder) = facts.around.folder else {
        return;
    };
    if let Some(hooks) = file.entry("hooks") {
        in_hooks(file, &hooks.value, folder, report);
    }
    // Without scripts of its own, the skill speaks of those of the project.
    let has_scripts = folder.iter().any(|(path, _)| path.starts_with("scripts/"));
    let tree = file.markdown();
    let blocks = tree.code_blocks.iter().map(|block| block.content);
    let spans = tree.code_spans.iter().map(|span| span.content);
    let mut seen = Vec::new();
    for code in blocks.chain(spans) {
        for (range, is_own) in scripts(file, code) {
            let is_new = !seen.contains(&range);
            // A span that is a path and nothing else is a mention, which is looked at as a link.
            if is_new && (is_own || has_scripts && range != code) {
                seen.push(range);
                let severity = if is_own { Severity::Warning } else { Severity::Hint };
                check_script(file, range, folder, severity, report);
            }
        }
    }
}

/// The `command` of every hook.
fn in_hooks(file: &SkillFile, node: &Node, folder: &Folder, report: &mut Report) {
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().for_each(|item| in_hooks(file, item, folder, report)),
        NodeKind::Mapping(entries) => {
            for entry in entries {
                let command = entry.value.as_scalar().filter(|_| entry.key.value == "command");
                match command {
                    Some(command) => {
                        for (range, _) in scripts(file, command.inner()) {
                            check_script(file, range, folder, Severity::Warning, report);
                        }
                    }
                    None => in_hooks(file, &entry.value, folder, report),
                }
            }
        }
        _ => {}
    }
}

/// The words that are paths of scripts of the skill: `scripts/…`, and all below `${CLAUDE_SKILL_DIR}`; the second value
/// says that it can't be the project's.
pub(super) fn scripts(file: &SkillFile, code: TextRange) -> Vec<(TextRange, bool)> {
    let text = file.slice(code);
    if !text.contains("scripts/") && !text.contains(SKILL_FOLDER) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "\"'`()=;&|<>,".contains(c)) {
        let path = word.trim_end_matches(|c: char| c.is_whitespace() || "\"'`()=;&|<>,.:".contains(c));
        let own = path.strip_prefix(SKILL_FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let rest = own.unwrap_or(path);
        let is_script = own.is_some() || normal(rest).starts_with("scripts/");
        let is_plain = rest.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
        let has_extension = rest.rsplit('/').next().is_some_and(|name| {
            name.rsplit_once('.')
                .is_some_and(|(stem, extension)| !stem.is_empty() && extension.len() <= 4)
        });
        if is_script && is_plain && has_extension {
            let start = code.start() + offset(at + path.len() - rest.len());
            found.push((TextRange::at(start, TextSize::of(rest)), own.is_some()));
        }
        at += word.len();
    }
    found
}

const SKILL_FOLDER: &str = "${CLAUDE_SKILL_DIR}";

fn check_script(file: &SkillFile, range: TextRange, folder: &Folder, severity: Severity, report: &mut Report) {
    let path = normal(file.slice(range));
    let near = match folder.find(&path) {
        Found::Here(_) | Found::Unknown => return,
        Found::OtherCase(other) => Some(other),
        Found::Missing => folder.near(&path),
    };
    let way_out = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "add the script, or take the command out".to_owned(),
    };
    let finding = report.add(severity, range, format!("the skill has no `{path}`: {way_out}"));
    if let Some(near) = near {
        let edits = vec![Edit::replace(range, near)];
        finding.fix(Fix::unsafe_(format!("Write `{near}`"), edits));
    }
}

/// Texts are shorter than 4 GiB.
fn offset(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or_default()
}
