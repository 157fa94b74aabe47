//! `unknown-server`

use serde_json::Value;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder},
    fixes::{Edit, Fix},
    permission_rule,
    rules::{Look, Report, Rule, Severity, field, nearest},
    syntax::SkillFile,
};

/// A tool of a server that the skill's own list of servers does not have.
pub(super) const RULE: Rule = Rule {
    code: "unknown-server",
    summary: "a tool of an MCP server that the skill does not bring",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("unknown_server.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let listed = folder
        .texts
        .get(".mcp.json")
        .map(|text| servers(text))
        .unwrap_or_default();
    if listed.is_empty() {
        return;
    }
    for name in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = field(file, facts, name) else {
            continue;
        };
        for entry in permission_rule::listed(file, &entry.value) {
            let server = permission_rule::parse(entry.text)
                .ok()
                .and_then(|rule| Some(rule.mcp()?.0));
            let Some(server) = server.filter(|it| !listed.iter().any(|other| other == it)) else {
                continue;
            };
            let start = "mcp__".len();
            let range = entry.part(file, start..start + server.len());
            match nearest(server, listed.iter().map(String::as_str)) {
                Some(near) => {
                    let message = format!("`.mcp.json` has no server `{server}`; did you mean `{near}`?");
                    let edit = Edit::replace(range, near);
                    let fix = Fix::unsafe_(format!("Change to `{near}`"), vec![edit]);
                    report.add(range, message).fix(fix);
                }
                // The project or the person may have it.
                None => {
                    let message = format!("`.mcp.json` has no server `{server}`");
                    report.add_at(Severity::Hint, range, message);
                }
            }
        }
    }
}

/// The names of the servers, as tools are named after them: what is no letter, digit, `_` or `-` is `_`.
fn servers(text: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let servers = value.get("mcpServers").and_then(Value::as_object);
    let spelt = |name: &String| {
        let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        name.chars().map(|c| if known(c) { c } else { '_' }).collect()
    };
    servers
        .into_iter()
        .flat_map(|servers| servers.keys().map(spelt))
        .collect()
}
