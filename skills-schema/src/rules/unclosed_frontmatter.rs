//! `unclosed-frontmatter`

use text_size::{TextRange, TextSize};

use crate::{
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{SkillFile, lines},
};

/// Frontmatter without a closing `---`.
pub(super) const RULE: Rule = Rule {
    code: "unclosed-frontmatter",
    summary: "frontmatter without a closing `---`",
    outcome: |reader| reader.policy().unclosed,
    kinds: FileKind::WITH_FRONTMATTER,
    documentation: include_str!("unclosed_frontmatter.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(frontmatter) = file.frontmatter.as_ref().filter(|it| it.close.is_none()) else {
        return;
    };
    // A file that is always in the context may start with a thematic break.
    if facts.kind == FileKind::AlwaysOn {
        return;
    }
    let text = &*file.text;
    let message = "unclosed frontmatter; end it with a `---` line";
    let finding = report.add(frontmatter.open, message);
    let end = frontmatter.content.end();
    let next = lines(text, TextRange::new(end, TextSize::of(text))).next();
    let edit = match next {
        Some(line) if line.text(text).trim_end() == "..." => Edit::replace(line.range, "---"),
        _ if text[..usize::from(end)].ends_with(['\n', '\r']) => Edit::insert(end, "---\n"),
        _ => Edit::insert(end, "\n---\n"),
    };
    finding.fix(Fix::unsafe_("Close the frontmatter", vec![edit]));
}
