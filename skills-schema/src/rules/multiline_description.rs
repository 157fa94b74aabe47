//! `multiline-description`

use crate::{
    dialect::{Dialect, Outcome, titles},
    facts::Facts,
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A description of several lines.
pub(super) const RULE: Rule = Rule {
    code: "multiline-description",
    summary: "a description over several lines",
    outcome: |reader| reader.policy().multiline_description,
    default_off: true,
    documentation: include_str!("multiline_description.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(text) = field(file, facts, "description").and_then(|entry| entry.value.as_scalar()) else {
        return;
    };
    if !text.value.trim_end().contains('\n') {
        return;
    }
    let forbids = |it: &Dialect| it.reader().is_program && it.policy().multiline_description != Outcome::Fine;
    let readers = titles(Dialect::ALL.into_iter().filter(forbids));
    let message = format!("{readers} can't package a description of several lines; write one");
    let words: Vec<&str> = text.value.split_whitespace().collect();
    let edits = vec![Edit::replace(text.range, scalar(&words.join(" ")))];
    let fix = Fix::unsafe_("Write it on one line", edits);
    report.add(text.range, message).fix(fix);
}
