//! `invalid-mcp`

use serde_json::Value;
use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind, Folder},
    manifest::json_error,
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// `.mcp.json` beside a skill that can't be read.
pub(super) const RULE: Rule = Rule {
    code: "invalid-mcp",
    summary: "a skill's `.mcp.json` that starts no server",
    outcome: |reader| reader.policy().invalid_mcp,
    kinds: &[FileKind::Skill, FileKind::McpConfig],
    documentation: include_str!("invalid_mcp.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    if facts.kind == FileKind::McpConfig {
        for (range, problem) in problems(&file.text) {
            report.add(range, problem);
        }
        return;
    }
    let Some(text) = folder.texts.get(".mcp.json") else {
        return;
    };
    let base = facts.path.rsplit_once('/').map_or("", |(base, _)| base);
    if let Some((_, problem)) = problems(text).into_iter().next() {
        report
            .add(super::head(file), format!("`.mcp.json`: {problem}"))
            .dropped(facts, RULE.outcome)
            .relate_file(format!("{base}/.mcp.json"), "the list of servers");
    }
}

/// What is wrong with a list of servers, and where.
fn problems(text: &str) -> Vec<(TextRange, String)> {
    if let Some(error) = json_error(text) {
        return vec![error];
    }
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let whole = TextRange::up_to(TextSize::of(text.split('\n').next().unwrap_or_default()));
    let Some(servers) = value.get("mcpServers") else {
        return vec![(whole, "`mcpServers` is missing".to_owned())];
    };
    let Some(servers) = servers.as_object() else {
        return vec![(
            key(text, "mcpServers").unwrap_or(whole),
            "`mcpServers` must map names to servers".to_owned(),
        )];
    };
    let mut problems = Vec::new();
    for (name, server) in servers {
        if let Some(problem) = server_problem(server) {
            problems.push((
                key(text, name).unwrap_or(whole),
                format!("the server `{name}` {problem}"),
            ));
        }
    }
    problems
}

fn server_problem(server: &Value) -> Option<&'static str> {
    let Some(server) = server.as_object() else {
        return Some("must be a mapping with `command` or `url`");
    };
    let is_text = |key: &str| server.get(key).is_none_or(Value::is_string);
    let are_texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let maps_texts = |key: &str| {
        let is_map = |value: &Value| value.as_object().is_some_and(|map| map.values().all(Value::is_string));
        server.get(key).is_none_or(is_map)
    };
    match (server.contains_key("command"), server.contains_key("url")) {
        (false, false) => Some("needs `command` or `url`"),
        (true, true) => Some("has both `command` and `url`; remove one"),
        _ if !is_text("command") || !is_text("url") => Some("needs a string as `command` or `url`"),
        _ if !server.get("args").is_none_or(are_texts) => Some("needs a list of strings as `args`"),
        _ if !maps_texts("env") || !maps_texts("headers") => Some("needs strings in `env` and `headers`"),
        _ => None,
    }
}

/// Where a key is written.
fn key(text: &str, name: &str) -> Option<TextRange> {
    let quoted = serde_json::to_string(name).ok()?;
    let is_key = |at: &usize| text[at + quoted.len()..].trim_start().starts_with(':');
    let at = text.match_indices(&quoted).map(|(at, _)| at).find(is_key)?;
    Some(TextRange::at(TextSize::try_from(at).ok()?, TextSize::of(&quoted)))
}
