//! `lossy-value`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Fix, quote},
    rules::{Report, Rule, field},
    syntax::{Node, Scalar, SkillFile, Style},
    verdict::{self, Sort},
};

/// A value that is another text behind a YAML reader.
pub(super) const RULE: Rule = Rule {
    code: "lossy-value",
    summary: "a value that readers turn into another, such as a date or a number",
    outcome: |reader| reader.policy().scalar_for_text.min(Outcome::Tolerates),
    documentation: include_str!("lossy_value.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let version = field(file, facts, "version").map(|entry| &entry.value);
    let metadata = field(file, facts, "metadata").map_or(&[][..], |entry| entry.value.entries());
    for entry in metadata {
        look(file, &entry.key, report);
    }
    for node in version.into_iter().chain(metadata.iter().map(|entry| &entry.value)) {
        if let Some(scalar) = untagged(node) {
            look(file, scalar, report);
        }
    }
}

fn untagged(node: &Node) -> Option<&Scalar> {
    node.as_scalar().filter(|_| node.tag.is_none())
}

fn look(file: &SkillFile, scalar: &Scalar, report: &mut Report) {
    let Some(seen) = Some(scalar).filter(|it| it.style == Style::Plain).and_then(reading) else {
        return;
    };
    let message = format!("some readers read `{}` as {seen}; quote it", scalar.value);
    report
        .add(scalar.range, message)
        .fix(Fix::safe("Quote it", quote(&file.text, scalar.range)));
}

/// What a reader of YAML makes of a text that it does not give back as it is written.
fn reading(scalar: &Scalar) -> Option<String> {
    let text = scalar.value.as_str();
    // `true` and `false` are booleans to all, and meant so.
    let is_boolean = matches!(text, "true" | "false");
    verdict::sorts(text).find_map(|(sort, written)| match sort {
        Sort::Date => Some("a date".to_owned()),
        Sort::Boolean if !is_boolean => Some(format!("the boolean `{}`", written.to_lowercase())),
        Sort::Number if written != text => Some(format!("the number `{written}`")),
        Sort::Boolean | Sort::Number => None,
    })
}
