//! A subagent: who does the work of a skill that runs in a conversation of its own.

use crate::skill::rules;
use crate::syntax::SkillFile;

/// What a file of `.claude/agents` says, as Claude Code 2.1 documents it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subagent {
    /// `name`, by which skills call it; `None` where it is missing.
    pub name: Option<String>,
    /// The text below the frontmatter: what the agent is told about its part.
    pub prompt: String,
    /// `tools`: the only ones that it may use, one permission rule each; `None` for all.
    pub tools: Option<Vec<String>>,
    /// `disallowedTools`: those that are taken away from it.
    pub disallowed_tools: Vec<String>,
    /// `model`, as it is written.
    pub model: Option<String>,
    /// `effort`, as it is written.
    pub effort: Option<String>,
    /// `maxTurns`: after how many answers of the model it is stopped.
    pub max_turns: Option<u32>,
    /// `permissionMode: plan`: it changes nothing. Other modes would widen what the person set, and count for nothing.
    pub only_reads: bool,
    /// `skills`: the names of those whose texts it is given at the start.
    pub skills: Vec<String>,
}

impl Subagent {
    /// Reads a file. Broken entries are passed over.
    pub fn of(file: &SkillFile) -> Self {
        let value = |name: &str| file.entry(name).map(|entry| &entry.value);
        let text = |name: &str| Some(value(name)?.as_str()?.trim().to_owned()).filter(|text| !text.is_empty());
        let tools = value("tools").map(rules).filter(|tools| !tools.is_empty());
        Self {
            name: text("name"),
            prompt: file.slice(file.body.range).trim().to_owned(),
            tools: tools.filter(|tools| tools.iter().all(|tool| tool != "*")),
            disallowed_tools: value("disallowedTools").map(rules).unwrap_or_default(),
            model: text("model"),
            effort: text("effort"),
            max_turns: text("maxTurns")
                .and_then(|turns| turns.parse().ok())
                .filter(|turns| *turns > 0),
            only_reads: text("permissionMode").as_deref() == Some("plan"),
            skills: value("skills").map(rules).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_may_do_is_read_from_its_file() {
        let text = "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep, Bash(git diff:*)\ndisallowedTools: \
                    [Write]\nmodel: haiku\nmaxTurns: 5\npermissionMode: plan\nskills: [style]\n---\n\nYou review.\n";
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        let expected = Subagent {
            name: Some("reviewer".into()),
            prompt: "You review.".into(),
            tools: Some(list(&["Read", "Grep", "Bash(git diff:*)"])),
            disallowed_tools: list(&["Write"]),
            model: Some("haiku".into()),
            effort: None,
            max_turns: Some(5),
            only_reads: true,
            skills: list(&["style"]),
        };
        assert_eq!(Subagent::of(&SkillFile::parse(text.into())), expected);
        for text in [
            "",
            "---\ntools: '*'\nmaxTurns: many\npermissionMode: bypassPermissions\n---\n",
            "---\n",
        ] {
            let found = Subagent::of(&SkillFile::parse(text.into()));
            assert_eq!(
                (found.tools, found.max_turns, found.only_reads),
                (None, None, false),
                "{text}"
            );
        }
    }
}
