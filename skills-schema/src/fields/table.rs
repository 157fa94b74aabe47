//! The rows. A new field is a new row; the order is the order of completion.

use super::values::{
    AGENTS, ANY, BOOLEAN, DIALECTS, EFFORTS, HOOK_EVENTS, INPUTS, MCP_TOOLS, MODELS, PATTERNS, SHELLS, TEXT,
    TEXT_OR_LIST, TOOLS, TRIGGER, choice, field,
};
use super::{Field, Holds, Others, Type, read_by};
use crate::reader::{Dialect, Reads};

/// Words that people put into the frontmatter although no system reads them; no finding.
pub const UNREAD: &[&str] = &[
    "tags",
    "tag",
    "category",
    "categories",
    "keywords",
    "title",
    "date",
    "updated",
    "created",
    "status",
    "domain",
    "subdomain",
    "source",
    "homepage",
    "repository",
    "url",
    "id",
    "priority",
    "type",
    "dependencies",
    "language",
    "mode",
    "content",
    "authors",
    "license_url",
    "icon",
    "emoji",
    "color",
];

/// A field that somebody reads, by its path from the top. Who does stands in the files of the readers.
macro_rules! read {
    ($path:literal, $types:expr, $documentation:literal $(,)?) => {
        Field {
            readers: {
                const COUNT: usize = read_by::count($path);
                const ALL: &[(Dialect, &Reads)] = &read_by::collect::<COUNT>($path);
                ALL
            },
            ..field(read_by::last_key($path), $types, $documentation)
        }
    };
}

