//! The words that Claude Code itself brings along: tools and variables.

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

/// The tools of the chat of Visual Studio Code, and the sets that hold them, as its documentation lists them in May 2026.
pub const VSCODE_TOOLS: &[&str] = &[
    "agent",
    "agent/runSubagent",
    "browser",
    "edit",
    "edit/createDirectory",
    "edit/createFile",
    "edit/editFiles",
    "edit/editNotebook",
    "execute",
    "execute/createAndRunTask",
    "execute/getTerminalOutput",
    "execute/runInTerminal",
    "execute/runNotebookCell",
    "execute/testFailure",
    "githubRepo",
    "githubTextSearch",
    "newWorkspace",
    "read",
    "read/getNotebookSummary",
    "read/problems",
    "read/readFile",
    "read/readNotebookCellOutput",
    "read/terminalLastCommand",
    "read/terminalSelection",
    "search",
    "search/changes",
    "search/codebase",
    "search/fileSearch",
    "search/listDirectory",
    "search/textSearch",
    "search/usages",
    "selection",
    "todos",
    "vscode/askQuestions",
    "vscode/extensions",
    "vscode/getProjectSetupInfo",
    "vscode/installExtension",
    "vscode/runCommand",
    "vscode/VSCodeAPI",
    "web",
    "web/fetch",
];

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
