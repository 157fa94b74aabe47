//! What the text of a skill becomes: one scan from left to right, in which no value is looked at again.

use text_size::{TextRange, TextSize};

use super::{
    Values,
    shell::{self, Language},
};
use crate::{
    dialect::runtime::Runtime,
    syntax::{Command, CommandForm, Placeholder, PlaceholderKind, SkillFile},
};

/// A skill's text with its values, and the commands whose output is still to come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The parts, in order.
    pub pieces: Vec<Piece>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stays.
    Text(String),
    /// A command: its output stands here.
    Command(ShellCommand),
}

/// A command of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    /// All of it in the skill's file, which the output replaces.
    pub range: TextRange,
    /// How it is written.
    pub form: CommandForm,
    /// The command with its values in it, for a person to read. Never run this.
    pub shown: String,
    /// What is run; `Err` says why it can't be made safe, and what to write instead.
    pub script: Result<Script, String>,
}

/// What an interpreter is given. Values stand in the environment alone, so none of them becomes a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The text.
    pub text: String,
    /// The variables that it refers to.
    pub environment: Vec<(String, String)>,
}

/// Fills a skill's text with values as a reader does. `variables` are those that are known: `CLAUDE_SKILL_DIR` and its
/// like, by their names; others stay as they are.
///
/// Where the person typed something and no placeholder took it, it stands at the end.
pub fn fill(
    file: &SkillFile,
    runtime: &Runtime,
    values: &Values,
    variables: &[(&str, &str)],
    language: Language,
) -> Filled {
    let policy = runtime.arguments;
    let value = |kind: PlaceholderKind, text: &str| match kind {
        PlaceholderKind::Variable => {
            let name = text.trim_start_matches("${").trim_end_matches('}');
            let known = variables.iter().find(|(variable, _)| *variable == name);
            known.map(|(_, value)| *value).filter(|_| policy.are_replaced)
        }
        PlaceholderKind::Input(_) => values.get(kind).filter(|_| policy.inputs_are_replaced),
        PlaceholderKind::Index(_) if policy.missing_is_empty => Some(values.get(kind).unwrap_or_default()),
        _ => values.get(kind).filter(|_| policy.are_replaced),
    };
    let mut scan = Scan {
        file,
        value: &value,
        values,
        replaced: false,
        escapes: policy.are_replaced,
    };
    let with_frontmatter = runtime.references.is_some_and(|it| it.with_frontmatter);
    let start = match (with_frontmatter, &file.frontmatter) {
        (true, Some(frontmatter)) => frontmatter.range.start(),
        _ => file.body.range.start(),
    };
    let text = file.slice(TextRange::new(start, file.body.range.end()));
    let lead = text.len() - text.trim_start_matches(['\n', '\r']).len();
    let mut at = start + length(lead);
    let end = at + length(text.trim_matches(['\n', '\r']).len());

    let mut pieces: Vec<Piece> = Vec::new();
    for command in &file.markdown().commands {
        let range = command.range;
        if range.start() < at || range.end() > end {
            continue;
        }
        if command.is_escaped_in(runtime.dialect) {
            // The backslash before it goes, the rest stays.
            add(&mut pieces, &scan.text(TextRange::new(at, range.start() - length(1))));
            at = range.start();
        } else if runtime.commands.is_some() && command.runs_in(runtime.dialect) {
            add(&mut pieces, &scan.text(TextRange::new(at, range.start())));
            pieces.push(Piece::Command(scan.command(command, language)));
            at = range.end();
        }
    }
    add(&mut pieces, &scan.text(TextRange::new(at, end)));
    if policy.asks_for_inputs && asks(file) {
        add(&mut pieces, ASK);
    }
    if !values.raw.is_empty() && !scan.replaced {
        add(&mut pieces, &format!("\n\nARGUMENTS: {}", values.raw));
    }
    Filled { pieces }
}

/// What OpenHands 1.58 adds to a skill with inputs.
const ASK: &str = "\n\nIf the user didn't provide any of these variables, ask the user to provide them first before the \
                   agent can proceed with the task.";

