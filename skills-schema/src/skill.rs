//! What a catalog needs to know of one skill.

use std::ops::Range;

use text_size::TextRange;

use crate::{
    arguments,
    dialect::Dialect,
    permission_rule,
    shown::one_line,
    syntax::{Node, NodeKind, Scalar, SkillFile, range_of},
    trigger::Triggers,
};

pub use crate::syntax::declared::Item;

/// The facts of one skill, as its frontmatter gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `name`; `None` where it is missing or empty. Readers then take the folder's name.
    pub name: Option<String>,
    /// `description`, else the first paragraph of the body.
    pub description: Option<String>,
    /// `when_to_use`.
    pub when_to_use: Option<String>,
    /// `paths`, as a comma-separated text or as a list. Empty: the skill has no condition.
    pub paths: Vec<Item>,
    /// `triggers`, `trigger` and `inputs`.
    pub triggers: Triggers,
    /// `requires`: names of skills.
    pub requires: Vec<Item>,
    /// `references`: files and folders beside the skill.
    pub references: Vec<Item>,
    /// `tools`: what each defines.
    pub tools: Vec<Tool>,
    /// `shell`: what runs the commands in the body.
    pub shell: Shell,
    /// `allowed-tools`, one permission rule each.
    pub allowed_tools: Vec<String>,
    /// `disallowed-tools`, one permission rule each.
    pub disallowed_tools: Vec<String>,
    /// `danger_patterns` and `confirm_patterns`: calls of tools that are blocked or asked about.
    pub call_patterns: Vec<CallPattern>,
    /// `context: fork`: the skill runs in a conversation of its own.
    pub forks: bool,
    /// `agent`: what sort of agent runs a skill that forks, as it is written.
    pub agent: Option<String>,
    /// How many characters the instructions have, without the spaces around them.
    pub body: usize,
    /// How many of them follow the first line of text, which OpenHands 1.58 takes for a missing description; 0 where
    /// there is a description.
    pub behind_first_line: usize,
    /// `metadata.priority`: listed before others of a lower one.
    pub priority: Option<i64>,
    /// `disable-model-invocation`: only a person may run the skill.
    pub disable_model_invocation: bool,
    /// `user-invocable`: a person may run the skill; `true` unless it says otherwise.
    pub user_invocable: bool,
    /// `version`, else that of `metadata`, as it is written.
    pub version: Option<Box<str>>,
    /// `argument-hint`, as it is written.
    pub argument_hint: Option<String>,
    /// `model`, as it is written.
    pub model: Option<String>,
    /// `effort`, as it is written: a word or a number.
    pub effort: Option<String>,
    /// `arguments`: their names in order.
    pub arguments: Vec<String>,
}

/// A tool that a skill defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
}

/// What runs the commands of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// `bash` or another program that the frontmatter names.
    pub interpreter: Option<String>,
    /// The longest time that a command may run, in seconds.
    pub timeout: Option<u64>,
}

/// A pattern by which a skill marks calls of tools as dangerous or worth a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPattern {
    /// A regular expression, which may be broken.
    pub pattern: String,
    /// Whether such a call is not made at all; else a person is asked.
    pub blocks: bool,
    /// Why, for the person and the model.
    pub reason: Option<String>,
}

