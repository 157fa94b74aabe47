//! `unclosed-fence`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{SkillFile, lines, range_of},
};

/// A block of code that nothing closes.
pub(super) const RULE: Rule = Rule {
    code: "unclosed-fence",
    summary: "an unclosed code fence",
    outcome: |_| Outcome::Recovers,
    documentation: include_str!("unclosed_fence.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.body.range;
    let Some(fence) = last_open(file) else { return };
    // Quickly found; the tree knows about lists, quotes and indentation.
    let end = usize::from(body.start()) + file.slice(body).trim_end().len();
    let blocks = file.markdown().code_blocks.iter();
    let Some(block) = blocks
        .rev()
        .find(|it| it.is_fenced && usize::from(it.range.end()) >= end)
    else {
        return;
    };
    let source = file.slice(block.range);
    let length = source.len() - source.trim_start_matches(fence).len();
    let last = source
        .lines()
        .last()
        .unwrap_or_default()
        .trim_start_matches([' ', '\t', '>'])
        .trim_end();
    let is_closed = source.lines().count() > 1 && last.len() >= length && last.chars().all(|c| c == fence);
    if length < 3 || is_closed {
        return;
    }
    let start = usize::from(block.range.start());
    let runs = file.slice(block.info).starts_with('!');
    let message = match (runs, block.info.is_empty()) {
        (true, _) => "unclosed code fence; its commands don't run",
        (_, false) => "unclosed code fence",
        _ => "unclosed code fence; to nest fences, make the outer one longer",
    };
    let is_plain = file.text[..start].ends_with('\n');
    // A fence at the very end closes nothing, and takes nothing into it.
    if is_plain && block.info.is_empty() && file.slice(block.content).trim().is_empty() {
        return;
    }
    let finding = report.add(range_of(start, start + length), message);
    if is_plain && !runs && !block.info.is_empty() {
        let marks = fence.to_string().repeat(length);
        let text = if file.text.ends_with('\n') {
            format!("{marks}\n")
        } else {
            format!("\n{marks}\n")
        };
        finding.fix(Fix::unsafe_(
            "Close the fence at the end",
            vec![Edit::insert(body.end(), text)],
        ));
    }
}

/// The character of a fence that a look at the lines alone finds open at the end.
fn last_open(file: &SkillFile) -> Option<char> {
    let body = file.slice(file.body.range).as_bytes();
    let has = |needle: &[u8]| memchr::memmem::find(body, needle).is_some();
    if !has(b"```") && !has(b"~~~") {
        return None;
    }
    let mut open: Option<(char, usize)> = None;
    for line in lines(&file.text, file.body.range) {
        let text = line
            .text(&file.text)
            .trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        let Some(mark) = text.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            continue;
        };
        let length = text.len() - text.trim_start_matches(mark).len();
        open = match open {
            _ if length < 3 => open,
            None if mark == '`' && text[length..].contains('`') => None,
            None => Some((mark, length)),
            Some((own, least)) if own == mark && length >= least && text[length..].trim().is_empty() => None,
            open => open,
        };
    }
    open.map(|(mark, _)| mark)
}
