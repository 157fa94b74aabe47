//! What rules, hooks and skills call the tools, and what each of them does: the one table for both.

use std::sync::LazyLock;

use skills_schema::vocabulary;

/// What a tool does: rules about one tool reach all others that do the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// Reads the text of a file; patterns are paths.
    Read,
    /// Changes a file; patterns are paths.
    Edit,
    /// Runs a command; patterns are command lines.
    Run,
    /// The same with the network open.
    RunWithNetwork,
    /// The same outside the sandbox.
    RunUnsandboxed,
    /// Reads from an address; patterns are hosts.
    Fetch,
    /// Invokes a skill; patterns are its name with arguments.
    Invoke,
    /// Takes no pattern.
    Other,
}

/// One tool.
struct Tool {
    own: &'static str,
    /// In Claude Code 2.1, the nearest first.
    others: &'static [&'static str],
    does: Does,
}

const TOOLS: &[Tool] = &[
    tool("ask_person", &["AskUserQuestion"], Does::Other),
    tool("create_file", &["Write"], Does::Edit),
    tool("find_files", &["Glob"], Does::Other),
    tool("list_searchable_files", &["LS", "Glob"], Does::Other),
    tool("read_file_range", &["Read"], Does::Read),
    tool("read_skill_file", &["Read"], Does::Read),
    tool("read_url", &["WebFetch"], Does::Fetch),
    tool("replace_range", &["Edit"], Does::Edit),
    tool("run_shell", &["Bash", "PowerShell"], Does::Run),
    // Names for rules alone.
    tool("run_shell_network", &[], Does::RunWithNetwork),
    tool("run_shell_unsandboxed", &[], Does::RunUnsandboxed),
    // It asks for each file as those do that read.
    tool("search_text", &["Grep"], Does::Other),
    tool("skill", &["Skill"], Does::Invoke),
    tool("write_patch", &["Edit", "Write", "MultiEdit"], Does::Edit),
];

const fn tool(own: &'static str, others: &'static [&'static str], does: Does) -> Tool {
    Tool { own, others, does }
}

impl Tool {
    fn is_called(&self, name: &str) -> bool {
        self.own == name || self.others.contains(&name)
    }
}

/// All that a tool is called: by us, and in Claude Code 2.1.
pub(crate) fn of(tool: &str) -> Vec<&str> {
    let known = TOOLS.iter().find(|known| known.own == tool);
    let others = known.into_iter().flat_map(|known| known.others.iter().copied());
    std::iter::once(tool).chain(others).collect()
}

/// Whether a tool of ours is called so.
pub(crate) fn is_called(tool: &str, name: &str) -> bool {
    name == tool || TOOLS.iter().any(|known| known.own == tool && known.is_called(name))
}

/// Whether a tool of that name does this.
pub(crate) fn does(name: &str, what: Does) -> bool {
    TOOLS.iter().any(|known| known.does == what && known.is_called(name))
}

/// What a tool of that name does; `None` where it is none of ours.
pub(crate) fn doing(name: &str) -> Option<Does> {
    TOOLS.iter().find(|known| known.is_called(name)).map(|known| known.does)
}

/// Whether somebody has a tool of that name: we, Claude Code, or a server. What is not ours is never called here.
pub(crate) fn is_known(name: &str) -> bool {
    doing(name).is_some() || vocabulary::tool(name).is_some() || name.starts_with("mcp__")
}

/// The known name that this is in another case of letters.
pub(crate) fn in_any_case(name: &str) -> Option<&'static str> {
    static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let ours = TOOLS
            .iter()
            .flat_map(|known| std::iter::once(known.own).chain(known.others.iter().copied()));
        ours.chain(vocabulary::TOOLS.iter().map(|tool| tool.name)).collect()
    });
    ALL.iter().copied().find(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Shell, all};

    #[test]
    fn every_tool_has_a_row() {
        for tool in all(&Shell::default()).iter() {
            let name = tool.spec().name;
            assert!(doing(name).is_some(), "{name} has no row in TOOLS");
        }
        assert_eq!(of("teleport"), ["teleport"]);
    }
}
