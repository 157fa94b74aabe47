//! The words that Claude Code itself brings along: tools, variables and what the matchers of hooks name.

/// A tool of Claude Code 2.1, as `allowed-tools` and the matchers of hooks name it.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub documentation: &'static str,
    /// What a permission pattern says in its brackets; empty where it takes none.
    pub specifier: &'static str,
    /// Patterns as one would write them, without the tool's name and the brackets.
    pub patterns: &'static [&'static str],
}

/// The tools, the most used first.
pub const TOOLS: &[Tool] = &[
    Tool {
        patterns: &[
            "git *",
            "git status *",
            "git diff *",
            "git log *",
            "git add *",
            "git commit *",
            "gh *",
            "npm run *",
            "npm test *",
            "npx *",
            "pnpm *",
            "yarn *",
            "cargo *",
            "python *",
            "python3 *",
            "pytest *",
            "uv *",
            "node *",
            "go *",
            "make *",
            "docker *",
            "kubectl *",
            "terraform *",
            "curl *",
            "jq *",
            "ls *",
            "cat *",
            "grep *",
            "find *",
            "mkdir *",
            "${CLAUDE_SKILL_DIR}/scripts/*",
        ],
        ..named("Bash", "Runs a command in a shell.", "a command that starts so")
    },
    Tool {
        patterns: &["./src/**", "~/.config/**"],
        ..named("Read", "Reads a file.", "files that match the pattern")
    },
    Tool {
        patterns: &["./src/**", "./docs/**"],
        ..named("Edit", "Changes a part of a file.", "files that match the pattern")
    },
    Tool {
        patterns: &["./docs/**"],
        ..named("Write", "Writes a whole file.", "files that match the pattern")
    },
    named("Glob", "Finds files by a pattern.", ""),
    named("Grep", "Searches the text of files.", ""),
    Tool {
        patterns: &["domain:example.com"],
        ..named("WebFetch", "Reads a page of the web.", "pages of that domain")
    },
    named("WebSearch", "Searches the web.", ""),
    named("Task", "Hands a task to another agent.", "agents of that type"),
    named("Agent", "Hands a task to another agent.", "agents of that type"),
    named(
        "Skill",
        "Runs another skill.",
        "that skill, with arguments that start so",
    ),
    named("TodoWrite", "Keeps the list of what is to be done.", ""),
    named("AskUserQuestion", "Asks the person; never goes through unasked.", ""),
    named(
        "NotebookEdit",
        "Changes a cell of a Jupyter notebook.",
        "notebooks that match the pattern",
    ),
    named(
        "NotebookRead",
        "Reads a Jupyter notebook.",
        "notebooks that match the pattern",
    ),
    named(
        "MultiEdit",
        "Changes several parts of a file.",
        "files that match the pattern",
    ),
    named("LS", "Lists a folder.", "folders that match the pattern"),
    named("LSP", "Asks a language server.", ""),
    named(
        "PowerShell",
        "Runs a command in PowerShell.",
        "a command that starts so",
    ),
    named("Monitor", "Watches what a command prints.", "a command that starts so"),
    named("BashOutput", "Reads what a command in the background printed.", ""),
    named("KillShell", "Stops a command in the background.", ""),
    named("TaskCreate", "Adds a task to the list.", ""),
    named("TaskGet", "Reads a task of the list.", ""),
    named("TaskList", "Lists the tasks.", ""),
    named("TaskUpdate", "Changes a task of the list.", ""),
    named("TaskOutput", "Reads what a task in the background printed.", ""),
    named("TaskStop", "Stops a task in the background.", ""),
    named("EnterPlanMode", "Starts to plan.", ""),
    named("ExitPlanMode", "Shows the plan and asks to go on.", ""),
    named("EnterWorktree", "Goes on in a git worktree of its own.", ""),
    named("ExitWorktree", "Leaves the git worktree.", ""),
    named("ListMcpResourcesTool", "Lists the resources of MCP servers.", ""),
    named("ReadMcpResourceTool", "Reads a resource of an MCP server.", ""),
    named("ToolSearch", "Looks for tools that are not loaded.", ""),
    named("SlashCommand", "Runs a command; `Skill` today.", "that command"),
    named("SendMessage", "Sends a message to another agent.", ""),
    named("TeamCreate", "Starts a team of agents.", ""),
    named("TeamDelete", "Ends a team of agents.", ""),
    named("TodoRead", "Reads the list of what is to be done.", ""),
    named("CronCreate", "Plans a task for later.", ""),
    named("CronDelete", "Removes a planned task.", ""),
    named("CronList", "Lists the planned tasks.", ""),
    named("RemoteTrigger", "Manages tasks that run elsewhere.", ""),
    named("ScheduleWakeup", "Goes on at a later time.", ""),
    named("PushNotification", "Sends the person a notification.", ""),
    named("Workflow", "Runs a workflow of several agents.", ""),
];

