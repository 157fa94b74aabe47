//! The words that the systems themselves bring along: tools, variables, types of agents.

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
        ..tool("Bash", "Runs a command in a shell.", "a command that starts so")
    },
    Tool {
        patterns: &["./src/**", "~/.config/**"],
        ..tool("Read", "Reads a file.", "files that match the pattern")
    },
    Tool {
        patterns: &["./src/**", "./docs/**"],
        ..tool("Edit", "Changes a part of a file.", "files that match the pattern")
    },
    Tool {
        patterns: &["./docs/**"],
        ..tool("Write", "Writes a whole file.", "files that match the pattern")
    },
    tool("Glob", "Finds files by a pattern.", ""),
    tool("Grep", "Searches the text of files.", ""),
    Tool {
        patterns: &["domain:example.com"],
        ..tool("WebFetch", "Reads a page of the web.", "pages of that domain")
    },
    tool("WebSearch", "Searches the web.", ""),
    tool("Task", "Hands a task to another agent.", "agents of that type"),
    tool("Agent", "Hands a task to another agent.", "agents of that type"),
    tool(
        "Skill",
        "Runs another skill.",
        "that skill, with arguments that start so",
    ),
    tool("TodoWrite", "Keeps the list of what is to be done.", ""),
    tool("AskUserQuestion", "Asks the person; never goes through unasked.", ""),
    tool(
        "NotebookEdit",
        "Changes a cell of a Jupyter notebook.",
        "notebooks that match the pattern",
    ),
    tool(
        "NotebookRead",
        "Reads a Jupyter notebook.",
        "notebooks that match the pattern",
    ),
    tool(
        "MultiEdit",
        "Changes several parts of a file.",
        "files that match the pattern",
    ),
    tool("LS", "Lists a folder.", "folders that match the pattern"),
    tool("LSP", "Asks a language server.", ""),
    tool(
        "PowerShell",
        "Runs a command in PowerShell.",
        "a command that starts so",
    ),
    tool("Monitor", "Watches what a command prints.", "a command that starts so"),
    tool("BashOutput", "Reads what a command in the background printed.", ""),
    tool("KillShell", "Stops a command in the background.", ""),
    tool("TaskCreate", "Adds a task to the list.", ""),
    tool("TaskGet", "Reads a task of the list.", ""),
    tool("TaskList", "Lists the tasks.", ""),
    tool("TaskUpdate", "Changes a task of the list.", ""),
    tool("TaskOutput", "Reads what a task in the background printed.", ""),
    tool("TaskStop", "Stops a task in the background.", ""),
    tool("EnterPlanMode", "Starts to plan.", ""),
    tool("ExitPlanMode", "Shows the plan and asks to go on.", ""),
    tool("EnterWorktree", "Goes on in a git worktree of its own.", ""),
    tool("ExitWorktree", "Leaves the git worktree.", ""),
    tool("ListMcpResourcesTool", "Lists the resources of MCP servers.", ""),
    tool("ReadMcpResourceTool", "Reads a resource of an MCP server.", ""),
    tool("ToolSearch", "Looks for tools that are not loaded.", ""),
    tool("SlashCommand", "Runs a command; `Skill` today.", "that command"),
    tool("SendMessage", "Sends a message to another agent.", ""),
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

/// The types of agents that come with Claude Code 2.1.
pub const AGENTS: &[(&str, &str)] = &[
    ("general-purpose", "Can use every tool; the default."),
    ("Explore", "Looks around and reads, changes nothing."),
    ("Plan", "Makes a plan, changes nothing."),
];

/// The tool of that name.
pub fn tool_named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

const fn tool(name: &'static str, documentation: &'static str, specifier: &'static str) -> Tool {
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
