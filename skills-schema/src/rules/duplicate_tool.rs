//! `duplicate-tool`

use std::collections::HashMap;

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// Two tools of one name.
pub(super) const RULE: Rule = Rule {
    code: "duplicate-tool",
    summary: "two tools of a skill with the same name",
    outcome: |reader| where_read(reader, "tools", Outcome::Recovers),
    documentation: include_str!("duplicate_tool.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let tools = field(file, facts, "tools").map_or(&[][..], |entry| entry.value.items());
    let mut winners = HashMap::new();
    for name in tools.iter().rev().filter_map(|tool| tool.get("name")) {
        let Some(text) = name.as_str().map(str::trim).filter(|text| !text.is_empty()) else {
            continue;
        };
        match winners.get(text) {
            None => {
                winners.insert(text, name.range);
            }
            Some(winner) => {
                let message = format!("a later tool `{text}` replaces this one; rename one");
                report.add(name.range, message).relate(*winner, "replaced by this");
            }
        }
    }
}