/// The variables that a skill's text may use, as Claude Code 2.1 documents them.
pub const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDE_SKILL_DIR", "The folder of this skill."),
    ("CLAUDE_PROJECT_DIR", "The folder of the project."),
    ("CLAUDE_SESSION_ID", "The identifier of the session."),
    ("CLAUDE_EFFORT", "How much the model thinks: `low` to `max`."),
    (
        "CLAUDE_PLUGIN_ROOT",
        "The folder of the plugin; only in a plugin's skill.",
    ),
    (
        "CLAUDE_PLUGIN_DATA",
        "The folder where the plugin keeps its data; only in a plugin's skill.",
    ),
];

/// What the matcher of a hook is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// The name of a tool: [`TOOLS`], and those of servers.
    Tool,
    /// One of a few words, each with what it says.
    Word(&'static [(&'static str, &'static str)]),
    /// A name of the author's: of an agent, a command, a file or a server.
    Name,
    /// Nothing: the hook runs each time.
    Nothing,
}

/// What the matchers of an event's hooks are compared with, as Claude Code 2.1 documents it; nothing of an event that
/// nobody knows.
pub fn matched(event: &str) -> Option<Matched> {
    const SHORTENED: Matched = Matched::Word(&[
        ("manual", "By `/compact`."),
        ("auto", "Because the conversation became too long."),
    ]);
    Some(match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" | "PermissionDenied" => Matched::Tool,
        "SessionStart" => Matched::Word(&[
            ("startup", "A new session."),
            ("resume", "An earlier session goes on."),
            ("clear", "After `/clear`."),
            ("compact", "After the conversation was shortened."),
            ("fork", "A copy of a session."),
        ]),
        "SessionEnd" => Matched::Word(&[
            ("clear", "By `/clear`."),
            ("resume", "Another session is taken up."),
            ("logout", "The user logged out."),
            ("prompt_input_exit", "The user left at the prompt."),
            ("bypass_permissions_disabled", "Permissions are no longer passed over."),
            ("other", "Any other reason."),
        ]),
        "Setup" => Matched::Word(&[("init", "By `--init`."), ("maintenance", "By `--maintenance`.")]),
        "Notification" => Matched::Word(&[
            ("permission_prompt", "A permission is asked for."),
            ("idle_prompt", "The prompt has waited for some time."),
            ("agent_needs_input", "An agent waits for an answer."),
            ("agent_completed", "An agent has finished."),
            ("auth_success", "The user logged in."),
            ("elicitation_dialog", "A server asks the user."),
            ("elicitation_complete", "The question of a server is done."),
            ("elicitation_response", "The user answered a server."),
        ]),
        "StopFailure" => Matched::Word(&[
            ("rate_limit", "Too many requests."),
            ("overloaded", "The provider is overloaded."),
            ("authentication_failed", "The key or login was refused."),
            ("oauth_org_not_allowed", "The organisation may not log in."),
            ("billing_error", "The account can't be charged."),
            ("invalid_request", "The provider refused the request."),
            ("model_not_found", "There is no such model."),
            ("server_error", "The provider failed."),
            ("max_output_tokens", "The answer became too long."),
            ("unknown", "Any other error."),
        ]),
        "PreCompact" | "PostCompact" => SHORTENED,
        "ConfigChange" => Matched::Word(&[
            ("user_settings", "The settings of the user."),
            ("project_settings", "The settings of the project."),
            ("local_settings", "The user's settings of this project."),
            ("policy_settings", "The settings that an administrator manages."),
            ("skills", "A skill."),
        ]),
        "InstructionsLoaded" => Matched::Word(&[
            ("session_start", "When the session starts."),
            ("nested_traversal", "When a file of their folder is read."),
            ("path_glob_match", "When a file matches their `paths`."),
            ("include", "Because another file imports them."),
            ("compact", "Again, after the conversation was shortened."),
        ]),
        "SubagentStart"
        | "SubagentStop"
        | "UserPromptExpansion"
        | "FileChanged"
        | "Elicitation"
        | "ElicitationResult" => Matched::Name,
        "UserPromptSubmit" | "PostToolBatch" | "Stop" | "TeammateIdle" | "TaskCreated" | "TaskCompleted"
        | "WorktreeCreate" | "WorktreeRemove" | "CwdChanged" => Matched::Nothing,
        _ => return None,
    })
}

/// The tool of that name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

const fn named(name: &'static str, documentation: &'static str, specifier: &'static str) -> Tool {
    Tool {
        name,
        documentation,
        specifier,
        patterns: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Place;

    #[test]
    fn every_event_of_a_hook_says_what_its_matcher_is_compared_with() {
        for event in Place::TOP.step("hooks").unwrap().fields() {
            assert!(matched(event.name).is_some(), "{}", event.name);
        }
        assert_eq!(matched("PreTool"), None);
    }

    #[test]
    fn a_tool_with_patterns_says_what_they_mean() {
        for (at, tool) in TOOLS.iter().enumerate() {
            assert!(tool.patterns.is_empty() || !tool.specifier.is_empty(), "{}", tool.name);
            assert!(
                TOOLS[..at].iter().all(|other| other.name != tool.name),
                "{} is there twice",
                tool.name
            );
        }
    }
}
