//! `undeclared-argument`

use text_size::TextRange;

use crate::{
    arguments::{Argument, declared},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, unknown_field::distance},
    syntax::{PlaceholderKind, SkillFile, range_of},
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
    for (range, name) in braced(file) {
        let index = names.iter().position(|it| it.name == name);
        // A script's own variable is written in the same way.
        let is_script = match index {
            Some(_) => file.slice(file.body.range).contains(&format!("{name}=")),
            None => tree.in_code(range.start()),
        };
        let meant = index
            .map(|index| names[index].name.as_str())
            .or_else(|| near(name, &names));
        let is_placeholder = tree.placeholders.iter().any(|it| it.range == range);
        let Some(meant) = meant.filter(|_| !is_script && !is_placeholder) else {
            continue;
        };
        // Directly before a letter the name would be another one.
        let is_joined = file.text[usize::from(range.end())..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let index = names.iter().position(|it| it.name == meant).filter(|_| is_joined);
        let text = index.map_or(format!("${meant}"), |index| format!("$ARGUMENTS[{index}]"));
        let message = format!("`${{{name}}}` stays as it is, braces and all: write `{text}`");
        let fix = Fix::unsafe_(format!("Write `{text}`"), vec![Edit::replace(range, text)]);
        report.add(range, message).fix(fix);
    }
}

/// What is written `${name}` in the body, and the name.
fn braced(file: &SkillFile) -> impl Iterator<Item = (TextRange, &str)> {
    let body = file.slice(file.body.range);
    let base = usize::from(file.body.range.start());
    memchr::memmem::find_iter(body.as_bytes(), b"${").filter_map(move |at| {
        let rest = &body[at + 2..];
        let is_part = |c: char| c.is_alphanumeric() || "_-".contains(c);
        let name = &rest[..rest.find(|c| !is_part(c))?];
        let is_name = !name.is_empty() && rest[name.len()..].starts_with('}') && !body[..at].ends_with('\\');
        is_name.then(|| (range_of(base + at, base + at + name.len() + 3), name))
    })
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
