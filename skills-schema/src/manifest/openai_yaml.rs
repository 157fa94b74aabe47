//! `agents/openai.yaml` beside a `SKILL.md`, as Codex CLI 0.169.0 reads it. What it can't read it only logs.

use super::{Manifest, Problem};
use crate::{
    fields::{Field, Others, Type, choice, field},
    kind::FileKind,
    severity::Severity,
    syntax::SkillFile,
};

pub(super) const MANIFEST: Manifest = Manifest {
    kind: FileKind::CodexMetadata,
    is_json: false,
    types: &[Type::Mapping(FIELDS, Others::Unknown)],
    required: &[],
    severity: Severity::Warning,
    costs: "Codex passes over it",
    reader: "Codex",
    is_open: true,
    problems,
    is_meant: |_| true,
};

const TEXT: &[Type] = &[Type::Text];

const FIELDS: &[Field] = &[
    field(
        "interface",
        &[Type::Mapping(INTERFACE, Others::Unknown)],
        "How Codex shows the skill to people.",
    ),
    field(
        "policy",
        &[Type::Mapping(POLICY, Others::Unknown)],
        "When Codex may use the skill.",
    ),
    field(
        "dependencies",
        &[Type::Mapping(DEPENDENCIES, Others::Unknown)],
        "What the skill needs to work.",
    ),
];

const INTERFACE: &[Field] = &[
    Field {
        max_length: Some(64),
        example: "My skill",
        ..field("display_name", TEXT, "The name that people see, at most 64 characters.")
    },
    Field {
        max_length: Some(1024),
        ..field(
            "short_description",
            TEXT,
            "What the skill does, for people; at most 1,024 characters.",
        )
    },
    Field {
        example: "./assets/small.svg",
        ..field(
            "icon_small",
            TEXT,
            "A small picture, by its path below the skill's folder `assets/`.",
        )
    },
    Field {
        example: "./assets/large.png",
        ..field(
            "icon_large",
            TEXT,
            "A large picture, by its path below the skill's folder `assets/`.",
        )
    },
    Field {
        example: "\"#3B82F6\"",
        ..field("brand_color", TEXT, "The colour that goes with the skill.")
    },
    Field {
        max_length: Some(1024),
        ..field(
            "default_prompt",
            TEXT,
            "What is asked when a person starts the skill without words; at most 1,024 characters.",
        )
    },
];

const POLICY: &[Field] = &[
    field(
        "allow_implicit_invocation",
        &[Type::Boolean],
        "`false` keeps the skill from the list that the model reads; `$name` still starts it. In `SKILL.md` other \
         systems call this `disable-model-invocation: true`.",
    ),
    field(
        "products",
        &[Type::List(TEXT)],
        "The products that show the skill; all without it.",
    ),
];

const DEPENDENCIES: &[Field] = &[field(
    "tools",
    &[Type::List(&[Type::Mapping(TOOL, Others::Unknown)])],
    "The tools that the skill calls.",
)];

const TOOL: &[Field] = &[
    Field {
        example: "mcp",
        ..field(
            "type",
            &[Type::Choice(&[choice("mcp", "A server of tools.")]), Type::Text],
            "What sort of tool it is.",
        )
    },
    field("value", TEXT, "Its name, or that of the server."),
    field("description", TEXT, "What the skill needs it for."),
    field("transport", TEXT, "How the server is spoken to."),
    field("command", TEXT, "The program that starts the server."),
    field("url", TEXT, "The address of the server."),
];

/// Icons elsewhere than in the assets.
fn problems(file: &SkillFile) -> Vec<Problem> {
    let interface = file.entry("interface").map_or(&[][..], |entry| entry.value.entries());
    let icons = interface.iter().filter(|entry| entry.key.value.starts_with("icon_"));
    let is_outside = |path: &str| !path.trim_start_matches("./").starts_with("assets/") || path.contains("..");
    icons
        .filter(|icon| icon.value.as_str().is_some_and(is_outside))
        .map(|icon| Problem {
            range: icon.value.range,
            message: format!("`{}` must lie below `assets/` in the skill's folder", icon.key.value),
            severity: MANIFEST.severity,
        })
        .collect()
}
