//! Rules such as `Bash(git status:*)`: which calls they are about.

use std::sync::Arc;

use serde_json::Value;
use skills_schema::permission_rule;

use super::matching::{self, Paths};
use crate::network::Place;
use crate::tool_names::{self, Does};

/// One rule of the person, or of the list that a person confirmed for a skill.
#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    /// `None` means every tool.
    tool: Option<String>,
    specifier: Option<String>,
    /// The specifier as a pattern of paths: a search compares it with every file.
    paths: Option<Arc<Paths>>,
    /// Whether it forbids or asks, so that it reaches whatever it may mean. What allows reaches only what it names.
    is_wide: bool,
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
    /// Who is called.
    pub(super) tool: Called<'a>,
    /// What it is about.
    pub(super) subject: Subject<'a>,
}

/// Who is called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Called<'a> {
    /// One tool, by our name.
    Tool(&'a str),
    /// Every tool that does one of these.
    Doing(&'static [Does]),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A skill's name with its arguments.
    Text(&'a str),
    /// A command's program and arguments.
    Words(&'a [String]),
    /// A file by its paths: from the workspace's folder, and absolute.
    Path(&'a [&'a str]),
    /// The host of a URL in its one form, and the port.
    Host(&'a str, u16),
    /// Any use of the tool: only rules without a pattern are about it.
    Whole,
}

/// All that a rule is comes from its text and its use.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.is_wide == other.is_wide
    }
}

impl Eq for Rule {}

/// A text that can't be understood as a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no rule; write one like `Bash(git status:*)` or `Edit(src/**)`")]
pub struct NoRule(pub String);

impl Rule {
    /// Reads `Tool`, `Tool(pattern)`, `Tool(prefix:*)` or `mcp__server__tool`, for a rule that allows: it covers what it
    /// names and nothing else.
    ///
    /// # Errors
    /// What is wrong with it, and how one is written.
    pub fn parse(text: &str) -> Result<Self, NoRule> {
        let text = text.trim();
        let rule = permission_rule::parse(text)
            .ok()
            .filter(|rule| !rule.tool.is_empty() && !rule.tool.contains(char::is_whitespace));
        let rule = rule.ok_or_else(|| NoRule(text.to_owned()))?;
        let restricts = !rule.is_unrestricted();
        let specifier = rule.specifier.filter(|_| restricts);
        let names_no_path = matches!(
            tool_names::doing(rule.tool),
            Some(Does::Run | Does::RunWithNetwork | Does::RunUnsandboxed | Does::Fetch | Does::Invoke)
        );
        Ok(Self {
            text: text.to_owned(),
            tool: Some(rule.tool.to_owned()),
            specifier: specifier.map(str::to_owned),
            paths: specifier.filter(|_| !names_no_path).and_then(Paths::of).map(Arc::new),
            is_wide: false,
        })
    }

    /// Reads a rule that forbids or asks: it covers whatever it may mean. One that can't be understood holds for its
    /// whole tool, or for every tool where nobody knows that one; then the second value says so.
    #[must_use]
    pub fn guarding(text: &str) -> (Self, Option<String>) {
        let text = text.trim();
        let understood = Self::parse(text).ok().filter(|rule| rule.problem().is_none());
        if let Some(rule) = understood {
            return (Self { is_wide: true, ..rule }, None);
        }
        let whole = |tool: Option<&str>| Self {
            text: text.to_owned(),
            tool: tool.map(str::to_owned),
            specifier: None,
            paths: None,
            is_wide: true,
        };
        if text == "*" {
            return (whole(None), None);
        }
        let name = text.split(['(', ')']).next().unwrap_or_default().trim();
        let tool = tool_names::in_any_case(name);
        let reach = tool.map_or_else(|| "every tool".to_owned(), |tool| format!("all of {tool}"));
        let way = match tool {
            Some(tool) if tool != name => format!("write `{}`", text.replacen(name, tool, 1)),
            tool => format!("write one like `{}`", tool.map_or("Bash(rm:*)", example)),
        };
        let problem = format!("`{text}` is no rule, so it holds for {reach}; {way}");
        (whole(tool), Some(problem))
    }

    /// The rules of a text such as `Bash(git add:*), Read`.
    ///
    /// # Errors
    /// As [`Rule::parse`], for the first that is wrong.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, NoRule> {
        let ranges = permission_rule::split(text).into_iter();
        ranges.map(|range| Self::parse(&text[range])).collect()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with a rule that allows, where it can cover nothing: nobody knows its tool, or the tool takes no such
    /// pattern.
    pub fn problem(&self) -> Option<String> {
        let tool = self.tool.as_deref()?;
        let text = &self.text;
        if !tool_names::is_known(tool) {
            return Some(match tool_names::in_any_case(tool) {
                Some(known) => format!("`{text}` allows nothing; write `{}`", text.replacen(tool, known, 1)),
                None => format!("`{text}` allows nothing: there is no tool {tool}"),
            });
        }
        let is_fine = match (tool_names::doing(tool), &self.specifier) {
            (_, None) | (None, _) => true,
            (Some(Does::Read | Does::Edit), _) => self.paths.is_some(),
            (Some(Does::Fetch), Some(pattern)) => matching::is_host(pattern),
            (Some(Does::Other), _) => false,
            (Some(_), _) => true,
        };
        (!is_fine).then(|| format!("`{text}` allows nothing: {tool} takes no such pattern"))
    }

    /// Whether the rule is about a call of a tool, by any of the tool's names; `input` are its arguments.
    pub fn covers_call(&self, tool: &str, input: &Value) -> bool {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        let argv = input["argv"].as_array().map(|words| {
            let words = words.iter().filter_map(Value::as_str);
            words.map(str::to_owned).collect::<Vec<_>>()
        });
        let (path, url) = (text("path"), text("url"));
        let place = reqwest::Url::parse(&url).ok().and_then(|url| Place::of(&url).ok());
        let named = format!("{} {}", text("name"), text("arguments")).trim().to_owned();
        let paths = [path.as_str()];
        let subject = match (&place, &argv) {
            _ if !path.is_empty() => Subject::Path(&paths),
            (Some(place), _) => Subject::Host(place.host(), place.port()),
            (None, Some(argv)) => Subject::Words(argv),
            (None, None) => Subject::Text(&named),
        };
        let tool = Called::Tool(tool);
        self.covers(Call { tool, subject })
    }

    /// Whether it is about a tool that is called by one of these names.
    pub(crate) fn is_about(&self, names: &[&str]) -> bool {
        self.tool.as_deref().is_none_or(|tool| names.contains(&tool))
    }

    /// Whether it is about every tool.
    pub(crate) fn is_about_everything(&self) -> bool {
        self.tool.is_none()
    }

    /// Whether it is about all uses of its tool.
    pub(crate) fn is_whole(&self) -> bool {
        self.specifier.is_none()
    }

    /// Whether the rule names exactly one subject.
    pub(super) fn is_exact(&self) -> bool {
        let does = self.tool.as_deref().and_then(tool_names::doing);
        let is_path = matches!(does, Some(Does::Read | Does::Edit));
        self.specifier.as_ref().is_some_and(|specifier| {
            let special: &[char] = if is_path {
                &['*', '?', '[', ']', '{', '}', '!', '\\']
            } else {
                &['*']
            };
            !specifier.contains(special)
        })
    }

    /// Whether it names exactly this command line.
    pub(super) fn names_exactly(&self, does: &'static [Does], line: &str) -> bool {
        self.is_exact() && self.is_called(Called::Doing(does)) && self.specifier.as_deref() == Some(line)
    }

    /// Whether the rule names a host whose address may be private.
    pub(super) fn is_private(&self) -> bool {
        self.specifier
            .as_ref()
            .is_some_and(|specifier| specifier.starts_with(matching::PRIVATE))
    }

    pub(super) fn covers(&self, call: Call<'_>) -> bool {
        if !self.is_called(call.tool) {
            return false;
        }
        let Some(specifier) = &self.specifier else {
            return true;
        };
        match call.subject {
            Subject::Text(text) => matching::text(specifier, text),
            Subject::Words(words) if self.is_wide => matching::words_widely(specifier, words),
            Subject::Words(words) => matching::text(specifier, &super::shown_command(words)),
            Subject::Path(spellings) => self.paths.as_ref().is_some_and(|paths| {
                spellings.iter().any(|path| match self.is_wide {
                    true => paths.reach(path),
                    false => paths.name(path),
                })
            }),
            Subject::Host(host, port) => matching::host(specifier, host, port),
            Subject::Whole => false,
        }
    }

    /// Whether it is about a tool, whatever the call is about.
    pub(super) fn is_called(&self, called: Called<'_>) -> bool {
        let Some(name) = &self.tool else { return true };
        match called {
            Called::Tool(tool) => tool_names::is_called(tool, name),
            Called::Doing(doing) => doing.iter().any(|does| tool_names::does(name, *does)),
        }
    }
}

/// A rule about a tool, as one would write it.
fn example(tool: &str) -> &str {
    match tool_names::doing(tool) {
        Some(Does::Read | Does::Edit) => "Edit(src/**)",
        Some(Does::Fetch) => "WebFetch(domain:example.com)",
        Some(Does::Invoke) => "Skill(deploy:*)",
        Some(Does::Run | Does::RunWithNetwork | Does::RunUnsandboxed) => "Bash(rm:*)",
        Some(Does::Other) | None => tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in ["", "Bash(git", "Bash (git)", "Bash()", "(x)", "a b"] {
            assert!(Rule::parse(text).is_err(), "{text}");
        }
        assert_eq!(Rule::parse_all("Bash(git add *) Read,Edit").unwrap().len(), 3);
    }

    #[test]
    fn what_can_not_be_understood_guards_its_whole_tool_or_all() {
        for (text, tool, says) in [
            ("Bash(rm:*)", Some("Bash"), None),
            ("WebFetch(domain:*.x.org)", Some("WebFetch"), None),
            ("mcp__github__push", Some("mcp__github__push"), None),
            ("WebSearch", Some("WebSearch"), None),
            ("*", None, None),
            ("bash(touch:*)", Some("Bash"), Some("write `Bash(touch:*)`")),
            ("BASH", Some("Bash"), Some("write `Bash`")),
            ("Bash(git push", Some("Bash"), Some("all of Bash")),
            ("Bash (git push)", Some("Bash"), Some("all of Bash")),
            ("Bash(git:* push)", Some("Bash"), Some("all of Bash")),
            ("Edit([)", Some("Edit"), Some("all of Edit")),
            ("Edit(!src/**)", Some("Edit"), Some("all of Edit")),
            ("Read($HOME/**)", Some("Read"), Some("all of Read")),
            (
                "WebFetch(https://evil.example/x)",
                Some("WebFetch"),
                Some("all of WebFetch"),
            ),
            ("WebFetch(domain:evil*)", Some("WebFetch"), Some("all of WebFetch")),
            ("WebFetch(domain:)", Some("WebFetch"), Some("all of WebFetch")),
            ("WebFetch(private:10.0.0.5:80)", Some("WebFetch"), None),
            ("WebFetch(private:*.x.org)", Some("WebFetch"), Some("all of WebFetch")),
            ("Grep(src/**)", Some("Grep"), Some("all of Grep")),
            ("Bsh(rm:*)", None, Some("every tool")),
            ("(rm)", None, Some("every tool")),
            ("", None, Some("every tool")),
        ] {
            let (rule, problem) = Rule::guarding(text);
            assert_eq!(rule.tool.as_deref(), tool, "{text}");
            assert_eq!(problem.is_some(), says.is_some(), "{text}: {problem:?}");
            assert!(
                says.is_none_or(|says| problem.unwrap_or_default().contains(says)),
                "{text}"
            );
            assert!(says.is_none() || rule.is_whole(), "{text}");
        }
    }

    #[test]
    fn a_rule_that_allows_nothing_is_reported() {
        for (text, says) in [
            ("Bash(ls:*)", None),
            ("mcp__x__y", None),
            ("bash(ls:*)", Some("write `Bash(ls:*)`")),
            ("Bsh(ls:*)", Some("there is no tool Bsh")),
            ("Edit([)", Some("takes no such pattern")),
        ] {
            let problem = Rule::parse(text).unwrap().problem();
            assert_eq!(problem.is_some(), says.is_some(), "{text}: {problem:?}");
            assert!(
                says.is_none_or(|says| problem.unwrap_or_default().contains(says)),
                "{text}"
            );
        }
    }
}
