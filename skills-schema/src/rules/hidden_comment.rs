//! `hidden-comment`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// Text that a model reads and a person does not see.
pub(super) const RULE: Rule = Rule {
    code: "hidden-comment",
    summary: "instructions in an HTML comment",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("hidden_comment.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    if memchr::memmem::find(body.as_bytes(), b"<!--").is_none() {
        return;
    }
    for range in &file.markdown().comments {
        let words = file
            .slice(*range)
            .trim_start_matches("<!--")
            .trim_end_matches("-->")
            .split_whitespace();
        if words.take(MANY_WORDS).count() == MANY_WORDS {
            report.add(
                *range,
                "this comment instructs the model, but people don't see it; write it as text",
            );
        }
    }
}

/// Fewer are a switch for some tool.
const MANY_WORDS: usize = 5;
