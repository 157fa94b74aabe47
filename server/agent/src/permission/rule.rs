//! Rules such as `Bash(git status:*)`: which calls they are about.

use globset::GlobBuilder;
use serde_json::Value;
use skills_schema::permission_rule;

/// One rule of the person, or of the list that a person confirmed for a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    tool: String,
    specifier: Option<String>,
}

/// The lists of the settings `permissions.deny`, `permissions.ask` and `permissions.allow`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// What is never done.
    pub deny: Vec<Rule>,
    /// What asks each time, whatever is allowed.
    pub ask: Vec<Rule>,
    /// What is done without a question.
    pub allow: Vec<Rule>,
}

/// What rules are compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// What rules may call the tool: our names, and those of Claude Code.
    pub(super) names: &'a [&'a str],
    /// What it is about.
    pub(super) subject: Subject<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A command line, or a skill's name with its arguments.
    Words(&'a str),
    /// A path in the workspace.
    Path(&'a str),
    /// The host of a URL.
    Host(&'a str),
    /// Any use of the tool: only rules without a pattern are about it.
    Whole,
}

/// What rules may call each of our tools: its name, and those of the like in Claude Code 2.1.
const NAMES: &[&[&str]] = &[
    &["ask_person", "AskUserQuestion"],
    &["create_file", "Write"],
    &["find_files", "Glob"],
    &["list_searchable_files", "Glob", "LS"],
    &["read_file_range", "Read"],
    &["read_url", "WebFetch"],
    &["replace_range", "Edit"],
    &["run_shell", "Bash"],
    &["search_text", "Grep"],
    &["skill", "Skill"],
    &["write_patch", "Edit", "MultiEdit", "Write"],
];

/// What rules may call a tool.
pub(super) fn names(tool: &str) -> &'static [&'static str] {
    let names = NAMES.iter().find(|names| names[0] == tool);
    names.copied().unwrap_or_default()
}

impl Rule {
    /// Reads `Tool`, `Tool(pattern)`, `Tool(prefix:*)` or `mcp__server__tool`.
    ///
    /// # Errors
    /// What is wrong with it, and how one is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let rule = permission_rule::parse(text)
            .ok()
            .filter(|rule| !rule.tool.is_empty() && !rule.tool.contains(char::is_whitespace));
        let rule =
            rule.ok_or_else(|| format!("`{text}` is no rule; write one like `Bash(git status:*)` or `Edit(src/**)`"))?;
        let restricts = !rule.is_unrestricted();
        Ok(Self {
            text: text.to_owned(),
            tool: rule.tool.to_owned(),
            specifier: rule.specifier.filter(|_| restricts).map(str::to_owned),
        })
    }

    /// The rules of a text such as `Bash(git add:*), Read`.
    ///
    /// # Errors
    /// As [`Rule::parse`], for the first that is wrong.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let ranges = permission_rule::split(text).into_iter();
        ranges.map(|range| Self::parse(&text[range])).collect()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the rule is about a call of a tool, by any of the tool's names; `input` are its arguments.
    pub fn covers_call(&self, tool: &str, input: &Value) -> bool {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        let argv = input["argv"].as_array().map(|words| {
            let words = words.iter().filter_map(Value::as_str);
            words.map(str::to_owned).collect::<Vec<_>>()
        });
        let (path, url) = (text("path"), text("url"));
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let host = rest
            .split(['/', ':', '?', '#'])
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let words = argv.map_or_else(
            || format!("{} {}", text("name"), text("arguments")).trim().to_owned(),
            |argv| super::shown_command(&argv),
        );
        let subject = match () {
            () if !path.is_empty() => Subject::Path(&path),
            () if !host.is_empty() => Subject::Host(&host),
            () => Subject::Words(&words),
        };
        let names = &crate::tools::names::of(tool);
        self.covers(Call { names, subject })
    }

    /// Whether it is about a tool that is called by one of these names.
    pub(crate) fn is_about(&self, names: &[&str]) -> bool {
        names.contains(&self.tool.as_str())
    }

    /// Whether it is about all uses of its tool.
    pub(crate) fn is_whole(&self) -> bool {
        self.specifier.is_none()
    }

    /// Whether the rule names exactly one subject.
    pub(super) fn is_exact(&self) -> bool {
        self.specifier
            .as_ref()
            .is_some_and(|specifier| !specifier.contains('*'))
    }

    pub(super) fn covers(&self, call: Call<'_>) -> bool {
        let is_named = call.names.contains(&self.tool.as_str());
        let Some(specifier) = &self.specifier else {
            return is_named;
        };
        is_named
            && match call.subject {
                Subject::Words(text) => words_match(specifier, text),
                Subject::Path(path) => path_matches(specifier, path),
                Subject::Host(host) => host_matches(specifier, host),
                Subject::Whole => false,
            }
    }
}

