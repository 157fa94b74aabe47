//! `command-in-code`

use text_size::TextSize;

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Fate, Report, Rule, Severity},
    syntax::{Command, CommandForm, Guard, SkillFile},
};

/// A command that is meant as an example and run.
pub(super) const RULE: Rule = Rule {
    code: "command-in-code",
    summary: "a command in code or a comment that still runs",
    outcome: |reader| reader.policy().command_in_code.max(Outcome::Recovers),
    documentation: include_str!("command_in_code.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let readers = facts.readers.iter().copied().filter(|it| *it != facts.dialect);
    let runners: Vec<Dialect> = std::iter::once(facts.dialect)
        .chain(readers)
        .filter(|it| it.policy().command_in_code != Outcome::Fine)
        .collect();
    if runners.is_empty() {
        return;
    }
    // The tree of the body is made only where there may be a command.
    if !["!`", "```!"].iter().any(|it| file.slice(file.body.range).contains(it)) {
        return;
    }
    for command in &file.markdown().commands {
        if report.is_full() {
            return;
        }
        let runs: Vec<Dialect> = runners.iter().copied().filter(|it| it.runs(command)).collect();
        let Some(&first) = runs.first() else { continue };
        // Prose between two pieces of code: `ensure!` and `assert!`. Few run it, and there is no other way to write it.
        if first != facts.dialect && ends_in_code(file, command) {
            continue;
        }
        if let Some(guard) = command.guard {
            // What is no example to the file's own reader may be run by another one of the folder.
            let own = facts.dialect.policy().command_in_code.severity();
            let own = own.filter(|_| first == facts.dialect);
            let severity = own.unwrap_or(Severity::Hint);
            let (way_out, fix) = way_out(command, &runs);
            let message = format!("{} does not stop this command from running; {way_out}", guard.title());
            let finding = report.add_at(severity, command.range, message);
            finding.affects_all(facts, Fate::Run, runs);
            finding.affects_all(facts, Fate::NotRun, protected(command));
            finding.fixes.extend(fix);
        }
    }
}

/// Whether the `!` is the last character of a piece of code inside a line, whose end is the command's first backtick.
fn ends_in_code(file: &SkillFile, command: &Command) -> bool {
    let spans = &file.markdown().code_spans;
    let start = command.range.start();
    let before = spans.partition_point(|span| span.range.start() < start);
    let span = spans[..before].last();
    command.guard == Some(Guard::CodeSpan) && span.is_some_and(|span| span.range.end() == start + TextSize::of("!`"))
}

/// What keeps all of these readers from running a command, in words and as an edit.
fn way_out(command: &Command, runs: &[Dialect]) -> (String, Option<Fix>) {
    let escape = runs.first().and_then(|first| first.policy().command_escape);
    let knows = |reader: &Dialect| reader.policy().command_escape == escape;
    match (escape.filter(|_| runs.iter().all(knows)), command.form) {
        (Some(escape), _) => {
            let edit = Edit::insert(command.range.start(), escape);
            let fix = Fix::unsafe_("Escape with a backslash", vec![edit]);
            (format!("write `{escape}!`"), Some(fix))
        }
        (None, CommandForm::Inline) => {
            let edit = Edit::insert(command.range.start() + TextSize::of('!'), " ");
            let fix = Fix::unsafe_("Put a space after the `!`", vec![edit]);
            ("put a space after `!`".to_owned(), Some(fix))
        }
        (None, CommandForm::Block) => ("put something before the `!`".to_owned(), None),
    }
}

/// The readers that run commands, and not this one where it stands.
fn protected(command: &Command) -> impl Iterator<Item = Dialect> {
    let runs_some =
        |reader: Dialect| reader.policy().command_in_code != Outcome::Fine || reader.policy().command_escape.is_some();
    Dialect::ALL
        .into_iter()
        .filter(move |it| runs_some(*it) && !it.runs(command))
}
