//! `input-mismatch`

use crate::{
    arguments::{self, MOST_ARGUMENTS},
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, Tag, field, nearest, where_read},
    syntax::{SkillFile, range_of},
};

/// An input that is used and not declared, or declared and not used.
pub(super) const RULE: Rule = Rule {
    code: "input-mismatch",
    summary: "`${name}` that `inputs` does not declare, or the reverse",
    outcome: |reader| where_read(reader, "inputs", Outcome::Doubts),
    documentation: include_str!("input_mismatch.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if field(file, facts, "inputs").is_none() {
        return;
    }
    let inputs = arguments::inputs(file);
    let body = file.slice(file.body.range);
    for input in inputs
        .iter()
        .filter(|input| !input.name.is_empty() && !body.contains(&input.name))
    {
        let message = format!(
            "the body never uses `{0}`; write `${{{0}}}` where it belongs",
            input.name
        );
        report.add(input.range, message).tags.push(Tag::Unnecessary);
    }
    let base = usize::from(file.body.range.start());
    for (at, _) in body.match_indices("${") {
        if report.is_full() {
            return;
        }
        let rest = &body[at + 2..];
        let length = rest
            .bytes()
            .take_while(|it| it.is_ascii_alphanumeric() || *it == b'_')
            .count();
        let name = &rest[..length];
        // Capitals and code are the shell's.
        let is_input =
            rest[length..].starts_with('}') && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        let range = range_of(base + at, base + at + length + 3);
        if !is_input || inputs.iter().any(|it| it.name == name) || file.markdown().in_code(range.start()) {
            continue;
        }
        // Among so many a slip can't be told.
        let known = inputs.iter().map(|it| it.name.as_str());
        let near = nearest(name, known.filter(|_| inputs.len() < MOST_ARGUMENTS));
        let way_out = near.map_or_else(
            || "declare it under `inputs`".to_owned(),
            |near| format!("did you mean `${{{near}}}`?"),
        );
        let finding = report.add(range, format!("undeclared input `{name}`; {way_out}"));
        if let Some(near) = near {
            let edit = Edit::replace(range, format!("${{{near}}}"));
            finding.fix(Fix::unsafe_(format!("Write `${{{near}}}`"), vec![edit]));
        }
    }
}