impl Metadata {
    /// Reads the facts of a file. Broken entries are passed over.
    pub fn of(file: &SkillFile) -> Metadata {
        let value = |name: &str| file.entry(name).map(|entry| &entry.value);
        let either = |name: &str, other: &str| value(name).or_else(|| value(other));
        let text = |name: &str| {
            value(name)
                .and_then(Node::as_str)
                .map(str::trim)
                .filter(|it| !it.is_empty())
        };
        let paragraph = || file.body.first_paragraph(&file.text).map(|range| file.slice(range));
        Metadata {
            name: text("name").map(str::to_owned),
            description: text("description")
                .map(str::to_owned)
                .or_else(|| paragraph().map(one_line)),
            when_to_use: text("when_to_use").map(str::to_owned),
            paths: value("paths").map_or(Vec::new(), |node| patterns(file, node)),
            triggers: Triggers::of(file),
            requires: value("requires").map_or(Vec::new(), Item::list),
            references: value("references").map_or(Vec::new(), Item::list),
            tools: value("tools")
                .map_or(&[][..], Node::items)
                .iter()
                .filter_map(Tool::of)
                .collect(),
            shell: value("shell").map_or(Shell::default(), Shell::of),
            allowed_tools: either("allowed-tools", "allowed_tools").map_or(Vec::new(), rules),
            disallowed_tools: either("disallowed-tools", "disallowed_tools").map_or(Vec::new(), rules),
            call_patterns: CallPattern::all(file),
            forks: text("context") == Some("fork"),
            agent: text("agent").map(str::to_owned),
            body: file.slice(file.body.range).trim().chars().count(),
            behind_first_line: match text("description") {
                Some(_) => 0,
                None => behind_first_line(file.slice(file.body.range)),
            },
            priority: value("metadata").and_then(|node| node.get("priority")?.as_str()?.parse().ok()),
            disable_model_invocation: either("disable-model-invocation", "disable_model_invocation")
                .and_then(Node::as_bool)
                .unwrap_or(false),
            user_invocable: value("user-invocable").and_then(Node::as_bool).unwrap_or(true),
            version: value("version")
                .or_else(|| value("metadata")?.get("version"))
                .and_then(Node::as_str)
                .map(Into::into),
            argument_hint: arguments::hint(file),
            model: text("model").map(str::to_owned),
            effort: text("effort").map(str::to_owned),
            arguments: arguments::declared(file).into_iter().map(|it| it.name).collect(),
        }
    }
}

/// The system that a file says it is written for, whatever its folder: `metadata.dialect`.
pub fn dialect(file: &SkillFile) -> Option<Dialect> {
    let metadata = &file.entry("metadata")?.value;
    metadata.get("dialect")?.as_str()?.parse().ok()
}

impl CallPattern {
    /// Those of both fields. An entry is a text, or a mapping with `pattern`, `level` and `reason` (Wolffish 1.0).
    fn all(file: &SkillFile) -> Vec<Self> {
        let mut found = Vec::new();
        for (field, blocks) in [("danger_patterns", true), ("confirm_patterns", false)] {
            let entry = file.entry(field);
            for item in entry.into_iter().flat_map(|entry| entry.value.items()) {
                let text = |node: Option<&Node>| Some(node?.as_scalar()?.value.to_string());
                let (pattern, level, reason) = match &item.kind {
                    NodeKind::Mapping(_) => (
                        text(item.get("pattern")),
                        text(item.get("level")),
                        text(item.get("reason")),
                    ),
                    _ => (text(Some(item)), None, None),
                };
                let blocks = match level.as_deref() {
                    Some("block") => true,
                    Some("confirm" | "destructive") => false,
                    Some("warn" | "safe") => continue,
                    _ => blocks,
                };
                found.extend(pattern.map(|pattern| Self {
                    pattern,
                    blocks,
                    reason,
                }));
            }
        }
        found
    }
}

impl Tool {
    fn of(node: &Node) -> Option<Tool> {
        let text = |name: &str| node.get(name).and_then(Node::as_str);
        Some(Tool {
            name: text("name")?.to_owned(),
            description: text("description").unwrap_or_default().to_owned(),
        })
    }
}

impl Shell {
    /// A name, or `{interpreter, timeout}`.
    fn of(node: &Node) -> Shell {
        let text = |name: &str| node.get(name).and_then(Node::as_str);
        Shell {
            interpreter: node.as_str().or_else(|| text("interpreter")).map(str::to_owned),
            timeout: text("timeout").and_then(|it| it.parse().ok()),
        }
    }
}

/// The entries of a list, or of a text with spaces or commas between them; those in parentheses are part of an entry.
/// The permission rules of a list, or of a text with commas or spaces between them.
pub(crate) fn rules(node: &Node) -> Vec<String> {
    let entries = |item: Item| {
        let ranges = permission_rule::split(&item.text).into_iter();
        ranges.map(|range| item.text[range].to_owned()).collect::<Vec<_>>()
    };
    Item::list(node).into_iter().flat_map(entries).collect()
}

