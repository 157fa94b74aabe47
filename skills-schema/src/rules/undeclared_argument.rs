//! `undeclared-argument`

use std::collections::HashSet;

use text_size::TextRange;

use crate::{
    arguments::{Argument, declared, too_many},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, distance},
    syntax::{PlaceholderKind, SkillFile, range_of},
};

/// `$name` that `arguments` does not declare.
pub(super) const RULE: Rule = Rule {
    code: "undeclared-argument",
    summary: "`$name` that `arguments` does not declare",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("undeclared_argument.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let names = declared(file);
    if names.is_empty() || too_many(file).is_some() {
        return;
    }
    let tree = file.markdown();
    let undeclared = |kind| kind == PlaceholderKind::Undeclared;
    for placeholder in tree.placeholders.iter().filter(|it| undeclared(it.kind)) {
        if report.is_full() {
            return;
        }
        let name = &file.slice(placeholder.range)[1..];
        let near = near(name, &names);
        // `$HOME` is the shell's, and so is most that stands in code.
        let is_shell = name.contains(|c: char| c.is_ascii_uppercase()) || tree.in_code(placeholder.range.start());
        if placeholder.is_escaped || (is_shell && near.is_none()) {
            continue;
        }
        let way_out = match near {
            Some(near) => format!("did you mean `${near}`?"),
            None => format!("declare it, or write `\\${name}`"),
        };
        let message = format!("undeclared argument `{name}` is not replaced; {way_out}");
        let finding = report.add(placeholder.range, message);
        if let Some(near) = near {
            let edit = Edit::replace(placeholder.range, format!("${near}"));
            finding.fix(Fix::unsafe_(format!("Write `${near}`"), vec![edit]));
        }
    }
    let assigned = assigned(file);
    for (range, name) in braced(file) {
        if report.is_full() {
            return;
        }
        let index = names.iter().position(|it| it.name == name);
        // A script's own variable is written in the same way.
        let is_script = match index {
            Some(_) => assigned.contains(name),
            None => tree.in_code(range.start()),
        };
        let meant = index
            .map(|index| names[index].name.as_str())
            .or_else(|| near(name, &names));
        let at = tree.placeholders.partition_point(|it| it.range.start() < range.start());
        let is_placeholder = tree.placeholders.get(at).is_some_and(|it| it.range == range);
        let Some(meant) = meant.filter(|_| !is_script && !is_placeholder) else {
            continue;
        };
        // Directly before a letter the name would be another one.
        let is_joined = file.text[usize::from(range.end())..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let index = names.iter().position(|it| it.name == meant).filter(|_| is_joined);
        let text = index.map_or(format!("${meant}"), |index| format!("$ARGUMENTS[{index}]"));
        let message = format!("`${{{name}}}` is not replaced; write `{text}`");
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

/// The names before a `=`, as scripts and options have them.
fn assigned(file: &SkillFile) -> HashSet<&str> {
    let body = file.slice(file.body.range);
    let is_part = |c: char| c.is_alphanumeric() || "_-".contains(c);
    let names = memchr::memchr_iter(b'=', body.as_bytes()).map(|at| {
        let before = &body[..at];
        before[before.trim_end_matches(is_part).len()..].trim_start_matches('-')
    });
    names.collect()
}

/// The declared name that was most likely meant.
fn near<'a>(name: &str, names: &'a [Argument]) -> Option<&'a str> {
    let most = if name.len() < 6 { 1 } else { 2 };
    names
        .iter()
        .filter(|it| name.len() > 3 && it.name.len().abs_diff(name.len()) <= most && it.name.len() <= 40)
        .filter_map(|it| Some((distance(name, &it.name, most)?, it.name.as_str())))
        .filter(|(distance, _)| *distance > 0)
        .min()
        .map(|(_, name)| name)
}