/// Whether the skill has inputs, or `${name}` in its body.
fn asks(file: &SkillFile) -> bool {
    let has_inputs = file
        .entry("inputs")
        .is_some_and(|entry| !entry.value.items().is_empty());
    let body = file.slice(file.body.range);
    let is_variable = |(at, _): (usize, &str)| {
        let rest = &body.as_bytes()[at + 2..];
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(is_word).count();
        length > 0 && !rest[0].is_ascii_digit() && rest.get(length) == Some(&b'}')
    };
    has_inputs || (file.entry("inputs").is_some() && body.match_indices("${").any(is_variable))
}

struct Scan<'a> {
    file: &'a SkillFile,
    value: &'a dyn Fn(PlaceholderKind, &str) -> Option<&'a str>,
    values: &'a Values,
    /// A placeholder took what the person typed.
    replaced: bool,
    /// A backslash before a placeholder is an escape.
    escapes: bool,
}

/// A part of a text that holds placeholders.
enum Part<'a> {
    Source(&'a str),
    Value(&'a Placeholder, &'a str),
}

impl<'a> Scan<'a> {
    /// The parts of a range of the file.
    fn parts(&mut self, range: TextRange) -> Vec<Part<'a>> {
        let placeholders = &self.file.markdown().placeholders;
        let first = placeholders.partition_point(|it| it.range.start() < range.start());
        let mut parts = Vec::new();
        let mut at = range.start();
        for placeholder in placeholders[first..]
            .iter()
            .take_while(|it| it.range.end() <= range.end())
        {
            let source = self.file.slice(placeholder.range);
            if placeholder.is_escaped {
                let start = placeholder.range.start() - length(1);
                if self.escapes && placeholder.kind != PlaceholderKind::Undeclared && start >= at {
                    parts.push(Part::Source(self.file.slice(TextRange::new(at, start))));
                    at = placeholder.range.start();
                }
                continue;
            }
            if let Some(value) = (self.value)(placeholder.kind, source) {
                parts.push(Part::Source(
                    self.file.slice(TextRange::new(at, placeholder.range.start())),
                ));
                parts.push(Part::Value(placeholder, value));
                self.replaced |= placeholder.kind != PlaceholderKind::Variable;
                at = placeholder.range.end();
            }
        }
        parts.push(Part::Source(self.file.slice(TextRange::new(at, range.end()))));
        parts
    }

    fn text(&mut self, range: TextRange) -> String {
        let parts = self.parts(range);
        let text = parts.iter().map(|part| match part {
            Part::Source(text) | Part::Value(_, text) => *text,
        });
        text.collect()
    }

    fn command(&mut self, command: &Command, language: Language) -> ShellCommand {
        let mut shown = String::new();
        let mut writer = shell::Writer::new(language);
        for part in self.parts(command.text) {
            match part {
                Part::Source(text) => {
                    shown.push_str(text);
                    writer.source(text);
                }
                Part::Value(placeholder, value) => {
                    shown.push_str(value);
                    let source = self.file.slice(placeholder.range);
                    match placeholder.kind {
                        PlaceholderKind::Arguments => writer.words(source, value, &self.values.words),
                        PlaceholderKind::Variable => writer.value(source, source.trim_matches(['$', '{', '}']), value),
                        PlaceholderKind::Index(index) => {
                            writer.value(source, &format!("SKILL_ARGUMENT_{index}"), value)
                        }
                        PlaceholderKind::Named(index) => {
                            writer.value(source, &format!("SKILL_ARGUMENT_{index}"), value)
                        }
                        PlaceholderKind::Input(index) => writer.value(source, &format!("SKILL_INPUT_{index}"), value),
                        PlaceholderKind::Undeclared => writer.source(source),
                    }
                }
            }
        }
        ShellCommand {
            range: command.range,
            form: command.form,
            shown,
            script: writer.finish(),
        }
    }
}

/// Adds text to the text before it.
fn add(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Offsets of a file fit: a text has 4 GiB at most.
fn length(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or_default()
}
