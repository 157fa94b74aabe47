//! The entries of `allowed-tools`: `Read`, `Bash(git:*)`, `mcp__server__tool`.
//!
//! Claude Code 2.1 reads entries separated by commas or spaces, in a text or in a list.

use std::ops::Range;

use text_size::TextRange;

use crate::syntax::{Node, Scalar, SkillFile};

/// One entry: a tool, and perhaps what it may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionRule<'a> {
    /// The tool's name: `Bash`, `mcp__server__tool`.
    pub tool: &'a str,
    /// What stands between the parentheses, without spaces around it.
    pub specifier: Option<&'a str>,
}

/// Where and why an entry can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The wrong characters, in bytes of the text.
    pub range: Range<usize>,
    /// What is wrong with them.
    pub kind: ProblemKind,
}

/// What can be wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Nothing closes the `(`.
    Unclosed,
    /// Nothing opens the `)`.
    Unopened,
    /// There is no tool before the `(`.
    NoTool,
    /// Spaces between the tool and its `(`: they end the entry, which then allows everything.
    Blank,
    /// Nothing between the parentheses.
    Empty,
    /// Text behind the `)`.
    TextAfter,
    /// `:*`, which counts only at the end, in the middle.
    PrefixInside,
}

/// An entry where it stands.
#[derive(Clone, Debug)]
pub struct Listed<'a> {
    /// The entry.
    pub text: &'a str,
    /// Where it stands; the whole value where its text is not written as it reads.
    pub range: TextRange,
    scalar: &'a Scalar,
    offset: usize,
}

/// The entries under `allowed-tools` or `disallowed-tools`, in every spelling that a reader accepts.
pub fn listed<'a>(file: &'a SkillFile, node: &'a Node) -> Vec<Listed<'a>> {
    let is_list = node.as_scalar().is_none();
    let scalars = std::iter::once(node).chain(node.items()).filter_map(Node::as_scalar);
    let mut found = Vec::new();
    for scalar in scalars.filter(|scalar| !scalar.is_null()) {
        // A name with spaces, such as another system's `Azure MCP/search`, is one item of a list.
        let is_one = is_list && !scalar.value.contains(['(', ',']);
        let ranges = if is_one {
            trimmed(&scalar.value)
        } else {
            split(&scalar.value)
        };
        found.extend(ranges.into_iter().map(|range| Listed {
            text: &scalar.value[range.clone()],
            range: scalar.part(&file.text, range.clone()),
            scalar,
            offset: range.start,
        }));
    }
    found
}

/// Divides a text at the commas and spaces that stand in no parentheses. Never panics, whatever the text.
pub fn split(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    // Up to where it is known that only spaces stand.
    let mut blank_until = 0;
    for (at, c) in text.char_indices() {
        match c {
            _ if at < blank_until => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(start..at);
                start = at + 1;
            }
            c if depth == 0 && c.is_whitespace() => {
                let rest = text[at..].trim_start();
                blank_until = text.len() - rest.len();
                // Spaces before a parenthesis are a slip, not the end of an entry.
                if !rest.starts_with('(') {
                    found.push(start..at);
                    start = blank_until;
                }
            }
            _ => {}
        }
    }
    found.push(start..text.len());
    found.into_iter().filter_map(|range| trim(text, range)).collect()
}

/// Reads one entry.
pub fn parse(entry: &str) -> Result<PermissionRule<'_>, Problem> {
    let problem = |range: Range<usize>, kind| Err(Problem { range, kind });
    let Some(open) = entry.find('(') else {
        return match entry.find(')') {
            Some(at) => problem(at..at + 1, ProblemKind::Unopened),
            None => Ok(PermissionRule {
                tool: entry,
                specifier: None,
            }),
        };
    };
    let tool = entry[..open].trim_end();
    if let Some(at) = tool.find(')') {
        return problem(at..at + 1, ProblemKind::Unopened);
    }
    let mut depth = 0usize;
    let close = entry[open..].char_indices().find_map(|(at, c)| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth - 1,
            _ => depth,
        };
        (depth == 0).then_some(open + at)
    });
    let Some(close) = close else {
        return problem(open..open + 1, ProblemKind::Unclosed);
    };
    let specifier = entry[open + 1..close].trim();
    if tool.is_empty() {
        problem(open..close + 1, ProblemKind::NoTool)
    } else if tool.len() < open {
        problem(tool.len()..open, ProblemKind::Blank)
    } else if close + 1 < entry.len() {
        problem(close + 1..entry.len(), ProblemKind::TextAfter)
    } else if specifier.is_empty() {
        problem(open..close + 1, ProblemKind::Empty)
    } else if let Some(at) = entry[open..close]
        .find(":*")
        .map(|at| open + at)
        // The star of `domain:*.example.com` stands for the names below a domain.
        .filter(|at| at + 2 < close && !specifier.starts_with("domain:*."))
    {
        problem(at..at + 2, ProblemKind::PrefixInside)
    } else {
        Ok(PermissionRule {
            tool,
            specifier: Some(specifier),
        })
    }
}