/// The characters behind the first line that is neither blank nor a heading.
fn behind_first_line(body: &str) -> usize {
    let body = body.trim();
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let line = body.split('\n').find(is_text);
    let end = line.map(|line| line.as_ptr() as usize - body.as_ptr() as usize + line.len());
    end.map_or(0, |end| body[end..].chars().count())
}

fn patterns(file: &SkillFile, node: &Node) -> Vec<Item> {
    let item = |glob: Glob<'_>| Item {
        text: glob.text.to_owned(),
        range: glob.range,
    };
    globs(file, node).into_iter().map(item).collect()
}

/// A glob and where it is written.
pub(crate) struct Glob<'a> {
    pub(crate) text: &'a str,
    pub(crate) range: TextRange,
    /// The scalar that it is a part of, and from which byte of its value on.
    within: Option<(&'a Scalar, usize)>,
}

impl Glob<'_> {
    /// Where a part of it stands, given in bytes of the glob.
    pub(crate) fn part(&self, file: &SkillFile, part: Range<usize>) -> TextRange {
        match self.within {
            Some((scalar, at)) => scalar.part(&file.text, at + part.start..at + part.end),
            None => {
                let start = usize::from(self.range.start());
                range_of(start + part.start, start + part.end)
            }
        }
    }
}

/// The globs of a list, each of which may hold several, or of a text.
pub(crate) fn globs<'a>(file: &'a SkillFile, node: &'a Node) -> Vec<Glob<'a>> {
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().flat_map(|item| globs(file, item)).collect(),
        NodeKind::Scalar(scalar) if !scalar.is_null() => split(file, scalar),
        // A glob that starts with `*` and has no quotes is an alias to YAML. What is meant is plain.
        NodeKind::Alias(alias) if !alias.resolved => vec![Glob {
            text: file.slice(node.range),
            range: node.range,
            within: None,
        }],
        _ => Vec::new(),
    }
}

