//! Placeholders and commands in words.

use text_size::TextSize;

use super::Hover;
use crate::{
    arguments,
    dialect::{Dialect, titles},
    facts::Facts,
    reader::runtime::Positional,
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
    let arguments = facts.dialect.runtime().arguments;
    if let Some(scheme) = arguments.positional
        && let Some(meaning) = counted(scheme, facts.dialect.title(), written)
    {
        return meaning;
    }
    if !is_input && !arguments.are_replaced {
        let title = facts.dialect.title();
        let others = titles(Dialect::ALL.into_iter().filter(|it| it.fills_placeholders()));
        return format!("Stays `{written}`: {title} does not replace it; {others} would.");
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
                || format!("`{name}` is no variable that is documented."),
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

/// What stands in the place of an argument where they are counted from 1; `None` where nothing does.
fn counted(scheme: Positional, reader: &str, written: &str) -> Option<String> {
    let placeholder = written.strip_prefix('$')?;
    if placeholder == "ARGUMENTS" {
        return Some("All that is typed behind the skill's name.".to_owned());
    }
    Some(match (placeholder.parse::<usize>().ok()?, scheme.last_takes_rest) {
        (0, true) => format!("The word `undefined`: {reader} counts arguments from 1."),
        (0, false) => format!("Nothing: {reader} counts arguments from 1."),
        (number, true) => {
            format!("The argument number {number}, counted from 1. The highest number takes all that is left.")
        }
        (number, false) => format!("The argument number {number}, counted from 1."),
    })
}

fn effect(file: &SkillFile, command: &Command) -> String {
    let running = Dialect::ALL
        .into_iter()
        .filter(|dialect| dialect.reader().is_program && dialect.runs(command));
    // Who counts arguments runs commands where a person types the skill's name, not where a model loads the skill.
    let (by_person, always): (Vec<Dialect>, _) =
        running.partition(|dialect| dialect.runtime().arguments.positional.is_some());
    let mut when = Vec::new();
    if !always.is_empty() {
        when.push(format!("{} would run this when the skill is invoked", titles(always)));
    }
    if !by_person.is_empty() {
        let would = if when.is_empty() { " would run this" } else { "" };
        when.push(format!("{}{would} when a person invokes it by name", titles(by_person)));
    }
    let text = file.slice(command.text).trim();
    let fence = "`".repeat(longest_ticks(text).max(2) + 1);
    let who = if when.is_empty() {
        "No system runs this here.".to_owned()
    } else {
        format!("{}. The output takes its place.", when.join(", "))
    };
    let guard = command.guard.map_or(String::new(), |guard| {
        format!(
            "\n\nIt stands behind {}, which not every system follows.",
            guard.title()
        )
    });
    format!("{fence}sh\n{text}\n{fence}\n\n{who} Nothing runs by being looked at.{guard}")
}

/// The longest run of backticks.
fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
