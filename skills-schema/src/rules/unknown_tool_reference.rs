//! `unknown-tool-reference`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, nearest},
    syntax::{SkillFile, range_of},
};

/// `#tool:name` that looks misspelt.
pub(super) const RULE: Rule = Rule {
    code: "unknown-tool-reference",
    summary: "an unknown tool behind `#tool:`",
    outcome: |_| Outcome::Doubts,
    documentation: include_str!("unknown_tool_reference.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let (body, base) = (file.slice(file.body.range), usize::from(file.body.range.start()));
    for reader in Dialect::ALL {
        let tools = reader.reader().tool_references;
        let is_meant = facts.dialect == Dialect::Unified || facts.is_read_by(reader);
        if tools.is_empty() || !is_meant {
            continue;
        }
        // By their whole names, and without their sets.
        let short = tools.iter().filter_map(|name| Some(name.split_once('/')?.1));
        let names = || tools.iter().copied().chain(short.clone());
        for at in memchr::memmem::find_iter(body.as_bytes(), MARK.as_bytes()) {
            let rest = &body[at + MARK.len()..];
            let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-'));
            let name = &rest[..rest.find(is_end).unwrap_or(rest.len()).min(LONGEST)];
            let Some(meant) = nearest(name, names()).filter(|_| !names().any(|known| known == name)) else {
                continue;
            };
            let range = range_of(base + at + MARK.len(), base + at + MARK.len() + name.len());
            let message = format!("{} has no tool `{name}`; did you mean `{meant}`?", reader.title());
            let edit = Edit::replace(range, meant);
            report
                .add(range, message)
                .fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
        }
    }
}

const MARK: &str = "#tool:";

/// Nobody means a tool with a longer name.
const LONGEST: usize = 64;
