//! `missing-space-after-colon`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    rules::{Report, Rule, syntax_finding},
    syntax::{SkillFile, Style, SyntaxErrorKind},
};

/// `name:foo`, which YAML reads as one word.
pub(super) struct MissingSpaceAfterColon;

impl Rule for MissingSpaceAfterColon {
    fn code(&self) -> &'static str {
        "missing-space-after-colon"
    }

    fn summary(&self) -> &'static str {
        "a key needs a space after its colon"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.invalid_yaml
    }

    fn kinds(&self) -> &'static [FileKind] {
        FileKind::WITH_FRONTMATTER
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let errors = file
            .errors()
            .iter()
            .filter(|error| error.kind == SyntaxErrorKind::MissingSpace);
        for error in errors {
            syntax_finding(self, file, facts, error, report);
        }
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        // `description:Use when: x` is YAML, with a key that nobody meant.
        for entry in file.entries() {
            let Some((key, _)) = entry.key.value.split_once(':') else {
                continue;
            };
            if entry.key.style == Style::Plain && Field::find(FIELDS, key).is_some() {
                let at = entry.key.range.start() + TextSize::of(key);
                let range = TextRange::new(entry.key.range.start(), at + TextSize::of(':'));
                report.add(severity, range, format!("YAML needs a space after `{key}:`"));
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("missing_space_after_colon.md")
    }
}