impl<'a> PermissionRule<'a> {
    /// Whether it names every use of the tool: `Bash`, `Bash(*)`, `Bash(:*)`.
    pub fn is_unrestricted(&self) -> bool {
        matches!(self.specifier, None | Some("*" | ":*" | "**"))
    }

    /// What a command must start with, where the entry says no more: `git` of `Bash(git:*)` and `Bash(git *)`.
    pub fn prefix(&self) -> Option<&'a str> {
        let specifier = self.specifier?;
        let prefix = specifier.strip_suffix(":*").or_else(|| specifier.strip_suffix(" *"))?;
        (!prefix.is_empty() && !prefix.contains('*')).then_some(prefix)
    }

    /// The server and the tool of `mcp__server__tool`; no tool where the entry names all of them.
    pub fn mcp(&self) -> Option<(&'a str, Option<&'a str>)> {
        let name = self.tool.strip_prefix("mcp__")?;
        let (server, tool) = match name.split_once("__") {
            Some((server, tool)) => (server, Some(tool).filter(|it| !it.is_empty() && *it != "*")),
            None => (name, None),
        };
        (!server.is_empty()).then_some((server, tool))
    }
}

impl Listed<'_> {
    /// Where a part of the entry stands, given in bytes of its text.
    pub fn part(&self, file: &SkillFile, part: Range<usize>) -> TextRange {
        self.scalar
            .part(&file.text, self.offset + part.start..self.offset + part.end)
    }
}

fn trimmed(text: &str) -> Vec<Range<usize>> {
    trim(text, 0..text.len()).into_iter().collect()
}

/// Without spaces around it; `None` where nothing is left.
fn trim(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let length = part.trim().len();
    (length > 0).then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_divided_outside_of_parentheses() {
        let cases: [(&str, &[&str]); 7] = [
            ("Read, Grep", &["Read", "Grep"]),
            ("Read Grep", &["Read", "Grep"]),
            ("Bash(git add *) Read", &["Bash(git add *)", "Read"]),
            ("Bash(a, b),Read", &["Bash(a, b)", "Read"]),
            (" , ,Read,, ", &["Read"]),
            ("Bash (git:*) Read", &["Bash (git:*)", "Read"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = split(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_entry_is_read_or_its_wrong_characters_are_named() {
        let good = [
            ("Read", "Read", None),
            ("Bash(git:*)", "Bash", Some("git:*")),
            ("Bash(echo $(date))", "Bash", Some("echo $(date)")),
            ("mcp__github__list", "mcp__github__list", None),
            ("WebFetch(domain:*.x.org)", "WebFetch", Some("domain:*.x.org")),
        ];
        for (entry, tool, specifier) in good {
            assert_eq!(parse(entry), Ok(PermissionRule { tool, specifier }), "{entry}");
        }
        let bad = [
            ("Bash(git *", "(", ProblemKind::Unclosed),
            ("Bash)", ")", ProblemKind::Unopened),
            ("Bash) (", ")", ProblemKind::Unopened),
            ("(git)", "(git)", ProblemKind::NoTool),
            ("Bash (git)", " ", ProblemKind::Blank),
            ("Bash()", "()", ProblemKind::Empty),
            ("Bash(git)x", "x", ProblemKind::TextAfter),
            ("Bash(git:* push)", ":*", ProblemKind::PrefixInside),
        ];
        for (entry, wrong, kind) in bad {
            let problem = parse(entry).unwrap_err();
            assert_eq!((&entry[problem.range], problem.kind), (wrong, kind), "{entry}");
        }
    }

    #[test]
    fn an_entry_says_what_it_covers() {
        let rule = |entry| parse(entry).unwrap();
        assert!(rule("Bash").is_unrestricted() && rule("Bash(*)").is_unrestricted());
        assert!(!rule("Bash(git *)").is_unrestricted());
        assert_eq!(rule("Bash(git:*)").prefix(), Some("git"));
        assert_eq!(rule("Bash(git push *)").prefix(), Some("git push"));
        assert_eq!(rule("Bash(git)").prefix(), None);
        assert_eq!(rule("mcp__github__list").mcp(), Some(("github", Some("list"))));
        assert_eq!(rule("mcp__github").mcp(), Some(("github", None)));
        assert_eq!(rule("mcp__github__*").mcp(), Some(("github", None)));
        assert_eq!(rule("Read").mcp(), None);
    }
}
