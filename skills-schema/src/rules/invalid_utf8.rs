//! `invalid-utf8`

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    rules::{Report, Rule},
    syntax::SkillFile,
};

/// A file whose bytes are no UTF-8.
pub(super) const RULE: Rule = Rule {
    code: "invalid-utf8",
    summary: "bytes that are not UTF-8",
    outcome: |reader| reader.policy().invalid_utf8,
    kinds: FileKind::TEXTS,
    documentation: include_str!("invalid_utf8.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if !facts.invalid_utf8 {
        return;
    }
    // The first replacement stands for the first bad byte, unless the text had one of its own before.
    let start = file.text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
    let length = file.text[start..].chars().next().map_or(0, char::len_utf8);
    let bound = |offset| TextSize::try_from(offset).unwrap_or_default();
    let range = TextRange::new(bound(start), bound(start + length));
    report
        .add(range, "not UTF-8; save the file as UTF-8")
        .dropped(facts, RULE.outcome);
}
