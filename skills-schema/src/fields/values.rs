//! What fields may hold, where that is more than a text: the types that the rows of the table name.

use super::{Choice, Field, Holds, Others, Type};
use crate::dialect::Dialect;

pub(super) const TEXT: &[Type] = &[Type::Text];
pub(super) const ANY: &[Type] = &[Type::Any];
pub(super) const BOOLEAN: &[Type] = &[Type::Boolean];
pub(super) const TEXT_OR_LIST: &[Type] = &[Type::Text, Type::List(TEXT)];

pub(super) const AGENTS: &[Type] = &[
    Type::Choice(&[
        choice("general-purpose", "All tools, any task; the default."),
        choice("Explore", "Reads and searches, changes nothing."),
        choice("Plan", "Plans, changes nothing."),
    ]),
    Type::Text,
];

pub(super) const MODELS: &[Type] = &[
    Type::Choice(&[
        choice("inherit", "The model of the conversation."),
        choice("default", "The default model."),
        choice("sonnet", "The newest Sonnet."),
        choice("opus", "The newest Opus."),
        choice("haiku", "The newest Haiku."),
        choice("best", "The most capable model."),
        choice("fable", "The newest Fable."),
        choice("opusplan", "Opus while planning, Sonnet otherwise."),
        choice("sonnet[1m]", "The newest Sonnet, with a window of a million tokens."),
        choice("opus[1m]", "The newest Opus, with a window of a million tokens."),
    ]),
    Type::Text,
];

pub(super) const EFFORTS: &[Type] = &[
    Type::Choice(&[
        choice("low", "Little thinking."),
        choice("medium", "Some thinking."),
        choice("high", "Much thinking."),
        choice("xhigh", "Very much thinking."),
        choice("max", "All the thinking that the model has."),
    ]),
    Type::Integer,
];

pub(super) const SHELLS: &[Type] = &[
    Type::Choice(&[
        choice("bash", "Bash, the default."),
        choice("powershell", "PowerShell."),
    ]),
    Type::Mapping(
        &[
            field("interpreter", TEXT, "The program that runs the commands."),
            field(
                "timeout",
                &[Type::Integer],
                "The longest time that a command may run, in seconds.",
            ),
        ],
        Others::Unknown,
    ),
];

pub(super) const TRIGGER: &[Type] = &[
    Type::Mapping(
        &[
            field(
                "type",
                &[Type::Choice(&[
                    choice("keyword", "Words of the message."),
                    choice("task", "Words of the message, for a skill with `inputs`."),
                ])],
                "How the skill is triggered.",
            ),
            field("keywords", &[Type::List(TEXT)], "The words that trigger the skill."),
            field("triggers", &[Type::List(TEXT)], "The words that trigger a task."),
        ],
        Others::Unknown,
    ),
    Type::Null,
];

pub(super) const MCP_TOOLS: &[Type] = &[
    Type::Mapping(
        &[field(
            "mcpServers",
            &[Type::Mapping(
                &[],
                Others::Hold(&[Type::Mapping(MCP_SERVER, Others::Hold(ANY))]),
            )],
            "The servers by name.",
        )],
        Others::Unknown,
    ),
    Type::Null,
];

pub(super) const INPUTS: &[Type] = &[Type::List(&[Type::Mapping(
    &[
        field(
            "name",
            TEXT,
            "The name of the input; `${name}` in the body stands for it.",
        ),
        field("description", TEXT, "What the user should give."),
        field("required", BOOLEAN, "Whether the user must give it."),
        field("type", TEXT, "What sort of value it is."),
        field("default", &[Type::Any], "The value where the user gives none."),
    ],
    Others::Unknown,
)])];

pub(super) const TOOLS: &[Type] = &[Type::List(&[Type::Mapping(
    &[
        field("name", TEXT, "The tool's name; unique among all skills."),
        field("description", TEXT, "What the tool does, for the model."),
        field(
            "parameters",
            &[Type::Mapping(
                &[
                    field("type", ANY, "`object`."),
                    field(
                        "properties",
                        ANY,
                        "The arguments: each with its `type` and `description`.",
                    ),
                    field("required", ANY, "The names of the arguments that must be given."),
                ],
                Others::Hold(ANY),
            )],
            "The arguments, each by its name: a mapping with `type`, `description` and `required`, which is true unless it \
             says `false`. The documentation of Wolffish writes a JSON Schema instead (`type: object`, `properties`, \
             `required`), which the product takes for arguments of these names.",
        ),
    ],
    Others::Hold(ANY),
)])];

pub(super) const DIALECTS: &[Type] = &[Type::Choice(&READERS)];

/// The readers by the names that people type.
const READERS: [Choice; Dialect::ALL.len()] = {
    let mut choices = [const { choice("", "") }; Dialect::ALL.len()];
    let mut at = 0;
    while at < choices.len() {
        let reader = Dialect::ALL[at].reader();
        choices[at] = choice(reader.name, reader.about);
        at += 1;
    }
    choices
};

/// A pattern is a text, or a mapping that says more.
pub(super) const PATTERNS: &[Type] = &[Type::List(&[
    Type::Text,
    Type::Mapping(
        &[
            field("pattern", TEXT, "The regular expression."),
            field(
                "level",
                &[Type::Choice(&[
                    choice("safe", "Runs."),
                    choice("warn", "Runs with a warning."),
                    choice("confirm", "Asks first."),
                    choice("destructive", "Asks first, in stronger words."),
                    choice("block", "Never runs."),
                ])],
                "How dangerous a match is.",
            ),
            field("reason", TEXT, "What the person is told."),
        ],
        Others::Unknown,
    ),
])];

