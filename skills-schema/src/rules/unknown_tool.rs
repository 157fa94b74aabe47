//! `unknown-tool`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    fixes::{Edit, Fix},
    permission_rule::{self, TOOLS},
    rules::{Report, Rule, field, nearest, where_read},
    syntax::SkillFile,
};

/// A tool that looks misspelt.
pub(super) struct UnknownTool;

impl Rule for UnknownTool {
    fn code(&self) -> &'static str {
        "unknown-tool"
    }

    fn summary(&self) -> &'static str {
        "a tool under `allowed-tools` exists"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        where_read(policy, "allowed-tools", Outcome::Recovers)
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        // Tools of other readers have names of their own; all who know `disallowed-tools` know these.
        let Some(severity) = facts.severity(|policy| where_read(policy, "disallowed-tools", Outcome::Recovers)) else {
            return;
        };
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
                } else if TOOLS.contains(&rule.tool) {
                    None
                } else {
                    nearest(rule.tool, TOOLS.iter().copied()).map(str::to_owned)
                };
                let Some(meant) = meant.filter(|meant| meant != "mcp__") else {
                    continue;
                };
                let range = listed.part(file, 0..rule.tool.len());
                let message = format!("there is no tool `{}`; did you mean `{meant}`?", rule.tool);
                let edit = Edit::replace(range, meant.as_str());
                report
                    .add(severity, range, message)
                    .fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("unknown_tool.md")
    }
}
