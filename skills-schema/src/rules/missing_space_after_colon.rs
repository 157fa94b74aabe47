//! `missing-space-after-colon`

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    fields::{FIELDS, Field},
    rules::{Report, Rule, syntax_findings},
    syntax::{SkillFile, Style, SyntaxErrorKind},
};

/// `name:foo`, which YAML reads as one word.
pub(super) const RULE: Rule = Rule {
    code: "missing-space-after-colon",
    summary: "no space after the colon of a key",
    outcome: |reader| reader.policy().invalid_yaml,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("missing_space_after_colon.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    syntax_findings(&RULE, file, facts, |kind| kind == SyntaxErrorKind::MissingSpace, report);
    // `description:Use when: x` is YAML, with a key that nobody meant.
    for entry in file.entries() {
        let Some((key, _)) = entry.key.value.split_once(':') else {
            continue;
        };
        if entry.key.style == Style::Plain && Field::find(FIELDS, key).is_some() {
            let at = entry.key.range.start() + TextSize::of(key);
            let range = TextRange::new(entry.key.range.start(), at + TextSize::of(':'));
            report.add(range, format!("YAML needs a space after `{key}:`"));
        }
    }
}
