//! `refused-yaml`

use text_size::TextRange;

use crate::{
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{Entry, Node, NodeKind, SkillFile},
};

/// YAML that one reader refuses.
pub(super) const RULE: Rule = Rule {
    code: "refused-yaml",
    summary: "YAML beyond plain lists and mappings",
    outcome: |reader| reader.policy().yaml_features,
    documentation: include_str!("refused_yaml.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for entry in file.entries() {
        visit(
            &mut |node| {
                let (range, what) = match (node.anchor, node.tag, &node.kind) {
                    (Some(range), ..) => (range, "an anchor"),
                    (_, Some(range), _) => (range, "a tag"),
                    (.., NodeKind::Alias(_)) => (node.range, "an alias"),
                    (.., NodeKind::Sequence(_)) if file.slice(node.range).starts_with('[') => {
                        (node.range, "a list in brackets")
                    }
                    (.., NodeKind::Mapping(_)) if file.slice(node.range).starts_with('{') => {
                        (node.range, "a mapping in brackets")
                    }
                    _ => return true,
                };
                let finding = report.add(range, format!("{what}; write it line by line"));
                finding.dropped(facts, |reader| reader.policy().yaml_features);
                finding.fixes.extend(block(file, entry, node));
                false
            },
            &entry.value,
        );
    }
}

/// Looks at a value and, as long as that is wanted, at those in it.
fn visit(look: &mut impl FnMut(&Node) -> bool, node: &Node) {
    if look(node) {
        node.items().iter().for_each(|item| visit(look, item));
        node.entries().iter().for_each(|entry| visit(look, &entry.value));
    }
}

/// A list of single words in brackets as lines of their own.
fn block(file: &SkillFile, entry: &Entry, node: &Node) -> Option<Fix> {
    let items: Vec<&str> = node.items().iter().map(|item| file.slice(item.range)).collect();
    let is_plain = node.range == entry.value.range
        && !items.is_empty()
        && node.anchor.is_none()
        && node.tag.is_none()
        && node
            .items()
            .iter()
            .all(|item| item.as_scalar().is_some() && item.tag.is_none() && item.anchor.is_none())
        && !items.iter().any(|item| item.contains(['\n', '\r']));
    let lines: String = items.iter().map(|item| format!("\n  - {item}")).collect();
    let range = TextRange::new(entry.colon?.end(), node.range.end());
    is_plain.then(|| Fix::safe("Write a list with lines", vec![Edit::replace(range, lines)]))
}
