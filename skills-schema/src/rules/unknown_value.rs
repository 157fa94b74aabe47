//! `unknown-value`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fields::Field,
    fixes::{Edit, Fix},
    rules::{Report, Rule, field, nearest, where_read},
    syntax::SkillFile,
};

/// A model or an agent that the reader does not know.
pub(super) const RULE: Rule = Rule {
    code: "unknown-value",
    summary: "an unknown model or agent",
    outcome: |reader| where_read(reader, "model", Outcome::Recovers),
    documentation: include_str!("unknown_value.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for (name, is_known, hint) in VALUES {
        let Some((field, scalar)) = field(file, facts, name).and_then(|entry| {
            let scalar = entry.value.as_scalar().filter(|it| !it.is_null())?;
            Some((Field::at_path([*name])?, scalar))
        }) else {
            continue;
        };
        let value = scalar.value.trim();
        let words: Vec<&str> = field.choices().map(|(word, _)| word).collect();
        if value.is_empty() || words.contains(&value) {
            continue;
        }
        // An agent `explorer` may well exist; `explore` is a slip.
        let is_slip = |near: &&str| !is_known(value) || near.eq_ignore_ascii_case(value);
        let near = named(value, &words).or_else(|| nearest(value, words).filter(is_slip));
        // Our own reading leaves the names of other models and agents to whoever runs them.
        if near.is_none() && (is_known(value) || facts.dialect == Dialect::Unified) || value.contains("claude") {
            continue;
        }
        let way_out = near.map_or_else(|| (*hint).to_owned(), |near| format!("did you mean `{near}`?"));
        let message = format!("unknown {name} `{value}`; {way_out}");
        let finding = report.add(scalar.range, message);
        if let Some(near) = near {
            let edit = Edit::replace(scalar.range, near);
            finding.fix(Fix::unsafe_(format!("Change to `{near}`"), vec![edit]));
        }
    }
}

/// A field, whether its value may exist although it is no word of the table, and what to write.
type Row = (&'static str, fn(&str) -> bool, &'static str);

const VALUES: &[Row] = &[
    (
        "model",
        // The names of gateways and clouds.
        |value| value.contains(['/', ':', '@']),
        "use an alias such as `sonnet` or a full name",
    ),
    (
        "agent",
        |value| !value.contains(char::is_whitespace),
        "use one such as `general-purpose`",
    ),
];

/// The alias that a text such as `Claude Sonnet 4` speaks of.
fn named<'a>(value: &str, words: &[&'a str]) -> Option<&'a str> {
    let value = value.to_lowercase();
    let mut parts = value.split_whitespace();
    let is_several = value.contains(char::is_whitespace);
    parts.find_map(|part| words.iter().copied().find(|word| is_several && *word == part))
}
