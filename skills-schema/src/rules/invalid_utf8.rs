//! `invalid-utf8`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// A file whose bytes are no UTF-8.
pub(super) struct InvalidUtf8;

impl Rule for InvalidUtf8 {
    fn code(&self) -> &'static str {
        "invalid-utf8"
    }

    fn summary(&self) -> &'static str {
        "the file must be UTF-8"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_utf8
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::TEXTS
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let severity = facts.severity(|policy| self.outcome(policy));
        let (true, Some(severity)) = (facts.invalid_utf8, severity) else {
            return;
        };
        // The first replacement stands for the first bad byte, unless the text had one of its own before.
        let start = file.text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
        let length = file.text[start..].chars().next().map_or(0, char::len_utf8);
        let bound = |offset| TextSize::try_from(offset).unwrap_or_default();
        let range = TextRange::new(bound(start), bound(start + length));
        let droppers = Facts::droppers(|policy| self.outcome(policy));
        report.add(
            severity,
            range,
            format!("this is no UTF-8; save the file as UTF-8 ({droppers} drop it)"),
        );
    }

    fn documentation(&self) -> &'static str {
        include_str!("invalid_utf8.md")
    }
}
