//! `unbraced-variable`

use crate::{
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{
        Report, Rule,
        example::{is_in_data, is_in_table, line},
        nearest,
    },
    syntax::{SkillFile, range_of},
    vocabulary::VARIABLES,
};

/// A variable that stays as it stands.
pub(super) const RULE: Rule = Rule {
    code: "unbraced-variable",
    summary: "a variable without braces, which is not replaced",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("unbraced_variable.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let (body, base) = (file.slice(file.body.range), usize::from(file.body.range.start()));
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    for at in memchr::memmem::find_iter(body.as_bytes(), b"CLAUDE_") {
        let length = body[at..]
            .bytes()
            .take(LONGEST)
            .take_while(|it| it.is_ascii_alphanumeric() || *it == b'_')
            .count();
        let name = &body[at..at + length];
        let (range, found) = if body[..at].ends_with('$') {
            (
                range_of(base + at - 1, base + at + length),
                variables().find(|it| *it == name && *it != OF_HOOKS),
            )
        } else if body[..at].ends_with("${")
            && body[at + length..].starts_with('}')
            && !variables().any(|it| it == name)
        {
            (
                range_of(base + at - 2, base + at + length + 1),
                nearest(name, variables()),
            )
        } else {
            continue;
        };
        // What a table lists or a configuration holds is not run here.
        let found = found.filter(|_| !is_in_table(file, range) && !is_in_data(file, range));
        // Without a path behind it a text speaks of the variable, or a script asks whether it is set.
        let behind = body[at + length..].trim_start_matches(['"', '\'']);
        let found = found.filter(|_| body[..at].ends_with('{') || behind.starts_with(['/', '\\']));
        // Whoever writes both in one line tells them apart.
        let found = found.filter(|it| !line(file, range.start()).contains(&format!("{{{it}}}")));
        let Some(found) = found else { continue };
        let message = format!("`{}` is not replaced; write `${{{found}}}`", file.slice(range));
        let edit = Edit::replace(range, format!("${{{found}}}"));
        report
            .add(range, message)
            .fix(Fix::unsafe_(format!("Write `${{{found}}}`"), vec![edit]));
    }
}

/// Nobody means a variable with a longer name.
const LONGEST: usize = 64;

/// A variable that hooks have in their environment too, where it needs no braces.
const OF_HOOKS: &str = "CLAUDE_PROJECT_DIR";

fn variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|(name, _)| *name)
}
