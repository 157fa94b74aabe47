//! `scaffold`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field},
    syntax::{SkillFile, range_of},
};

/// Text of a template that nobody filled in.
pub(super) const RULE: Rule = Rule {
    code: "scaffold",
    summary: "a placeholder left over from a template",
    outcome: |_| Outcome::Doubts,
    documentation: include_str!("scaffold.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if let Some(scalar) = field(file, facts, "description").and_then(|entry| entry.value.as_scalar()) {
        let text = scalar.value.trim_start();
        if text.starts_with("TODO") || text.starts_with("[TODO") {
            report.add(
                scalar.range,
                "placeholder description; say what the skill does and when to use it",
            );
        }
    }
    let base = usize::from(file.body.range.start());
    let body = file.slice(file.body.range);
    for at in memchr::memmem::find_iter(body.as_bytes(), b"[TODO") {
        let Some(length) = body[at..].find([']', '\n']) else {
            break;
        };
        let (text, after) = (&body[at..at + length], &body[at + length + 1..]);
        // `[TODO list](todo.md)` is a link.
        let is_scaffold = matches!(text.as_bytes().get(5), None | Some(b':')) && !after.starts_with(['(', '[', ':']);
        if !is_scaffold {
            continue;
        }
        let range = range_of(base + at, base + at + body[at..=at + length].trim_end().len());
        if !file.markdown().in_code(range.start()) {
            report.add(range, "placeholder text from a template; fill it in or remove it");
        }
    }
}
