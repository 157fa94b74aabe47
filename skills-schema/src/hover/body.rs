//! Placeholders and commands in words.

use text_size::TextSize;

use super::Hover;
use crate::{
    arguments,
    dialect::Dialect,
    facts::Facts,
    syntax::{Command, Placeholder, PlaceholderKind, SkillFile},
    vocabulary::VARIABLES,
};

/// Explains the placeholder at a byte offset, else the command.
pub(super) fn hover(file: &SkillFile, facts: &Facts<'_>, offset: TextSize) -> Option<Hover> {
    let tree = file.markdown();
    let placeholder = tree.placeholders.iter().find(|it| it.range.contains_inclusive(offset));
    let command = || tree.commands.iter().find(|it| it.range.contains_inclusive(offset));
    match placeholder {
        Some(it) => Some(Hover {
            range: it.range,
            markdown: meaning(file, facts, it),
        }),
        None => command().map(|it| Hover {
            range: it.range,
            markdown: effect(file, it),
        }),
    }
}

fn meaning(file: &SkillFile, facts: &Facts<'_>, placeholder: &Placeholder) -> String {
    let written = file.slice(placeholder.range);
    if placeholder.is_escaped {
        return format!("Stays `{written}`, because of the backslash before it.");
    }
    let is_input = matches!(placeholder.kind, PlaceholderKind::Input(_));
    if !is_input && !facts.dialect.runtime().arguments.are_replaced {
        let title = facts.dialect.title();
        return format!("Stays `{written}`: {title} replaces nothing here; Claude Code would.");
    }
    let declared = arguments::declared(file);
    match placeholder.kind {
        PlaceholderKind::Arguments => "All that is typed behind the skill's name.".to_owned(),
        PlaceholderKind::Index(index) => match declared.get(index) {
            Some(argument) => format!("The argument `{}`, number {index} counted from 0.", argument.name),
            None => format!("The argument number {index}, counted from 0. Without one, `{written}` stays in the text."),
        },
        PlaceholderKind::Named(index) => {
            let name = declared.get(index).map_or("", |argument| &argument.name);
            format!("The argument `{name}`, number {index} counted from 0. Without one it is empty.")
        }
        PlaceholderKind::Undeclared => {
            format!("Stays `{written}`: it is not declared under `arguments`.")
        }
        PlaceholderKind::Variable => {
            let name = written.trim_start_matches("${").trim_end_matches('}');
            let known = VARIABLES.iter().find(|(variable, _)| *variable == name);
            known.map_or_else(
                || format!("`{name}` is no variable that Claude Code documents."),
                |(_, documentation)| (*documentation).to_owned(),
            )
        }
        PlaceholderKind::Input(index) => {
            let items = file.entry("inputs").map_or(&[][..], |entry| entry.value.items());
            let named = items
                .iter()
                .filter(|item| item.get("name").is_some_and(|it| it.as_scalar().is_some()));
            let about = named.skip(index).find_map(|item| item.get("description")?.as_str());
            let about = about.map_or(String::new(), |about| format!(" {about}"));
            format!(
                "What the person gives for this input.{about}\n\nOpenHands asks for it and leaves the text as it is."
            )
        }
    }
}

fn effect(file: &SkillFile, command: &Command) -> String {
    let readers: Vec<&str> = [Dialect::Claude, Dialect::OpenHands]
        .into_iter()
        .filter(|dialect| dialect.runs(command))
        .map(Dialect::title)
        .collect();
    let text = file.slice(command.text).trim();
    let fence = "`".repeat(longest_ticks(text).max(2) + 1);
    let who = if readers.is_empty() {
        "No system runs this here.".to_owned()
    } else {
        format!(
            "{} would run this when the skill is invoked, and put the output in its place.",
            readers.join(" and ")
        )
    };
    let guard = command.guard.map_or(String::new(), |guard| {
        format!("\n\nIt stands behind {}, which not every system heeds.", guard.title())
    });
    format!("{fence}sh\n{text}\n{fence}\n\n{who} Nothing runs by being looked at.{guard}")
}

/// The longest run of backticks.
fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
