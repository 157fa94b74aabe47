//! `hidden-characters`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    hidden::{Kind, name, runs, spelled},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// Characters that a model reads and a person does not see.
pub(super) const RULE: Rule = Rule {
    code: "hidden-characters",
    summary: "invisible characters that the model reads and people don't see",
    outcome: |_| Outcome::Recovers,
    kinds: FileKind::TEXTS,
    documentation: include_str!("hidden_characters.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    for run in runs(&file.text) {
        if report.is_full() {
            return;
        }
        // YAML says so itself.
        let is_told = || file.errors().iter().any(|error| error.range.contains_range(run.range));
        if run.kind == Kind::Control && is_told() {
            continue;
        }
        let hidden = file.slice(run.range);
        // Put there so that a fence may be shown inside of another.
        let rest = &file.text[usize::from(run.range.end())..];
        if run.kind == Kind::Blank && (rest.starts_with("```") || rest.starts_with("~~~")) {
            continue;
        }
        let finding = report.add(run.range, message(hidden, run.kind));
        let (title, edits) = ("Remove invisible characters", vec![Edit::delete(run.range)]);
        // What some readers repair in broken frontmatter depends on every character.
        let is_broken = !file.errors().is_empty() && !file.body.range.contains_range(run.range);
        // Text in another direction is shown in another order without them.
        finding.fix(match run.kind {
            _ if is_broken => Fix::unsafe_(title, edits),
            // What a terminal was told with them stays behind as text.
            Kind::Direction | Kind::Control => Fix::unsafe_(title, edits),
            Kind::Blank | Kind::Tag => Fix::safe(title, edits),
        });
    }
}

fn message(hidden_text: &str, kind: Kind) -> String {
    let count = hidden_text.chars().count();
    let first = hidden_text.chars().next().unwrap_or_default();
    let name = name(first);
    let what = match count {
        1 => format!("invisible character ({name}, U+{:04X})", u32::from(first)),
        _ => format!(
            "{count} invisible characters (first: {name}, U+{:04X})",
            u32::from(first)
        ),
    };
    match kind {
        Kind::Blank => format!("{what}; remove it"),
        Kind::Direction => format!("{what} reorders the text on screen"),
        Kind::Control => format!("{what} controls the terminal"),
        Kind::Tag => format!("{what} spell \"{}\" to the model", spelled(hidden_text)),
    }
}
