//! `hidden-comment`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// Text that a model reads and a person does not see.
pub(super) struct HiddenComment;

impl Rule for HiddenComment {
    fn code(&self) -> &'static str {
        "hidden-comment"
    }

    fn summary(&self) -> &'static str {
        "instructions stand where a person sees them"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
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
                    severity,
                    *range,
                    "a preview does not show this comment, and a model reads it; write it as text",
                );
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("hidden_comment.md")
    }
}

/// Fewer are a switch for some tool.
const MANY_WORDS: usize = 5;
