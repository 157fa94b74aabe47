//! `plugin.json` of Agent Plugins 1.0.0: a package of skills and servers.

use super::{AGENT_PLUGINS, Manifest, Problem, is_new};
use crate::{
    fields::{Field, Others, Type, choice, field},
    kind::FileKind,
    severity::Severity,
    syntax::SkillFile,
};

pub(super) const MANIFEST: Manifest = Manifest {
    kind: FileKind::Plugin,
    is_json: true,
    types: &[Type::Mapping(FIELDS, Others::Unknown)],
    required: &["$schema", "name"],
    severity: Severity::Error,
    costs: "plugin not loaded",
    reader: "Agent Plugins 1.0",
    is_open: true,
    problems,
    is_meant,
};

const TEXT: &[Type] = &[Type::Text];
const MAX_NAME: usize = 64;

const FIELDS: &[Field] = &[
    field(
        "$schema",
        &[Type::Choice(&[choice(
            "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
            "Agent Plugins 1.0.0. Nothing is fetched.",
        )])],
        "The version of Agent Plugins that the file follows. Readers refuse a file without it.",
    ),
    Field {
        max_length: Some(MAX_NAME),
        example: "my-plugin",
        ..field(
            "name",
            TEXT,
            "Identifies the plugin: 1 to 64 lower-case letters, digits, hyphens and dots; the first and the last a letter \
             or digit, no `--`, no `..`.",
        )
    },
    Field {
        example: "1.0.0",
        ..field("version", TEXT, "The plugin's version, in any form.")
    },
    field("description", TEXT, "What the plugin brings, for people."),
    field(
        "author",
        &[Type::Mapping(
            &[
                field("name", TEXT, "The author's name."),
                field("email", TEXT, "The author's address for mail."),
                field("url", TEXT, "The author's page."),
            ],
            Others::Unknown,
        )],
        "Who wrote it.",
    ),
    field("homepage", TEXT, "The plugin's page."),
    field("repository", TEXT, "Where its sources are."),
    Field {
        example: "MIT",
        ..field("license", TEXT, "Its licence.")
    },
    field("keywords", &[Type::List(TEXT)], "Words to find it by."),
    field(
        "extensions",
        &[Type::Mapping(&[], Others::Hold(&[Type::Any])), Type::Any],
        "What single clients read, by a name of theirs such as `com.example`; others pass over it.",
    ),
];

fn is_meant(file: &SkillFile) -> bool {
    // Without the schema it is the manifest of VS Code and Copilot, or another program's.
    file.text.contains(AGENT_PLUGINS) || is_new(file)
}

fn problems(file: &SkillFile) -> Vec<Problem> {
    let name = file.entry("name").and_then(|entry| entry.value.as_scalar());
    let problem = name.and_then(|name| {
        Some(Problem {
            range: name.range,
            message: format!("{}: {}", problem_of_name(&name.value)?, MANIFEST.costs),
            severity: MANIFEST.severity,
        })
    });
    problem.into_iter().collect()
}

fn problem_of_name(name: &str) -> Option<String> {
    let is_ending = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_inside = |c: char| is_ending(Some(c)) || matches!(c, '-' | '.');
    let why = if let Some(c) = name.chars().find(|c| !is_inside(*c)) {
        format!("has `{c}`; use a-z, 0-9, `-` and `.`")
    } else if !is_ending(name.chars().next()) || !is_ending(name.chars().next_back()) {
        "must begin and end with a letter or digit".to_owned()
    } else if name.contains("--") || name.contains("..") {
        "must not contain `--` or `..`".to_owned()
    } else {
        return None;
    };
    Some(format!("plugin name `{name}` {why}"))
}
