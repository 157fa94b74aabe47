//! The rows. A new field is a new row; the order is the order of completion.

use super::values::{
    AGENTS, ANY, BOOLEAN, DIALECTS, EFFORTS, HOOK_EVENTS, INPUTS, MCP_TOOLS, MODELS, PATTERNS, SHELLS, TEXT,
    TEXT_OR_LIST, TOOLS, TRIGGER, field,
};
use super::{Choice, Fallback, Field, Holds, Others, Reader, Type};
use crate::dialect::Dialect::{
    self, AgentSkills, Claude, ClaudeAi, Codex, Copilot, Crush, Cursor, Gemini, Goose, Mcp, OpenCode, OpenHands, Pi,
    Thndrs, Unified, VsCode, Wolffish,
};

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

/// Every field that a system reads.
pub const FIELDS: &[Field] = &[
    Field {
        max_length: Some(64),
        example: "my-skill",
        ..field(
            "name",
            TEXT,
            "Identifies the skill. Lower-case letters, digits and single hyphens, at most 64 characters, and the same \
             as the folder: then every system reads it alike.",
            &[
                required(AgentSkills, "identity; must equal the folder"),
                reader(Claude, "a label; the command is named after the folder").otherwise("the folder's name"),
                reader(OpenHands, "identity; must equal the folder").otherwise("the folder's name"),
                required(Thndrs, "identity; must equal the folder; at most 64 bytes"),
                required(Wolffish, "identity, whatever the folder"),
                reader(Codex, "`$name`; at most 64 characters").otherwise("the folder's name"),
                reader(Copilot, "identity; at most 64 characters").otherwise("the folder's name"),
                reader(VsCode, "not used: the folder names the skill"),
                required(OpenCode, "identity and `/name`; must be text"),
                reader(Pi, "identity").otherwise("the folder's name"),
                required(Gemini, "identity; what no file name may hold becomes a hyphen"),
                required(Goose, "identity; no slash"),
                required(Crush, "identity; must equal the folder in any case; at most 64 bytes"),
                reader(Cursor, "identity; must equal the folder"),
                required(ClaudeAi, "identity; neither `anthropic` nor `claude` in it"),
                required(Mcp, "the last segment of the skill's path"),
            ],
        )
    },
    Field {
        max_length: Some(1024),
        example: "What it does. Use when …",
        ..field(
            "description",
            TEXT,
            "What the skill does and when to use it, at most 1024 characters. This is all that a model sees before it \
             chooses the skill.",
            &[
                required(AgentSkills, "shown to the model"),
                reader(
                    Claude,
                    "shown to the model, cut at 1,536 characters together with `when_to_use`",
                )
                .otherwise("the first paragraph of the body"),
                reader(
                    OpenHands,
                    "shown to the model; its middle is cut beyond 1,024 characters",
                )
                .otherwise("the first line of the body"),
                required(Thndrs, "shown to the model; at most 1,024 bytes"),
                reader(Wolffish, "shown in the index of capabilities"),
                required(Codex, "shown to the model, its first 1,024 characters"),
                reader(Copilot, "shown to the model; at most 1,024 characters")
                    .otherwise("the first paragraph of the body"),
                reader(VsCode, "shown to the model, its first 1,024 characters").otherwise("only a command"),
                reader(OpenCode, "shown to the model").otherwise("only a command"),
                required(Pi, "shown to the model"),
                required(Gemini, "shown to the model"),
                reader(Goose, "shown to the model"),
                required(Crush, "shown to the model; at most 1,024 bytes"),
                reader(Cursor, "shown to the model"),
                required(ClaudeAi, "shown to the model; no `<` or `>`"),
                required(Mcp, "passed on to the host's model"),
            ],
        )
    },
    Field {
        example: "Use when the user asks for …",
        ..field(
            "when_to_use",
            TEXT,
            "More about when to use the skill. It is appended to the description in the listing.",
            &[reader(
                Claude,
                "appended to the description; both together are cut at 1,536 characters",
            )],
        )
    },
    Field {
        example: "src/**/*.ts",
        holds: Holds::Globs,
        ..field(
            "paths",
            TEXT_OR_LIST,
            "The skill is offered only when a file that matches one of these globs is read or opened. Patterns start at \
             the project's root: `*.md` matches only there, `**/*.ts` in every folder.",
            &[
                reader(
                    Claude,
                    "hides the skill until a matching file is read; `**` alone means always",
                ),
                reader(
                    OpenHands,
                    "puts the skill into the context when a matching file is touched; wins over `triggers`",
                ),
                reader(Cursor, "listed while a file that matches is read or edited"),
            ],
        )
    },
    Field {
        holds: Holds::Globs,
        ..field(
            "globs",
            TEXT_OR_LIST,
            "An older name for `paths`.",
            &[reader(Cursor, "read where there is no `paths`")],
        )
    },
    Field {
        example: "Bash(git:*) Read",
        holds: Holds::Tools,
        spellings: &["allowed_tools"],
        ..field(
            "allowed-tools",
            TEXT_OR_LIST,
            "Tools that the skill may use without asking while it runs, such as `Bash(git:*)` or `Read`. It never \
             restricts, and the text alone grants nothing here: a person confirms the list.",
            &[
                reader(AgentSkills, "pre-approved tools, separated by blanks"),
                reader(Claude, "granted for the turn; separated by blanks or commas, or a list"),
                reader(OpenHands, "stored, not enforced; also spelt `allowed_tools`"),
                reader(Thndrs, "shown in the listing; a text is one tool, so use a list"),
                reader(Copilot, "granted for the skill; a text or a list of texts"),
                reader(ClaudeAi, "accepted"),
            ],
        )
    },
    Field {
        example: "WebFetch",
        holds: Holds::Tools,
        ..field(
            "disallowed-tools",
            TEXT_OR_LIST,
            "Tools that are taken away while the skill runs.",
            &[reader(Claude, "removed until the next message of the user").since("2.1.152")],
        )
    },
    Field {
        example: "'[file]'",
        ..field(
            "argument-hint",
            &[Type::Text, Type::BracketedText],
            "Shown behind the command's name while it is typed. Quote it if it starts with `[`: YAML reads `[file]` as \
             a list.",
            &[
                reader(Claude, "placeholder in the command menu"),
                reader(Copilot, "placeholder in the command menu; must be text"),
                reader(VsCode, "placeholder in the command menu"),
            ],
        )
    },
    Field {
        example: "file target",
        ..field(
            "arguments",
            TEXT_OR_LIST,
            "Names of the arguments, in order: `$file` in the body stands for the argument of that name.",
            &[reader(
                Claude,
                "names for `$name` in the body; separated by blanks, or a list",
            )],
        )
    },
    Field {
        spellings: &["disable_model_invocation"],
        ..field(
            "disable-model-invocation",
            BOOLEAN,
            "`true` keeps the model from choosing the skill; a person can still run it.",
            &[
                reader(Claude, "not listed, and refused to the model; `/name` still works").else_value("false"),
                reader(OpenHands, "not listed; triggers still put it into the context"),
                reader(Copilot, "not listed, and not found by the model"),
                reader(VsCode, "not listed; the command stays"),
                reader(Pi, "not listed; `/skill:name` still works"),
                reader(Crush, "not listed; the palette may still have it"),
                reader(Cursor, "only by `/name`"),
            ],
        )
    },
    field(
        "user-invocable",
        BOOLEAN,
        "`false` hides the skill from the command menu; the model may still choose it.",
        &[
            reader(Claude, "`false` hides `/name`").else_value("true"),
            reader(Copilot, "`false` hides `/name`"),
            reader(VsCode, "`false` hides `/name`"),
            reader(
                Crush,
                "`true` puts it into the palette; without it the skill is not there",
            )
            .else_value("false"),
        ],
    ),
    field(
        "context",
        &[Type::Choice(&[Choice {
            value: "fork",
            documentation: "Runs the skill as an agent of its own, which returns only its last words.",
        }])],
        "Where the skill runs. Without it, in the conversation.",
        &[reader(Claude, "`fork` runs a subagent")
            .since("2.1.0")
            .otherwise("the conversation")],
    ),
    Field {
        example: "general-purpose",
        ..field(
            "agent",
            AGENTS,
            "The type of agent that runs a skill with `context: fork`.",
            &[reader(Claude, "the agent type")
                .since("2.1.0")
                .else_value("general-purpose")],
        )
    },
    field(
        "background",
        BOOLEAN,
        "Whether a skill with `context: fork` runs in the background.",
        &[reader(Claude, "`false` waits for the fork")
            .since("2.1.218")
            .else_value("true")],
    ),
    Field {
        example: "inherit",
        ..field(
            "model",
            MODELS,
            "The model that runs the skill: an alias, the full name of a model, or `inherit`.",
            &[reader(Claude, "for the rest of the turn, or for the fork").else_value("inherit")],
        )
    },
    field(
        "effort",
        EFFORTS,
        "How much the model thinks: a level, or a number of tokens.",
        &[reader(Claude, "overrides the effort of the session")
            .since("2.1.80")
            .otherwise("the effort of the session")],
    ),
    field(
        "hooks",
        &[Type::Mapping(HOOK_EVENTS, Others::Hold(&[Type::List(&[Type::Any])]))],
        "Commands that run at events while the skill is active, such as `PreToolUse`. They run only after a person \
         confirmed them.",
        &[reader(
            Claude,
            "registered when the skill is invoked, for the rest of the session",
        )
        .since("2.1.0")],
    ),
    field(
        "shell",
        SHELLS,
        "The interpreter of the commands in the body.",
        &[reader(Claude, "runs the `` !`command` `` lines of the body").else_value("bash")],
    ),
    Field {
        example: "\n  - keyword",
        ..field(
            "triggers",
            &[Type::List(TEXT)],
            "Words in the user's message that bring the skill into the context.",
            &[
                reader(
                    OpenHands,
                    "each a literal text that must stand between non-alphanumeric characters",
                ),
                reader(Wolffish, "each found anywhere in the message; `\"*\"` means always"),
            ],
        )
    },
    Field {
        deprecated: Some("triggers"),
        ..field(
            "trigger",
            TRIGGER,
            "Words in the user's message that bring the skill into the context, as the documentation of OpenHands writes \
         it. Its product reads `triggers` alone.",
            &[reader(
                OpenHands,
                "documented, but the product never reads it: write `triggers`",
            )],
        )
    },
    field(
        "inputs",
        INPUTS,
        "What a user must give before the skill can run. A skill with inputs is a task.",
        &[reader(
            OpenHands,
            "the agent asks for what is missing; `/name` becomes a trigger",
        )],
    ),
    Field {
        example: "\n  - references/details.md",
        holds: Holds::Files,
        ..field(
            "references",
            &[Type::List(TEXT)],
            "Files and folders beside the skill that are loaded with it: relative paths inside the skill's folder.",
            &[reader(
                Thndrs,
                "loaded when the skill is activated: 24 files, 64 KiB, three folders deep at most",
            )],
        )
    },
    Field {
        example: "\n  - shell",
        holds: Holds::Skills,
        ..field(
            "requires",
            &[Type::List(TEXT)],
            "Names of the skills that this one needs.",
            &[reader(
                Wolffish,
                "resolved when a tool of the skill is called, three steps deep at most",
            )],
        )
    },
    field(
        "tools",
        TOOLS,
        "Tools that the skill brings along. Without any, the skill is pure guidance.",
        &[reader(
            Wolffish,
            "definitions for the model; of two tools with one name the later wins",
        )],
    ),
    field(
        "danger_patterns",
        PATTERNS,
        "Regular expressions over `tool + \" \" + arguments as JSON`; a call that matches is blocked. Mind that JSON \
         escapes quotes: `echo \"hi\"` is `echo \\\"hi\\\"` there.",
        &[reader(Wolffish, "blocks the call")],
    ),
    field(
        "confirm_patterns",
        PATTERNS,
        "Regular expressions over `tool + \" \" + arguments as JSON`; a call that matches asks a person first.",
        &[reader(Wolffish, "asks before the call")],
    ),
    field(
        "packages",
        &[Type::Mapping(
            &[
                field("brew", ANY, "The package's name in Homebrew.", &[]),
                field("winget_id", ANY, "The package's identifier in winget.", &[]),
                field("apt", ANY, "The package's name in apt.", &[]),
                field("dnf", ANY, "The package's name in dnf.", &[]),
            ],
            Others::Hold(ANY),
        )],
        "The names under which package managers know what the skill needs.",
        &[reader(Wolffish, "installs what is missing, after asking")],
    ),
    field(
        "mcp_tools",
        MCP_TOOLS,
        "Tools from servers that speak the Model Context Protocol.",
        &[reader(
            OpenHands,
            "starts the servers; only in a flat `NAME.md`, a `SKILL.md` has `.mcp.json` beside it",
        )],
    ),
    Field {
        example: "MIT",
        ..field(
            "license",
            TEXT,
            "The licence of the skill: its name, or the file that holds it.",
            &[
                reader(AgentSkills, "information"),
                reader(Claude, "accepted, not used"),
                reader(OpenHands, "information"),
                reader(Thndrs, "information"),
                reader(ClaudeAi, "information"),
            ],
        )
    },
    Field {
        max_length: Some(500),
        example: "Requires git and network access",
        ..field(
            "compatibility",
            TEXT,
            "What the skill needs around it: programs, network access, a certain agent. At most 500 characters.",
            &[
                reader(AgentSkills, "information"),
                reader(Claude, "accepted, not used"),
                reader(OpenHands, "information"),
                reader(Thndrs, "information"),
                reader(Crush, "information; at most 500 bytes"),
                reader(ClaudeAi, "information; at most 500 characters"),
            ],
        )
    },
    field(
        "metadata",
        &[Type::Mapping(
            &[
                Field {
                    readers: &[reader(Unified, "overrides the dialect that the folder says")],
                    ..field("dialect", DIALECTS, "The system that the file is written for.", &[])
                },
                Field {
                    max_length: Some(1024),
                    ..field(
                        "short-description",
                        TEXT,
                        "What menus show instead of the description.",
                        &[reader(Codex, "shown in menus; at most 1,024 characters")],
                    )
                },
                field(
                    "argument-hint",
                    TEXT,
                    "Shown behind the command's name while it is typed.",
                    &[reader(Goose, "placeholder in the command menu")],
                ),
                field(
                    "arguments",
                    &[Type::List(TEXT)],
                    "Names of the arguments, in order.",
                    &[reader(Goose, "names for `$name` in the body; a list")],
                ),
            ],
            Others::Hold(ANY),
        )],
        "Whatever else is to be said about the skill, as text by key. Keys that are fields elsewhere have no effect \
         here.",
        &[
            reader(AgentSkills, "information; text values"),
            reader(Claude, "accepted, not used"),
            reader(OpenHands, "information; values become text"),
            reader(Thndrs, "information"),
            reader(Codex, "`short-description` is shown in menus"),
            reader(Goose, "a mapping; `argument-hint` and `arguments` are read"),
            reader(Crush, "information; a mapping of texts"),
            reader(ClaudeAi, "information"),
        ],
    ),
    Field {
        example: "1.0.0",
        ..field(
            "version",
            ANY,
            "The version of the skill. Quote it where it looks like a number: `1.10` is `1.1` to YAML.",
            &[
                reader(Claude, "information"),
                reader(Wolffish, "decides which of two copies is newer"),
            ],
        )
    },
    field(
        "author",
        ANY,
        "Who wrote the skill.",
        &[reader(Wolffish, "shown as a badge")],
    ),
    Field {
        spellings: &["displayName", "display_name"],
        ..field(
            "display-name",
            TEXT,
            "The name that people see.",
            &[reader(Claude, "for plugins; other spellings since 2.1.186")],
        )
    },
    Field {
        spellings: &["defaultEnabled", "default_enabled"],
        ..field(
            "default-enabled",
            BOOLEAN,
            "Whether the skill is on unless someone turns it off.",
            &[reader(Claude, "for plugins; other spellings since 2.1.186")],
        )
    },
    field(
        "fallback",
        ANY,
        "What to use in its place.",
        &[reader(Claude, "for plugins")],
    ),
];

const fn reader(dialect: Dialect, effect: &'static str) -> Reader {
    Reader {
        dialect,
        effect,
        required: false,
        since: None,
        default: None,
    }
}

const fn required(dialect: Dialect, effect: &'static str) -> Reader {
    Reader {
        required: true,
        ..reader(dialect, effect)
    }
}

impl Reader {
    const fn since(self, version: &'static str) -> Reader {
        Reader {
            since: Some(version),
            ..self
        }
    }

    /// A value that stands in place of a missing field.
    const fn else_value(self, value: &'static str) -> Reader {
        Reader {
            default: Some(Fallback::Value(value)),
            ..self
        }
    }

    /// What stands in place of a missing field, in words.
    const fn otherwise(self, words: &'static str) -> Reader {
        Reader {
            default: Some(Fallback::Words(words)),
            ..self
        }
    }
}
