//! Tools and permission patterns in words.

use text_size::{TextRange, TextSize};

use crate::{
    permission_rule::{PermissionRule, parse, split},
    syntax::{Scalar, SkillFile},
    vocabulary,
};

/// The tool or pattern at an offset in a value that holds them, and its place. A matcher has `|` between names.
pub(super) fn at<'a>(
    file: &SkillFile,
    scalar: &'a Scalar,
    offset: TextSize,
) -> Option<(TextRange, PermissionRule<'a>)> {
    for entry in split(&scalar.value) {
        let mut start = entry.start;
        for text in scalar.value[entry].split('|') {
            let range = scalar.part(&file.text, start..start + text.len());
            if range.contains_inclusive(offset) {
                return Some((range, parse(text).ok()?));
            }
            start += text.len() + 1;
        }
    }
    None
}

/// Which calls a tool's name, or a pattern of its calls, stands for; empty for a tool that nobody knows.
pub(crate) fn words(rule: &PermissionRule<'_>) -> String {
    match rule.mcp() {
        Some((server, Some(tool))) => return format!("The tool `{tool}` of the MCP server `{server}`."),
        Some((server, None)) => return format!("Every tool of the MCP server `{server}`."),
        None => {}
    }
    let (name, pattern) = (rule.tool, rule.specifier);
    let Some(tool) = vocabulary::tool(name) else {
        return String::new();
    };
    let calls = match (name, pattern) {
        (_, None) => "Every call.".to_owned(),
        _ if rule.is_unrestricted() => "Every call, as without the brackets.".to_owned(),
        ("Bash" | "PowerShell" | "Monitor", Some(pattern)) => command(rule, pattern),
        ("WebFetch", Some(pattern)) => match pattern.strip_prefix("domain:") {
            Some(domain) => format!("Only pages of `{domain}`."),
            None => format!("`{pattern}` is no condition that it knows: write `domain:example.com`."),
        },
        ("Skill", Some(pattern)) => match rule.prefix() {
            Some(name) => format!("Only the skill `{name}`, with any arguments."),
            None => format!("Only the skill `{pattern}`."),
        },
        ("Task" | "Agent", Some(pattern)) => format!("Only agents of the type `{pattern}`."),
        (_, Some(pattern)) if tool.specifier.is_empty() => format!("It takes no condition: `{pattern}` says nothing."),
        (_, Some(pattern)) => {
            let place = match pattern {
                _ if pattern.starts_with("//") => "from the root of the disk",
                _ if pattern.starts_with("~/") => "in the home folder",
                _ if pattern.starts_with('/') => "from the project's folder",
                _ => "from the current folder",
            };
            format!("Only files that match `{pattern}`, {place}.")
        }
    };
    format!("**{name}**: {} {calls}", tool.documentation)
}

fn command(rule: &PermissionRule<'_>, pattern: &str) -> String {
    match rule.prefix() {
        Some(start) => format!("Only commands that are `{start}` or start with it and a space."),
        None => match pattern.strip_suffix('*').filter(|start| !start.contains('*')) {
            Some(start) => {
                format!("Only commands that start with `{start}`, longer words too; `{start} *` means whole words.")
            }
            None if pattern.contains('*') => format!("Only commands like `{pattern}`."),
            None => format!("Only the command `{pattern}`, exactly so."),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_is_said_in_words() {
        let cases = [
            ("Read", None, "Every call"),
            ("Bash", Some("git *"), "are `git` or start with it and a space"),
            ("Bash", Some("git:*"), "are `git` or start with it and a space"),
            ("Bash", Some("git*"), "longer words too"),
            ("Bash", Some("npm test"), "Only the command `npm test`, exactly so"),
            ("Bash", Some("* --help"), "like `* --help`"),
            ("Bash", Some("*"), "as without the brackets"),
            ("WebFetch", Some("domain:a.b"), "pages of `a.b`"),
            ("WebFetch", Some("https://a.b"), "no condition"),
            ("Read", Some("~/.x/**"), "in the home folder"),
            ("Skill", Some("deploy *"), "the skill `deploy`"),
            ("TodoWrite", Some("x"), "takes no condition"),
            ("mcp__github__search", None, "`search` of the MCP server `github`"),
            ("mcp__github", None, "Every tool of the MCP server `github`"),
            ("Bahs", None, ""),
        ];
        for (name, pattern, expected) in cases {
            let words = words(&PermissionRule {
                tool: name,
                specifier: pattern,
            });
            assert!(words.contains(expected), "{name} {pattern:?}: {words}");
            assert_eq!(words.is_empty(), expected.is_empty());
        }
    }
}
