//! `markup-in-metadata`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field},
    syntax::SkillFile,
};

/// A tag in the name or the description.
pub(super) const RULE: Rule = Rule {
    code: "markup-in-metadata",
    summary: "a description is plain text",
    outcome: |_| Outcome::Tolerates,
    documentation: include_str!("markup_in_metadata.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for name in ["name", "description"] {
        let Some(scalar) = field(file, facts, name).and_then(|entry| entry.value.as_scalar()) else {
            continue;
        };
        if let Some((start, end)) = tag(&scalar.value) {
            let range = scalar.part(&file.text, start..end);
            let message = format!(
                "an upload to claude.ai or the Skills API is refused with a tag in `{name}`; write it in words"
            );
            report.add(range, message);
        }
    }
}

/// The first tag of a text.
fn tag(text: &str) -> Option<(usize, usize)> {
    text.match_indices('<').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let is_tag = rest
            .trim_start_matches('/')
            .starts_with(|c: char| c.is_ascii_alphabetic());
        let length = rest.find(['>', '<', '\n'])?;
        (is_tag && rest[length..].starts_with('>')).then_some((at, at + length + 2))
    })
}
