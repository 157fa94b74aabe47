//! `unusable-argument`

use crate::{
    arguments::{Argument, MOST_ARGUMENTS, declared, too_many},
    facts::Facts,
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// A declared name that nothing in the body can stand for.
pub(super) const RULE: Rule = Rule {
    code: "unusable-argument",
    summary: "a name under `arguments` that can't follow `$`",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("unusable_argument.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let names = declared(file);
    if let Some(range) = too_many(file) {
        let message = format!("more than {MOST_ARGUMENTS} arguments; combine some");
        report.add(range, message);
        return;
    }
    for (index, argument) in names.iter().enumerate() {
        if let Some(message) = fault(argument, &names[..index]) {
            report.add(argument.range, message);
        }
    }
}

/// What is wrong with a name, behind those that were declared before it.
pub(super) fn fault(argument: &Argument, before: &[Argument]) -> Option<String> {
    let name = argument.name.as_str();
    let is_known = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    Some(match name {
        "ARGUMENTS" => "`$ARGUMENTS` is all that is typed; choose another name".to_owned(),
        "" => "an argument needs a name".to_owned(),
        _ if name.starts_with('$') => "write the name without `$` here".to_owned(),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("`${name}` means argument number {name}; start the name with a letter")
        }
        _ if !name.chars().all(is_known) => {
            format!("invalid name `{name}`; use letters, digits, `_` and `-`")
        }
        _ if before.iter().any(|it| it.name == name) => {
            format!("duplicate argument `{name}`")
        }
        _ => return None,
    })
}
