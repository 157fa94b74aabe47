//! The hooks of a skill: what runs when something happens.

use regex::Regex;

use crate::{
    shown::one_line,
    syntax::{Entry, Node, SkillFile},
};

/// One hook, as Claude Code 2.1 documents it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it runs, such as `PreToolUse`.
    pub event: String,
    /// What it is for: names, or a regular expression; everything without.
    pub matcher: Option<String>,
    /// A permission rule that the call of a tool must be covered by too.
    pub condition: Option<String>,
    /// What runs.
    pub action: Action,
    /// The longest time that it may run, in seconds.
    pub timeout: Option<u64>,
    /// Whether it runs only the first time.
    pub once: bool,
    /// What the person is told while it runs.
    pub status: Option<String>,
}

/// What a hook does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Runs a command, with the event as JSON on its input.
    Command {
        /// A line for a shell, or a program where there are arguments.
        command: String,
        /// The program's arguments; `None` for a line.
        arguments: Option<Vec<String>>,
        /// Whether nobody waits for it.
        is_async: bool,
    },
    /// Asks the model whether to go on; `$ARGUMENTS` is the event as JSON.
    Prompt(String),
    /// The same of an agent, which may look at files before it answers.
    Agent(String),
    /// Sends the event as JSON to an address.
    Http {
        /// The address.
        url: String,
        /// Further headers of the request; `$NAME` and `${NAME}` stand for variables of the environment.
        headers: Vec<(String, String)>,
        /// The variables that may be put into headers; all others are empty.
        variables: Vec<String>,
    },
    /// Another type, or one that lacks what it needs.
    Other(String),
}

impl Hook {
    /// The hooks of a file, in order. Broken entries are passed over.
    pub fn all(file: &SkillFile) -> Vec<Self> {
        let Some(hooks) = file.entry("hooks") else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for event in hooks.value.entries() {
            for group in event.value.items() {
                let matcher = text(group, "matcher");
                let listed = group.get("hooks").map_or(&[][..], Node::items).iter();
                found.extend(listed.filter_map(|node| Self::of(&event.key.value, matcher.clone(), node)));
            }
        }
        found
    }

    fn of(event: &str, matcher: Option<String>, node: &Node) -> Option<Self> {
        let kind = text(node, "type")?;
        let action = match (kind.as_str(), text(node, "command"), text(node, "prompt")) {
            ("command", Some(command), _) => Action::Command {
                command,
                arguments: node.get("args").map(|_| texts(node, "args")),
                is_async: flag(node, "async"),
            },
            ("prompt", _, Some(prompt)) => Action::Prompt(prompt),
            ("agent", _, Some(prompt)) => Action::Agent(prompt),
            ("http", ..) if text(node, "url").is_some() => Action::Http {
                url: text(node, "url").unwrap_or_default(),
                headers: headers(node),
                variables: texts(node, "allowedEnvVars"),
            },
            _ => Action::Other(kind),
        };
        Some(Self {
            event: event.to_owned(),
            matcher: matcher.filter(|matcher| !matcher.is_empty() && matcher != "*"),
            condition: text(node, "if"),
            action,
            timeout: text(node, "timeout").and_then(|seconds| seconds.parse().ok()),
            once: flag(node, "once"),
            status: text(node, "statusMessage"),
        })
    }

    /// Whether it is for something that has these names. A matcher of letters, digits, `_`, `-`, spaces, `,` and `|` is a
    /// list of exact names, any other a regular expression; one that can't be read is for nothing.
    pub fn is_for(&self, names: &[&str]) -> bool {
        let Some(matcher) = &self.matcher else { return true };
        let is_list = |c: char| c.is_alphanumeric() || "_- ,|".contains(c);
        if matcher.chars().all(is_list) {
            return matcher.split([',', '|']).any(|name| names.contains(&name.trim()));
        }
        Regex::new(matcher).is_ok_and(|pattern| names.iter().any(|name| pattern.is_match(name)))
    }