/// `git:*` and `git *` mean the word and what follows it; `*` elsewhere is any text.
fn words_match(pattern: &str, text: &str) -> bool {
    if let Some(prefix) = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"))
        && !prefix.contains('*')
    {
        let rest = text.strip_prefix(prefix);
        return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    }
    wildcard(pattern, text)
}

fn wildcard(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// As in `.gitignore`: without a slash at any depth, else from the workspace's folder. A pattern that can't be read
/// matches nothing.
fn path_matches(pattern: &str, path: &str) -> bool {
    let rooted = pattern.trim_start_matches("./").trim_start_matches('/');
    let pattern = match pattern.contains('/') {
        true => rooted.to_owned(),
        false => format!("**/{rooted}"),
    };
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// The whole name, because `trusted.io.evil.com` begins with a trusted one.
fn host_matches(pattern: &str, host: &str) -> bool {
    let pattern = pattern.strip_prefix("domain:").unwrap_or(pattern).to_lowercase();
    match pattern.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(parent)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => host == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let words = |rule: &str, text| {
            let names = &["run_shell", "Bash"];
            let call = Call {
                names,
                subject: Subject::Words(text),
            };
            Rule::parse(rule).unwrap().covers(call)
        };
        for (rule, text, expected) in [
            ("Bash", "anything", true),
            ("run_shell", "anything", true),
            ("Bash(*)", "anything", true),
            ("Read", "anything", false),
            ("Bash(ls:*)", "ls", true),
            ("Bash(ls:*)", "ls -l", true),
            ("Bash(ls *)", "ls -l", true),
            ("Bash(ls:*)", "lsof", false),
            ("Bash(git * main)", "git push main", true),
            ("Bash(git * main)", "git push mainly", false),
            ("Bash(*rm*)", "x rm y", true),
            ("Bash(npm test)", "npm test", true),
            ("Bash(npm test)", "npm test x", false),
        ] {
            assert_eq!(words(rule, text), expected, "{rule} {text}");
        }
        for (pattern, path, expected) in [
            ("src/**", "src/a/b.rs", true),
            ("/src/*", "src/b.rs", true),
            ("src/*", "src/a/b.rs", false),
            ("*.rs", "src/a/b.rs", true),
            ("src/**", "srcs/a", false),
            ("[", "[", false),
        ] {
            assert_eq!(path_matches(pattern, path), expected, "{pattern} {path}");
        }
        for (pattern, host, expected) in [
            ("domain:trusted.io", "trusted.io", true),
            ("trusted.io", "trusted.io.evil.com", false),
            ("domain:trusted.io", "nottrusted.io", false),
            ("*.trusted.io", "a.trusted.io", true),
            ("*.trusted.io", "atrusted.io", false),
            ("*.trusted.io", "trusted.io", false),
        ] {
            assert_eq!(host_matches(pattern, host), expected, "{pattern} {host}");
        }
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in ["", "Bash(git", "Bash (git)", "Bash()", "(x)", "a b"] {
            assert!(Rule::parse(text).is_err(), "{text}");
        }
        assert_eq!(Rule::parse_all("Bash(git add *) Read,Edit").unwrap().len(), 3);
    }
}
