//! `undeclared-argument`

use crate::{
    arguments::{Argument, declared},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, unknown_field::distance},
    syntax::{PlaceholderKind, SkillFile},
};

/// `$name` that `arguments` does not declare.
pub(super) const RULE: Rule = Rule {
    code: "undeclared-argument",
    summary: "a name behind `$` is declared under `arguments`",
    outcome: |policy| policy.argument_mismatch,
    documentation: include_str!("undeclared_argument.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let names = declared(file);
    if names.is_empty() {
        return;
    }
    let tree = file.markdown();
    let undeclared = |kind| kind == PlaceholderKind::Undeclared;
    for placeholder in tree.placeholders.iter().filter(|it| undeclared(it.kind)) {
        let name = &file.slice(placeholder.range)[1..];
        let near = near(name, &names);
        // `$HOME` is the shell's, and so is most that stands in code.
        let is_shell = name.contains(|c: char| c.is_ascii_uppercase()) || tree.in_code(placeholder.range.start());
        if placeholder.is_escaped || (is_shell && near.is_none()) {
            continue;
        }
        let way_out = match near {
            Some(near) => format!("did you mean `${near}`?"),
            None => format!("add it to `arguments`, or write `\\${name}`"),
        };
        let message = format!("`{name}` is no declared argument and stays as it is: {way_out}");
        let finding = report.add(placeholder.range, message);
        if let Some(near) = near {
            let edit = Edit::replace(placeholder.range, format!("${near}"));
            finding.fix(Fix::unsafe_(format!("Write `${near}`"), vec![edit]));
        }
    }
}

/// The declared name that was most likely meant.
fn near<'a>(name: &str, names: &'a [Argument]) -> Option<&'a str> {
    let most = if name.len() < 6 { 1 } else { 2 };
    names
        .iter()
        .filter(|it| name.len() > 3 && it.name.len().abs_diff(name.len()) <= most && it.name.len() <= 40)
        .map(|it| (distance(name, &it.name), it.name.as_str()))
        .filter(|(distance, _)| (1..=most).contains(distance))
        .min()
        .map(|(_, name)| name)
}
