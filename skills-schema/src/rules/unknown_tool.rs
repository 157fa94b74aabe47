//! `unknown-tool`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fields::Field,
    fixes::{Edit, Fix},
    permission_rule::{self, Listed, PermissionRule},
    rules::{Report, Rule, field, nearest, where_read},
    syntax::SkillFile,
    vocabulary,
};

/// A tool that looks misspelt.
pub(super) const RULE: Rule = Rule {
    code: "unknown-tool",
    summary: "an unknown tool under `allowed-tools`",
    outcome,
    documentation: include_str!("unknown_tool.md"),
    check,
    ..Rule::DEFAULT
};

fn outcome(reader: Dialect) -> Outcome {
    // Tools of other readers have names of their own; all who know `disallowed-tools` know these.
    let own = if reader == Dialect::Unified {
        Outcome::Doubts
    } else {
        Outcome::Recovers
    };
    where_read(reader, "disallowed-tools", own)
}

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for name in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = field(file, facts, name) else {
            continue;
        };
        let all = permission_rule::listed(file, &entry.value);
        // Other programs have a `bash` and a `read` of their own: whoever writes for them names none of these tools.
        let is_known = |listed: &Listed<'_>| {
            let rule = permission_rule::parse(listed.text).ok();
            rule.is_some_and(|rule| vocabulary::tool(rule.tool).is_some() || rule.tool.starts_with("mcp_"))
        };
        if !facts.dialect.reader().has_known_tools && !all.iter().any(is_known) {
            continue;
        }
        for listed in all {
            let Ok(rule) = permission_rule::parse(listed.text) else {
                continue;
            };
            let meant = if rule.tool.starts_with("mcp_") && rule.mcp().is_none() {
                Some(of_server(&rule.tool["mcp_".len()..]))
            } else if vocabulary::tool(rule.tool).is_some() {
                None
            } else {
                nearest(rule.tool, vocabulary::TOOLS.iter().map(|tool| tool.name)).map(str::to_owned)
            };
            agent(file, &listed, &rule, report);
            let Some(meant) = meant.filter(|meant| meant != "mcp__") else {
                continue;
            };
            let range = listed.part(file, 0..rule.tool.len());
            let message = format!("unknown tool `{}`; did you mean `{meant}`?", rule.tool);
            let edit = Edit::replace(range, meant.as_str());
            report
                .add(range, message)
                .fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
        }
    }
}

/// `mcp__server__tool`, of what stands behind `mcp_`.
fn of_server(name: &str) -> String {
    let name = name.trim_start_matches('_');
    match name.split_once('_').filter(|_| !name.contains("__")) {
        Some((server, tool)) => format!("mcp__{server}__{tool}"),
        None => format!("mcp__{name}"),
    }
}

/// The slip of an agent that Claude Code brings along; projects and plugins have others.
fn agent(file: &SkillFile, listed: &Listed<'_>, rule: &PermissionRule<'_>, report: &mut Report) {
    let Some(name) = rule.specifier.filter(|_| matches!(rule.tool, "Task" | "Agent")) else {
        return;
    };
    let agents: Vec<_> = Field::at_path(["agent"]).map_or(Vec::new(), |field| field.choices().collect());
    let near = nearest(name, agents.iter().map(|(agent, _)| *agent)).filter(|near| *near != name);
    if let Some(near) = near {
        let start = name.as_ptr() as usize - listed.text.as_ptr() as usize;
        let range = listed.part(file, start..start + name.len());
        let message = format!("unknown agent `{name}`; did you mean `{near}`?");
        let fix = Fix::unsafe_(format!("Change to `{near}`"), vec![Edit::replace(range, near)]);
        report.add(range, message).fix(fix);
    }
}