/// A text with commas between the globs; those in braces belong to a glob.
fn split<'a>(file: &SkillFile, scalar: &'a Scalar) -> Vec<Glob<'a>> {
    let value = scalar.value.as_str();
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let ends = value.char_indices().chain([(value.len(), ',')]);
    for (at, c) in ends {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 || at == value.len() => {
                let part = &value[start..at];
                let text = part.trim();
                let offset = start + (part.len() - part.trim_start().len());
                if !text.is_empty() {
                    found.push(Glob {
                        text,
                        range: scalar.part(&file.text, offset..offset + text.len()),
                        within: Some((scalar, offset)),
                    });
                }
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(frontmatter: &str) -> SkillFile {
        SkillFile::parse(format!("---\n{frontmatter}\n---\n# Title\n\nFirst words\nof the body.\n").into())
    }

    fn metadata(frontmatter: &str) -> Metadata {
        Metadata::of(&file(frontmatter))
    }

    fn paths(frontmatter: &str) -> Vec<String> {
        metadata(frontmatter)
            .paths
            .into_iter()
            .map(|pattern| pattern.text)
            .collect()
    }

    #[test]
    fn patterns_of_calls_are_texts_or_mappings_whose_level_counts() {
        let found = metadata(
            "confirm_patterns:\n  - rm\n  - {pattern: git push, level: block, reason: not on Fridays}\n\
             danger_patterns:\n  - 'rm -rf'\n  - {pattern: x, level: safe}\n  - {pattern: y, level: destructive}",
        );
        let found: Vec<_> = (found.call_patterns.iter())
            .map(|it| (it.pattern.as_str(), it.blocks, it.reason.as_deref()))
            .collect();
        let expected = [
            ("rm -rf", true, None),
            ("y", false, None),
            ("rm", false, None),
            ("git push", true, Some("not on Fridays")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn paths_are_a_text_with_commas_or_a_list() {
        assert_eq!(
            paths("paths: src/**, \t*.{ts,tsx} ,, docs/*"),
            ["src/**", "*.{ts,tsx}", "docs/*"]
        );
        assert_eq!(paths("paths:\n  - src/**\n  - 'a, b'"), ["src/**", "a", "b"]);
        assert_eq!(paths("paths: **/*.rs"), ["**/*.rs"]);
        assert_eq!(paths("paths: [src/**, \"*.md\"]"), ["src/**", "*.md"]);
        assert_eq!(paths("paths: 'a/**, **/*.ts'").len(), 2);
        assert_eq!(paths("paths: [' b ', '']"), ["b"]);
        assert_eq!(paths("paths: '  ,  '"), Vec::<String>::new());
        assert_eq!(paths("paths:"), Vec::<String>::new());
        assert_eq!(paths("paths: {a: b}"), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_knows_its_place() {
        let file = SkillFile::parse("---\npaths: \"é/**, x\"\n---\n".into());
        let paths = Metadata::of(&file).paths;
        assert_eq!(
            paths.iter().map(|it| file.slice(it.range)).collect::<Vec<_>>(),
            ["é/**", "x"]
        );
    }

    #[test]
    fn the_description_is_the_first_paragraph_where_there_is_none() {
        assert_eq!(
            metadata("description: Says it.").description.as_deref(),
            Some("Says it.")
        );
        assert_eq!(
            metadata("description:").description.as_deref(),
            Some("First words of the body.")
        );
        assert_eq!(
            metadata("name: x").description.as_deref(),
            Some("First words of the body.")
        );
        assert_eq!(
            metadata("description: Use when: foo").description.as_deref(),
            Some("Use when: foo")
        );
    }

    #[test]
    fn lists_are_read_in_every_spelling() {
        let it = metadata(
            "allowed-tools: Bash(git add *) Read, Write\ntriggers: deploy\nrequires: [shell]\nreferences:\n  - a\n  - b\n\
             tools:\n  - name: run\n    description: Runs.\n  - nothing\nshell: {interpreter: sh, timeout: 5}\n\
             metadata:\n  priority: 2",
        );
        let texts = |items: &[Item]| items.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
        assert_eq!(it.allowed_tools, ["Bash(git add *)", "Read", "Write"]);
        assert_eq!(texts(&it.triggers.list), ["deploy"]);
        assert_eq!(texts(&it.requires), ["shell"]);
        assert_eq!(texts(&it.references), ["a", "b"]);
        assert_eq!(
            it.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
            ["run"]
        );
        assert_eq!(
            (it.shell.interpreter.as_deref(), it.shell.timeout),
            (Some("sh"), Some(5))
        );
        assert_eq!(it.priority, Some(2));
        assert_eq!(metadata("allowed-tools: a b  c").allowed_tools, ["a", "b", "c"]);
        for text in ["Read Grep", "Read, Grep", "[Read, Grep]"] {
            let text = format!("allowed-tools: {text}");
            assert_eq!(metadata(&text).allowed_tools, ["Read", "Grep"], "{text}");
        }
        assert_eq!(metadata("shell: bash").shell.interpreter.as_deref(), Some("bash"));
        assert_eq!(
            metadata("allowed-tools: [\"Bash(a, b)\", Read]").allowed_tools,
            ["Bash(a, b)", "Read"]
        );
    }

    #[test]
    fn switches_and_arguments_are_read_in_every_spelling() {
        let it = metadata(
            "disable-model-invocation: Yes\nuser-invocable: off\narguments: file target\nargument-hint: [file]",
        );
        assert!(it.disable_model_invocation && !it.user_invocable);
        assert_eq!(it.arguments, ["file", "target"]);
        assert_eq!(it.argument_hint.as_deref(), Some("[file]"));
        assert!(metadata("disable-model-invocation: 'on'").disable_model_invocation);
        let it = metadata("model: opus\neffort: 2000");
        assert_eq!(
            (it.model.as_deref(), it.effort.as_deref()),
            (Some("opus"), Some("2000"))
        );
        let it = metadata("arguments: [a, b]");
        assert!(!it.disable_model_invocation && it.user_invocable);
        assert_eq!(it.arguments, ["a", "b"]);
    }

    #[test]
    fn a_file_says_whose_it_is() {
        assert_eq!(
            dialect(&file("metadata:\n  dialect: openhands")),
            Some(Dialect::OpenHands)
        );
        assert_eq!(dialect(&file("metadata:\n  dialect: other")), None);
        assert_eq!(dialect(&file("dialect: openhands")), None);
    }
}
