//! What skills that were written for Claude Code call the tools.

/// Our tools with their names there, the first of which is the nearest.
const NAMES: &[(&str, &[&str])] = &[
    ("ask_person", &["AskUserQuestion"]),
    ("create_file", &["Write"]),
    ("find_files", &["Glob"]),
    ("list_searchable_files", &["LS", "Glob"]),
    ("read_file_range", &["Read"]),
    ("read_skill_file", &["Read"]),
    ("read_url", &["WebFetch"]),
    ("replace_range", &["Edit"]),
    ("run_shell", &["Bash", "PowerShell"]),
    ("search_text", &["Grep"]),
    ("skill", &["Skill"]),
    ("write_patch", &["Edit", "Write", "MultiEdit"]),
];

/// All that a tool is called: by us, and in Claude Code 2.1.
pub(crate) fn of(tool: &str) -> Vec<&str> {
    let known = NAMES.iter().find(|(own, _)| *own == tool);
    let others = known.into_iter().flat_map(|(_, names)| names.iter().copied());
    std::iter::once(tool).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Shell, all};

    #[test]
    fn every_tool_has_a_name_in_claude_code() {
        for tool in all(&Shell::default()).iter() {
            let name = tool.spec().name;
            assert!(of(name).len() > 1 && of(name)[0] == name, "{name}");
        }
        assert_eq!(of("teleport"), ["teleport"]);
    }
}
