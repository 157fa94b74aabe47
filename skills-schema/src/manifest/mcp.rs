//! `mcp.json` of Agent Plugins 1.0.0: the servers that a package brings.

use text_size::TextRange;

use super::{AGENT_PLUGINS, Manifest, Problem, is_new};
use crate::{
    fields::{Field, Others, Type, choice, field},
    kind::FileKind,
    severity::Severity,
    syntax::{Entry, Node, NodeKind, SkillFile},
};

pub(super) const MANIFEST: Manifest = Manifest {
    kind: FileKind::PluginServers,
    is_json: true,
    types: &[Type::Mapping(FIELDS, Others::Unknown)],
    required: &["$schema", "mcpServers"],
    severity: Severity::Error,
    costs: "no server starts",
    reader: "Agent Plugins 1.0",
    is_open: false,
    problems,
    is_meant: |file| file.text.contains(AGENT_PLUGINS) || is_new(file),
};

const TEXT: &[Type] = &[Type::Text];
const TEXTS_BY_NAME: &[Type] = &[Type::Mapping(&[], Others::Hold(TEXT))];

const FIELDS: &[Field] = &[
    field(
        "$schema",
        &[Type::Choice(&[choice(
            "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
            "Agent Plugins 1.0.0, the version of `plugin.json`. Nothing is fetched.",
        )])],
        "The version of Agent Plugins that the file follows; the same as that of `plugin.json`.",
    ),
    field(
        "mcpServers",
        &[Type::Mapping(
            &[],
            Others::Hold(&[Type::Mapping(SERVER, Others::Unknown)]),
        )],
        "The servers by name. A bad entry costs only that server.",
    ),
];

const STDIO: &str = "stdio";

const SERVER: &[Field] = &[
    field(
        "type",
        &[Type::Choice(&[
            choice(
                STDIO,
                "A program that is started and spoken to over its input and output.",
            ),
            choice("streamable-http", "A server at an address."),
            choice("sse", "A server at an address, in the older way."),
        ])],
        "How the server is spoken to. It must be there.",
    ),
    Field {
        example: "./server",
        ..field(
            "command",
            TEXT,
            "The program: a bare name, or a path in the plugin that begins with `./`. No arguments, no placeholders.",
        )
    },
    field(
        "args",
        &[Type::List(TEXT)],
        "Its arguments. `${PLUGIN_ROOT}` and `${PLUGIN_DATA}` stand for the plugin's folders.",
    ),
    field(
        "env",
        TEXTS_BY_NAME,
        "Variables of its environment; `PLUGIN_ROOT` and `PLUGIN_DATA` are set anyway.",
    ),
    Field {
        example: "${PLUGIN_ROOT}",
        ..field(
            "cwd",
            TEXT,
            "The folder that it starts in: `./…`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}`, and what lies below.",
        )
    },
    Field {
        example: "https://example.com/mcp",
        ..field(
            "url",
            TEXT,
            "Its address: `https`, or `http` on this machine; without a user and without `#`.",
        )
    },
    field("headers", TEXTS_BY_NAME, "What is sent along with every request."),
];

const PLACEHOLDERS: [&str; 2] = ["PLUGIN_ROOT", "PLUGIN_DATA"];

fn problems(file: &SkillFile) -> Vec<Problem> {
    let servers = file.entry("mcpServers").map_or(&[][..], |entry| entry.value.entries());
    let mut found = Vec::new();
    for server in servers
        .iter()
        .filter(|it| matches!(it.value.kind, NodeKind::Mapping(_)))
    {
        found.extend(violations(server).into_iter().map(|(range, problem)| Problem {
            range,
            message: format!("{problem}: `{}` does not start", server.key.value),
            severity: MANIFEST.severity,
        }));
        found.extend(dead_placeholders(server));
    }
    found
}