    /// What it does and when, on one line for the person.
    pub fn shown(&self) -> String {
        let what = match &self.action {
            Action::Command { command, arguments, .. } => {
                [vec![command.clone()], arguments.clone().unwrap_or_default()]
                    .concat()
                    .join(" ")
            }
            Action::Prompt(prompt) => format!("asks the model: {prompt}"),
            Action::Agent(prompt) => format!("asks an agent that reads files: {prompt}"),
            Action::Http { url, variables, .. } if variables.is_empty() => format!("sends what happened to {url}"),
            Action::Http { url, variables, .. } => {
                format!(
                    "sends what happened to {url}, with ${} of the environment",
                    variables.join(", $")
                )
            }
            Action::Other(kind) => format!("{kind} (does not run here)"),
        };
        let matcher = self.matcher.as_ref().map(|matcher| format!("({matcher})"));
        let condition = self.condition.as_ref().map(|rule| format!(" if {rule}"));
        format!(
            "{}{}{}: {}",
            self.event,
            matcher.unwrap_or_default(),
            condition.unwrap_or_default(),
            one_line(&what)
        )
    }
}

fn text(node: &Node, name: &str) -> Option<String> {
    let value = node.get(name)?.as_str()?.trim();
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

/// The texts of a list; none where there is no list.
fn texts(node: &Node, name: &str) -> Vec<String> {
    let items = node.get(name).map_or(&[][..], Node::items).iter();
    items.filter_map(Node::as_str).map(str::to_owned).collect()
}

fn headers(node: &Node) -> Vec<(String, String)> {
    let entries = node.get("headers").map_or(&[][..], Node::entries).iter();
    let header = |entry: &Entry| Some((entry.key.value.to_string(), entry.value.as_str()?.to_owned()));
    entries.filter_map(header).collect()
}

fn flag(node: &Node, name: &str) -> bool {
    node.get(name).and_then(Node::as_bool).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks(frontmatter: &str) -> Vec<Hook> {
        Hook::all(&SkillFile::parse(format!("---\n{frontmatter}\n---\n").into()))
    }

    #[test]
    fn hooks_are_read_with_their_groups() {
        let found = hooks(
            "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - {type: command, command: ./check.sh, \
             timeout: 5, once: true, if: Bash(git *)}\n        - {type: http, url: 'https://x.example', headers: {A: '$B'}, allowedEnvVars: [B]}\n        - {type: mcp_tool, server: s, \
             tool: t}\n        - {type: http}\n  Stop:\n    - hooks:\n        - \
             {type: prompt, prompt: Is it done?}\n        - {type: agent, prompt: Look.}\n        - {command: nothing}\n    - nothing",
        );
        let shown: Vec<_> = found.iter().map(Hook::shown).collect();
        assert_eq!(
            shown,
            [
                "PreToolUse(Bash) if Bash(git *): ./check.sh",
                "PreToolUse(Bash): sends what happened to https://x.example, with $B of the environment",
                "PreToolUse(Bash): mcp_tool (does not run here)",
                "PreToolUse(Bash): http (does not run here)",
                "Stop: asks the model: Is it done?",
                "Stop: asks an agent that reads files: Look.",
            ]
        );
        assert_eq!((found[0].timeout, found[0].once), (Some(5), true));
        assert_eq!(hooks("hooks: x"), []);
    }

    #[test]
    fn a_matcher_is_a_list_of_names_or_an_expression() {
        for (matcher, names, is_for) in [
            ("", &["Bash"][..], true),
            ("'*'", &["Bash"], true),
            ("Bash", &["run_shell", "Bash"], true),
            ("Bash", &["BashOutput"], false),
            ("Edit|Write", &["Write"], true),
            ("Edit, Write", &["Write"], true),
            ("Note.*", &["NotebookEdit"], true),
            ("mcp__.*__write", &["mcp__files__write_all"], true),
            ("^Bash$", &["BashOutput"], false),
            ("'('", &["("], false),
        ] {
            let group =
                format!("hooks:\n  Stop:\n    - matcher: {matcher}\n      hooks: [{{type: command, command: x}}]");
            assert_eq!(hooks(&group)[0].is_for(names), is_for, "{matcher}");
        }
    }
}