/// Every field that a system reads.
pub const FIELDS: &[Field] = &[
    Field {
        max_length: Some(64),
        example: "my-skill",
        ..read!(
            "name",
            TEXT,
            "Identifies the skill. Lower-case letters, digits and single hyphens, at most 64 characters, and the same \
             as the folder: then every system reads it alike.",
        )
    },
    Field {
        max_length: Some(1024),
        example: "What it does. Use when …",
        ..read!(
            "description",
            TEXT,
            "What the skill does and when to use it, at most 1024 characters. This is all that a model sees before it \
             chooses the skill.",
        )
    },
    Field {
        example: "Use when the user asks for …",
        ..read!(
            "when_to_use",
            TEXT,
            "More about when to use the skill. It is appended to the description in the listing.",
        )
    },
    Field {
        example: "src/**/*.ts",
        holds: Holds::Globs,
        ..read!(
            "paths",
            TEXT_OR_LIST,
            "The skill is offered only when a file that matches one of these globs is read or opened. Patterns start at \
             the project's root: `*.md` matches only there, `**/*.ts` in every folder.",
        )
    },
    Field {
        holds: Holds::Globs,
        ..read!("globs", TEXT_OR_LIST, "An older name for `paths`.",)
    },
    Field {
        example: "Bash(git:*) Read",
        holds: Holds::Tools,
        ..read!(
            "allowed-tools",
            TEXT_OR_LIST,
            "Tools that the skill may use without asking while it runs, such as `Bash(git:*)` or `Read`. It never \
             restricts, and the text alone grants nothing here: a person confirms the list.",
        )
    },
    Field {
        example: "WebFetch",
        holds: Holds::Tools,
        ..read!(
            "disallowed-tools",
            TEXT_OR_LIST,
            "Tools that are taken away while the skill runs.",
        )
    },
    Field {
        example: "'[file]'",
        ..read!(
            "argument-hint",
            &[Type::Text, Type::BracketedText],
            "Shown behind the command's name while it is typed. Quote it if it starts with `[`: YAML reads `[file]` as \
             a list.",
        )
    },
    Field {
        example: "file target",
        ..read!(
            "arguments",
            TEXT_OR_LIST,
            "Names of the arguments, in order: `$file` in the body stands for the argument of that name.",
        )
    },
    Field {
        ..read!(
            "disable-model-invocation",
            BOOLEAN,
            "`true` keeps the model from choosing the skill; a person can still run it.",
        )
    },
    read!(
        "user-invocable",
        BOOLEAN,
        "`false` hides the skill from the command menu; the model may still choose it.",
    ),
    read!(
        "context",
        &[Type::Choice(&[choice(
            "fork",
            "Runs the skill as an agent of its own, which returns only its last words."
        )])],
        "Where the skill runs. Without it, in the conversation.",
    ),
    Field {
        example: "general-purpose",
        ..read!(
            "agent",
            AGENTS,
            "The type of agent that runs a skill with `context: fork`.",
        )
    },
    read!(
        "background",
        BOOLEAN,
        "Whether a skill with `context: fork` runs in the background.",
    ),
    Field {
        example: "inherit",
        ..read!(
            "model",
            MODELS,
            "The model that runs the skill: an alias, the full name of a model, or `inherit`.",
        )
    },
    read!(
        "effort",
        EFFORTS,
        "How much the model thinks: a level, or a number of tokens.",
    ),
    read!(
        "hooks",
        &[Type::Mapping(HOOK_EVENTS, Others::Hold(&[Type::List(&[Type::Any])]))],
        "Commands that run at events while the skill is active, such as `PreToolUse`. They run only after a person \
         confirmed them.",
    ),
    read!("shell", SHELLS, "The interpreter of the commands in the body.",),
    Field {
        example: "\n  - keyword",
        ..read!(
            "triggers",
            &[Type::List(TEXT)],
            "Words in the user's message that bring the skill into the context.",
        )
    },
    Field {
        deprecated: Some("triggers"),
        ..read!(
            "trigger",
            TRIGGER,
            "Words in the user's message that bring the skill into the context, as a documentation spells it. Programs \
         read `triggers` alone.",
        )
    },
    read!(
        "inputs",
        INPUTS,
        "What a user must give before the skill can run. A skill with inputs is a task.",
    ),
    Field {
        example: "\n  - references/details.md",
        holds: Holds::Files,
        ..read!(
            "references",
            &[Type::List(TEXT)],
            "Files and folders beside the skill that are loaded with it: relative paths inside the skill's folder.",
        )
    },
    Field {
        example: "\n  - shell",
        holds: Holds::Skills,
        ..read!(
            "requires",
            &[Type::List(TEXT)],
            "Names of the skills that this one needs.",
        )
    },
    read!(
        "tools",
        TOOLS,
        "Tools that the skill brings along. Without any, the skill is pure guidance.",
    ),
    read!(
        "danger_patterns",
        PATTERNS,
        "Regular expressions over `tool + \" \" + arguments as JSON`; a call that matches is blocked. Mind that JSON \
         escapes quotes: `echo \"hi\"` is `echo \\\"hi\\\"` there.",
    ),
    read!(
        "confirm_patterns",
        PATTERNS,
        "Regular expressions over `tool + \" \" + arguments as JSON`; a call that matches asks a person first.",
    ),
    read!(
        "packages",
        &[Type::Mapping(
            &[
                field("brew", ANY, "The package's name in Homebrew."),
                field("winget_id", ANY, "The package's identifier in winget."),
                field("apt", ANY, "The package's name in apt."),
                field("dnf", ANY, "The package's name in dnf."),
            ],
            Others::Hold(ANY),
        )],
        "The names under which package managers know what the skill needs.",
    ),
    read!(
        "mcp_tools",
        MCP_TOOLS,
        "Tools from servers that speak the Model Context Protocol.",
    ),
    Field {
        example: "MIT",
        ..read!(
            "license",
            TEXT,
            "The licence of the skill: its name, or the file that holds it.",
        )
    },
    Field {
        max_length: Some(500),
        example: "Requires git and network access",
        ..read!(
            "compatibility",
            TEXT,
            "What the skill needs around it: programs, network access, a certain agent. At most 500 characters.",
        )
    },
    read!(
        "metadata",
        &[Type::Mapping(
            &[
                read!("metadata.dialect", DIALECTS, "The system that the file is written for."),
                Field {
                    max_length: Some(1024),
                    ..read!(
                        "metadata.short-description",
                        TEXT,
                        "What menus show instead of the description.",
                    )
                },
                read!(
                    "metadata.argument-hint",
                    TEXT,
                    "Shown behind the command's name while it is typed.",
                ),
                read!(
                    "metadata.arguments",
                    &[Type::List(TEXT)],
                    "Names of the arguments, in order.",
                ),
            ],
            Others::Hold(ANY),
        )],
        "Whatever else is to be said about the skill, as text by key. Keys that are fields elsewhere have no effect \
         here.",
    ),
    Field {
        example: "1.0.0",
        ..read!(
            "version",
            ANY,
            "The version of the skill. Quote it where it looks like a number: `1.10` is `1.1` to YAML.",
        )
    },
    read!("author", ANY, "Who wrote the skill.",),
    Field {
        ..read!("display-name", TEXT, "The name that people see.",)
    },
    Field {
        ..read!(
            "default-enabled",
            BOOLEAN,
            "Whether the skill is on unless someone turns it off.",
        )
    },
    read!("fallback", ANY, "What to use in its place.",),
];
