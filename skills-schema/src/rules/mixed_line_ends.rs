//! `mixed-line-ends`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{SkillFile, range_of},
};

/// Lines that end in LF, and others that end in CRLF.
pub(super) const RULE: Rule = Rule {
    code: "mixed-line-ends",
    summary: "mixed line endings",
    outcome: |_| Outcome::Tolerates,
    kinds: FileKind::TEXTS,
    documentation: include_str!("mixed_line_ends.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let text = file.text.as_bytes();
    if memchr::memchr(b'\r', text).is_none() {
        return;
    }
    let is_windows = |at: &usize| *at > 0 && text[*at - 1] == b'\r';
    let (windows, plain): (Vec<usize>, Vec<usize>) = memchr::memchr_iter(b'\n', text).partition(is_windows);
    let (rare, ends, wanted) = if windows.len() > plain.len() {
        (&plain, "LF, unlike the others", "\r\n")
    } else {
        (&windows, "CRLF, unlike the others", "\n")
    };
    let Some(&first) = rare.first().filter(|_| !windows.is_empty() && !plain.is_empty()) else {
        return;
    };
    let end = |at: usize| range_of(at - usize::from(is_windows(&at)), at + 1);
    let start = memchr::memrchr(b'\n', &text[..first]).map_or(0, |before| before + 1);
    let line = range_of(start, usize::from(end(first).start()));
    let message = match rare.len() {
        1 => format!("this line ends in {ends}"),
        more => format!("this line and {} more end in {ends}", more - 1),
    };
    let edits = rare.iter().map(|at| Edit::replace(end(*at), wanted)).collect();
    report
        .add(line, message)
        .fix(Fix::unsafe_("Use the same line ending everywhere", edits));
}
