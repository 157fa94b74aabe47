//! Tools and permission patterns in words.

use text_size::{TextRange, TextSize};

use crate::{
    syntax::{Scalar, SkillFile},
    vocabulary::tool_named,
};

/// The tool or pattern at an offset in a value that holds them: its place, its name and what stands in its brackets.
pub(super) fn at(file: &SkillFile, scalar: &Scalar, offset: TextSize) -> Option<(TextRange, String, Option<String>)> {
    let inner = scalar.inner();
    let text = file.slice(inner);
    let cursor = usize::from(offset.checked_sub(inner.start())?);
    let (mut start, mut depth) = (0, 0usize);
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | '|' | ' ' | '\n' | '\r' | '\t' if depth == 0 || at == text.len() => {
                if start <= cursor && cursor <= at && start < at {
                    let entry = &text[start..at];
                    let range = TextRange::at(inner.start() + TextSize::of(&text[..start]), TextSize::of(entry));
                    let (name, pattern) = match entry.split_once('(') {
                        Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.to_owned())),
                        None => (entry, None),
                    };
                    return Some((range, name.to_owned(), pattern));
                }
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    None
}

/// Which calls a tool's name, or a pattern of its calls, stands for; empty for a tool that nobody knows.
pub(crate) fn words(name: &str, pattern: Option<&str>) -> String {
    if let Some(rest) = name.strip_prefix("mcp__") {
        return match rest.split_once("__") {
            Some((server, "*" | "")) => format!("Every tool of the MCP server `{server}`."),
            Some((server, tool)) => format!("The tool `{tool}` of the MCP server `{server}`."),
            None => format!("Every tool of the MCP server `{rest}`."),
        };
    }
    let Some(tool) = tool_named(name) else {
        return String::new();
    };
    let calls = match (name, pattern) {
        (_, None) => "Every call.".to_owned(),
        (_, Some("" | "*")) => "Every call, as without the brackets.".to_owned(),
        ("Bash" | "PowerShell" | "Monitor", Some(pattern)) => command(pattern),
        ("WebFetch", Some(pattern)) => match pattern.strip_prefix("domain:") {
            Some(domain) => format!("Only pages of `{domain}`."),
            None => format!("`{pattern}` is no condition that it knows: write `domain:example.com`."),
        },
        ("Skill", Some(pattern)) => match started(pattern) {
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

fn command(pattern: &str) -> String {
    match started(pattern) {
        Some(start) => format!("Only commands that are `{start}` or start with it and a blank."),
        None => match pattern.strip_suffix('*').filter(|start| !start.contains('*')) {
            Some(start) => {
                format!("Only commands that start with `{start}`, longer words too; `{start} *` means whole words.")
            }
            None if pattern.contains('*') => format!("Only commands like `{pattern}`."),
            None => format!("Only the command `{pattern}`, exactly so."),
        },
    }
}

/// What stands before ` *` or `:*`, which mean the same at the end.
fn started(pattern: &str) -> Option<&str> {
    let start = pattern.strip_suffix(" *").or_else(|| pattern.strip_suffix(":*"))?;
    (!start.is_empty() && !start.contains('*')).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_is_said_in_words() {
        let cases = [
            ("Read", None, "Every call"),
            ("Bash", Some("git *"), "are `git` or start with it and a blank"),
            ("Bash", Some("git:*"), "are `git` or start with it and a blank"),
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
            let words = words(name, pattern);
            assert!(words.contains(expected), "{name} {pattern:?}: {words}");
            assert_eq!(words.is_empty(), expected.is_empty());
        }
    }
}
