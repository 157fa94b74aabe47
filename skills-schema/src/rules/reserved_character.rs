//! `reserved-character`

use std::collections::HashSet;

use text_size::TextRange;

use crate::{
    facts::{Facts, FileKind},
    fixes::{self, Fix},
    rules::{Report, Rule, Severity, syntax_findings},
    syntax::{Node, NodeKind, SkillFile, SyntaxErrorKind},
};

/// A value that starts with a character which means something in YAML: `@`, a backtick, `%`, `*`, `&`, `!`.
pub(super) const RULE: Rule = Rule {
    code: "reserved-character",
    summary: "a value that starts with a YAML character and has no quotes",
    outcome: |reader| reader.policy().invalid_yaml,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("reserved_character.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    syntax_findings(&RULE, file, facts, |kind| kind == SyntaxErrorKind::Reserved, report);
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    let mut nodes = Vec::new();
    file.entries()
        .iter()
        .for_each(|entry| collect(&entry.value, &mut nodes));
    let used: HashSet<&str> = nodes.iter().filter_map(|node| alias(node)).collect();
    for node in nodes {
        if alias(node).is_some_and(|_| !is_resolved(node)) {
            let message = format!(
                "`{}` is an undefined alias in YAML; quote the value",
                file.slice(node.range)
            );
            let edits = fixes::quote(&file.text, node.range);
            report.add(node.range, message).fix(Fix::safe("Quote the value", edits));
        } else if let Some((range, what)) = lost(file, node, &used) {
            let message = format!("`{}` {what}; quote the value", file.slice(range));
            let edits = fixes::quote(&file.text, range.cover(node.range));
            report
                .add_at(Severity::Warning, range, message)
                .fix(Fix::unsafe_("Quote the value", edits));
        }
    }
}

/// Every value, the nested ones too.
fn collect<'a>(node: &'a Node, nodes: &mut Vec<&'a Node>) {
    nodes.push(node);
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().for_each(|item| collect(item, nodes)),
        NodeKind::Mapping(entries) => entries.iter().for_each(|entry| collect(&entry.value, nodes)),
        _ => {}
    }
}

fn alias(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::Alias(alias) => Some(&alias.name),
        _ => None,
    }
}

fn is_resolved(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Alias(alias) if alias.resolved)
}

/// The start of a text that YAML takes for an anchor or a tag, so that readers never see it.
fn lost(file: &SkillFile, node: &Node, used: &HashSet<&str>) -> Option<(TextRange, &'static str)> {
    node.as_scalar()?;
    let anchor = node
        .anchor
        .filter(|&range| !used.contains(file.slice(range).trim_start_matches('&')));
    if let Some(range) = anchor {
        return Some((range, "is an anchor in YAML"));
    }
    let tag = node.tag.filter(|&range| !file.slice(range).starts_with("!!"))?;
    Some((tag, "is a tag in YAML"))
}
