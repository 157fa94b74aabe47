//! `unclosed-tag`

use std::collections::HashMap;

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::{SkillFile, lines},
};

/// A tag without its counterpart.
pub(super) const RULE: Rule = Rule {
    code: "unclosed-tag",
    summary: "an unclosed tag on a line of its own",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: FileKind::TEXTS,
    documentation: include_str!("unclosed_tag.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let tree = file.markdown();
    let mut open: Vec<(&str, TextRange)> = Vec::new();
    // How many of each name are open: none is looked for in vain.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in lines(&file.text, file.body.range) {
        let text = line.text(&file.text);
        let Some((name, is_closing)) = tag(text.trim()) else {
            continue;
        };
        let indent = TextSize::of(&text[..text.len() - text.trim_start().len()]);
        let range = TextRange::at(line.range.start() + indent, TextSize::of(text.trim()));
        if tree.in_code(range.start()) {
            continue;
        }
        let is_open = counts.get(name).is_some_and(|count| *count > 0);
        if !is_closing {
            open.push((name, range));
            *counts.entry(name).or_default() += 1;
        } else if let Some(at) = is_open
            .then(|| open.iter().rposition(|(other, _)| *other == name))
            .flatten()
        {
            *counts.entry(name).or_insert(1) -= 1;
            // What was opened inside stays open.
            for (inner, range) in open.drain(at..).skip(1) {
                *counts.entry(inner).or_insert(1) -= 1;
                report.add(range, format!("unclosed `<{inner}>`; add `</{inner}>`"));
            }
        } else {
            let message = format!("unmatched `</{name}>`; add `<{name}>` above or remove it");
            report.add(range, message);
        }
    }
    for (name, range) in open {
        report.add(range, format!("unclosed `<{name}>`; add `</{name}>`"));
    }
}

/// The tag that a line is, and whether it closes one. Elements of HTML that hold nothing are none.
fn tag(line: &str) -> Option<(&str, bool)> {
    let inner = line.strip_prefix('<')?.strip_suffix('>')?;
    let (inner, is_closing) = match inner.strip_prefix('/') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let name = inner.split([' ', '\t']).next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_whole = !inner.contains(['<', '>']) && !inner.ends_with('/');
    (starts && is_whole && name.chars().all(is_name) && !EMPTY.contains(&name)).then_some((name, is_closing))
}

/// Elements of HTML that nothing closes, or that need not be closed.
const EMPTY: &[&str] = &[
    "br", "hr", "img", "input", "link", "meta", "source", "p", "li", "td", "tr",
];
