//! `trailing-blanks`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{SkillFile, lines},
};

/// Spaces at the end of a line that mean nothing.
pub(super) const RULE: Rule = Rule {
    code: "trailing-blanks",
    summary: "spaces at the end of a line",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: FileKind::TEXTS,
    documentation: include_str!("trailing_blanks.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let code = &file.markdown().code_blocks;
    for line in lines(&file.text, file.body.range) {
        let text = line.text(&file.text);
        let kept = text.trim_end_matches([' ', '\t']);
        // Two spaces or more break a line of prose.
        let is_break = !kept.trim().is_empty() && text[kept.len()..].starts_with("  ");
        let is_code = || {
            let first_behind = code.partition_point(|block| block.range.start() <= line.range.start());
            code[..first_behind]
                .last()
                .is_some_and(|block| block.range.contains_range(line.range))
        };
        if kept.len() == text.len() || is_break || is_code() {
            continue;
        }
        let range = TextRange::new(line.range.start() + TextSize::of(kept), line.range.end());
        report
            .add(range, "trailing spaces")
            .fix(Fix::unsafe_("Remove trailing spaces", vec![Edit::delete(range)]));
    }
}
