//! `unknown-tool-reference`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, nearest},
    syntax::{SkillFile, range_of},
    vocabulary::VSCODE_TOOLS,
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
    if facts.dialect != Dialect::Unified && !facts.is_read_by(Dialect::VsCode) {
        return;
    }
    let (body, base) = (file.slice(file.body.range), usize::from(file.body.range.start()));
    for at in memchr::memmem::find_iter(body.as_bytes(), MARK.as_bytes()) {
        let rest = &body[at + MARK.len()..];
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-'));
        let name = &rest[..rest.find(is_end).unwrap_or(rest.len()).min(LONGEST)];
        let Some(meant) = nearest(name, names()).filter(|_| !names().any(|known| known == name)) else {
            continue;
        };
        let range = range_of(base + at + MARK.len(), base + at + MARK.len() + name.len());
        let message = format!("VS Code has no tool `{name}`; did you mean `{meant}`?");
        let edit = Edit::replace(range, meant);
        report
            .add(range, message)
            .fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
    }
}

const MARK: &str = "#tool:";

/// Nobody means a tool with a longer name.
const LONGEST: usize = 64;

/// The tools by their whole names, and without their sets.
fn names() -> impl Iterator<Item = &'static str> {
    let short = VSCODE_TOOLS.iter().filter_map(|name| Some(name.split_once('/')?.1));
    VSCODE_TOOLS.iter().copied().chain(short)
}