const MCP_SERVER: &[Field] = &[
    field("command", TEXT, "The program that is the server."),
    field("args", &[Type::List(ANY)], "Its arguments."),
    field(
        "env",
        &[Type::Mapping(&[], Others::Hold(ANY))],
        "Its environment variables.",
    ),
    field("url", TEXT, "The address of a server that runs elsewhere."),
    field(
        "headers",
        &[Type::Mapping(&[], Others::Hold(ANY))],
        "Headers of each request.",
    ),
    field("transport", TEXT, "How to speak to it."),
];

pub(super) const HOOK_EVENTS: &[Field] = &[
    hook("PreToolUse", "Before a tool runs; may refuse it."),
    hook("PostToolUse", "After a tool ran."),
    hook("PostToolUseFailure", "After a tool failed."),
    hook("PostToolBatch", "After tools ran side by side."),
    hook("PermissionRequest", "When a permission is asked for."),
    hook("PermissionDenied", "When a permission was denied."),
    hook("UserPromptSubmit", "When the user sends a message."),
    hook(
        "UserPromptExpansion",
        "When a command that the user typed becomes a message.",
    ),
    hook("Notification", "When the user is notified."),
    hook("Stop", "When the agent has finished its turn."),
    hook("StopFailure", "When a turn ends with an error."),
    hook("SubagentStart", "When a subagent starts."),
    hook("SubagentStop", "When a subagent has finished."),
    hook("TeammateIdle", "When an agent of a team has nothing to do."),
    hook("TaskCreated", "When a task is added."),
    hook("TaskCompleted", "When a task is done."),
    hook("InstructionsLoaded", "When a file of instructions is read."),
    hook("ConfigChange", "When a setting or a skill changes."),
    hook("CwdChanged", "When the working folder changes."),
    hook("FileChanged", "When a watched file changes."),
    hook("WorktreeCreate", "When a worktree is made."),
    hook("WorktreeRemove", "When a worktree is removed."),
    hook("Elicitation", "When a server asks the user."),
    hook("ElicitationResult", "When the user answered a server."),
    hook("PreCompact", "Before the conversation is shortened."),
    hook("PostCompact", "After the conversation was shortened."),
    hook("Setup", "When the project is prepared."),
    hook("SessionStart", "When a session starts."),
    hook("SessionEnd", "When a session ends."),
];

const HOOK_GROUPS: &[Type] = &[Type::List(&[Type::Mapping(
    &[
        Field {
            example: "Bash",
            holds: Holds::Tools,
            ..field(
                "matcher",
                TEXT,
                "What it runs for: names with `|` between them, or a regular expression. Of events of tools a tool's name, of \
                 others what happened, such as `startup`; without it, everything.",
            )
        },
        field(
            "hooks",
            &[Type::List(&[Type::Mapping(
                &[
                    field(
                        "type",
                        &[
                            Type::Choice(&[
                                choice("command", "Runs a shell command."),
                                choice("http", "Sends the event to `url`."),
                                choice("mcp_tool", "Calls the `tool` of a `server`."),
                                choice("prompt", "Asks a model."),
                                choice("agent", "Asks an agent that has tools."),
                            ]),
                            Type::Text,
                        ],
                        "What the hook does.",
                    ),
                    field(
                        "command",
                        TEXT,
                        "The shell command; the event comes as JSON on its input.",
                    ),
                    field(
                        "args",
                        &[Type::List(TEXT)],
                        "The arguments of `command`, which is then run without a shell.",
                    ),
                    field("shell", SHELLS, "The interpreter of `command`."),
                    field("async", BOOLEAN, "Whether the agent goes on while it runs."),
                    field(
                        "asyncRewake",
                        BOOLEAN,
                        "Whether its end wakes the agent, where it runs beside it.",
                    ),
                    field("url", TEXT, "Where an `http` hook sends the event."),
                    field(
                        "headers",
                        &[Type::Mapping(&[], Others::Hold(ANY))],
                        "Headers of the request of an `http` hook; `$NAME` stands for a variable of the environment.",
                    ),
                    field(
                        "allowedEnvVars",
                        &[Type::List(TEXT)],
                        "The variables that may be put into `headers`; all others are empty.",
                    ),
                    field("server", TEXT, "The MCP server of an `mcp_tool` hook."),
                    field("tool", TEXT, "The tool of an `mcp_tool` hook."),
                    field("prompt", TEXT, "The question to the model."),
                    Field {
                        example: "Bash(git *)",
                        holds: Holds::Tools,
                        ..field(
                            "if",
                            TEXT,
                            "A permission rule; the hook runs only for calls that it matches.",
                        )
                    },
                    field("statusMessage", TEXT, "What is shown while it runs."),
                    field(
                        "timeout",
                        &[Type::Integer],
                        "The longest time that it may run, in seconds: by default 600, 30 for a `prompt`, 60 for an \
                         `agent`.",
                    ),
                    field("once", BOOLEAN, "Whether it runs only the first time."),
                ],
                Others::Hold(ANY),
            )])],
            "What runs.",
        ),
    ],
    Others::Hold(ANY),
)])];

const fn hook(event: &'static str, documentation: &'static str) -> Field {
    field(event, HOOK_GROUPS, documentation)
}

pub(crate) const fn choice(value: &'static str, documentation: &'static str) -> Choice {
    Choice { value, documentation }
}

/// A field with nothing but its name, types and documentation.
pub(crate) const fn field(name: &'static str, types: &'static [Type], documentation: &'static str) -> Field {
    Field {
        name,
        deprecated: None,
        types,
        max_length: None,
        documentation,
        example: "",
        holds: Holds::Anything,
        readers: &[],
    }
}