fn violations(server: &Entry) -> Vec<(TextRange, String)> {
    let field = |name: &str| server.value.get(name);
    let Some(kind) = field("type") else {
        return vec![(server.key.range, "there is no `type`".to_owned())];
    };
    let mut found = Vec::new();
    let (needed, foreign): (&str, &[&str]) = if kind.as_str() == Some(STDIO) {
        ("command", &["url", "headers"])
    } else {
        ("url", &["command", "args", "env", "cwd"])
    };
    if field(needed).is_none() {
        found.push((server.key.range, format!("there is no `{needed}`")));
    }
    for entry in server.value.entries() {
        let name = entry.key.value.as_str();
        if foreign.contains(&name) {
            let message = format!("`{name}` is not for servers of its `type`");
            found.push((entry.key.range, message));
            continue;
        }
        let problem = entry.value.as_str().and_then(|value| match name {
            "command" => problem_of_command(value),
            "cwd" => problem_of_folder(value),
            "url" => problem_of_address(value),
            _ => None,
        });
        found.extend(problem.map(|problem| (entry.value.range, problem.to_owned())));
        let variables = entry.value.entries().iter().filter(|_| name == "env");
        let taken = variables.filter(|it| PLACEHOLDERS.contains(&it.key.value.as_str()));
        found.extend(taken.map(|it| (it.key.range, format!("`{}` is set by the client", it.key.value))));
    }
    found
}

fn problem_of_command(command: &str) -> Option<&'static str> {
    if command.is_empty() {
        Some("`command` is empty")
    } else if command.contains("${") {
        Some("`command` takes no placeholder; write a path that begins with `./`")
    } else if command.contains(char::is_whitespace) {
        Some("`command` is one word; move the rest to `args`")
    } else if command.contains(['/', '\\']) && !command.starts_with("./") {
        Some("`command` is a bare name, or a path that begins with `./`")
    } else {
        None
    }
}

fn problem_of_folder(folder: &str) -> Option<&'static str> {
    let below = |root: &str| {
        folder
            .strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_inside = folder.starts_with("./") || below("${PLUGIN_ROOT}") || below("${PLUGIN_DATA}");
    let leaves = folder.split('/').any(|part| part == "..");
    (!is_inside || leaves).then_some("`cwd` begins with `./`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}` and stays there")
}

fn problem_of_address(address: &str) -> Option<&'static str> {
    let Some((scheme, rest)) = address.split_once("://") else {
        return Some("`url` must be an absolute address such as `https://example.com/mcp`");
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let is_loopback = matches!(host, "localhost" | "[::1]") || host.starts_with("127.");
    if authority.is_empty() {
        Some("`url` names no host")
    } else if authority.contains('@') {
        Some("`url` must not hold a user; send what proves who you are in `headers`")
    } else if address.contains('#') {
        Some("`url` must not hold `#`")
    } else if scheme != "https" && !(scheme == "http" && is_loopback) {
        Some("`url` must begin with `https://` unless it is local")
    } else {
        None
    }
}

/// Placeholders that stay as they are written, because they are of another sort or stand where none are read.
fn dead_placeholders(server: &Entry) -> Vec<Problem> {
    let mut found = Vec::new();
    // A command with one is refused.
    for field in server.value.entries().iter().filter(|it| it.key.value != "command") {
        let are_read = matches!(field.key.value.as_str(), "args" | "env" | "cwd");
        let nested = field.value.entries().iter().map(|entry| &entry.value);
        for node in std::iter::once(&field.value).chain(field.value.items()).chain(nested) {
            found.extend(dead_placeholder(node, are_read).map(|message| Problem {
                range: node.range,
                message,
                severity: Severity::Warning,
            }));
        }
    }
    found
}

fn dead_placeholder(node: &Node, are_read: bool) -> Option<String> {
    let names = node
        .as_str()?
        .split("${")
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    let mut names = names.map(|(name, _)| name);
    let dead = names.find(|name| !are_read || !PLACEHOLDERS.contains(name))?;
    let known = if are_read {
        "only `PLUGIN_ROOT` and `PLUGIN_DATA` are"
    } else {
        "only `args`, `env` and `cwd` have placeholders"
    };
    Some(format!("`${{{dead}}}` is not replaced: {known}"))
}
