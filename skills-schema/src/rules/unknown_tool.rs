//! `unknown-tool`

use crate::{
    dialect::{Dialect, Outcome, Policy},
    facts::Facts,
    fixes::{Edit, Fix},
    permission_rule,
    rules::{Report, Rule, field, nearest, where_read},
    syntax::SkillFile,
    vocabulary,
};

/// A tool that looks misspelt.
pub(super) const RULE: Rule = Rule {
    code: "unknown-tool",
    summary: "a tool under `allowed-tools` exists",
    outcome,
    documentation: include_str!("unknown_tool.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(policy: &Policy) -> Outcome {
    // Tools of other readers have names of their own; all who know `disallowed-tools` know these.
    let own = if policy.dialect == Dialect::Unified {
        Outcome::Doubts
    } else {
        Outcome::Recovers
    };
    where_read(policy, "disallowed-tools", own)
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for name in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = field(file, facts, name) else {
            continue;
        };
        for listed in permission_rule::listed(file, &entry.value) {
            let Ok(rule) = permission_rule::parse(listed.text) else {
                continue;
            };
            let meant = if rule.tool.starts_with("mcp_") && rule.mcp().is_none() {
                Some(format!("mcp__{}", rule.tool["mcp_".len()..].trim_start_matches('_')))
            } else if vocabulary::tool(rule.tool).is_some() {
                None
            } else {
                nearest(rule.tool, vocabulary::TOOLS.iter().map(|tool| tool.name)).map(str::to_owned)
            };
            let Some(meant) = meant.filter(|meant| meant != "mcp__") else {
                continue;
            };
            let range = listed.part(file, 0..rule.tool.len());
            let message = format!("there is no tool `{}`; did you mean `{meant}`?", rule.tool);
            let edit = Edit::replace(range, meant.as_str());
            report
                .add(range, message)
                .fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
        }
    }
}
