//! `command-not-run`

use crate::{
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Fate, Report, Rule, Severity},
    syntax::{CommandForm, SkillFile},
};

/// A command that the reader leaves as it stands.
pub(super) const RULE: Rule = Rule {
    code: "command-not-run",
    summary: "`!` before a command without a space in front, so it does not run",
    outcome: |reader| reader.policy().command_in_code,
    documentation: include_str!("command_not_run.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    if memchr::memmem::find(body.as_bytes(), b"!`").is_none() {
        return;
    }
    for command in &file.markdown().commands {
        let before = file.text[..usize::from(command.range.start())].chars().next_back();
        // Behind a word it is an exclamation.
        let is_meant = before.is_some_and(|c| matches!(c, '=' | ':' | '(' | '[' | '"' | '\'' | '*' | '-' | '>'));
        if command.form == CommandForm::Inline && command.guard.is_none() && !facts.dialect.runs(command) && is_meant {
            let message = "this is no command: `!` starts one only after a space";
            let edit = Edit::insert(command.range.start(), " ");
            report
                .add_at(report.severity.max(Severity::Information), command.range, message)
                .affects_all(facts, Fate::NotRun, [facts.dialect])
                .fix(Fix::unsafe_("Put a space before it", vec![edit]));
        }
    }
}
