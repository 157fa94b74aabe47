//! `long-body`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    shown::estimated_tokens,
    syntax::{SkillFile, range_of},
};

/// Instructions that are longer than a model should read at once.
pub(super) const RULE: Rule = Rule {
    code: "long-body",
    summary: "a body over 500 lines or about 5,000 tokens",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("long_body.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range).trim_end();
    let lines = memchr::memchr_iter(b'\n', body.as_bytes()).count() + 1;
    let tokens = estimated_tokens(body);
    if facts.kind != FileKind::Skill || (lines <= MAX_LINES && tokens <= MAX_TOKENS) {
        return;
    }
    let start = usize::from(file.body.range.start());
    let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let at = start + (first.as_ptr() as usize - body.as_ptr() as usize);
    let message = format!("body of {lines} lines, about {tokens} tokens; move details to other files");
    report.add(range_of(at, at + first.len()), message);
}

const MAX_LINES: usize = 500;
const MAX_TOKENS: usize = 5_000;
