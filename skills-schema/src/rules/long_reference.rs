//! `long-reference`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, ReferenceKind},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// A long reference without a table of contents.
pub(super) const RULE: Rule = Rule {
    code: "long-reference",
    summary: "a long reference without a table of contents",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("long_reference.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    for reference in report
        .references(file)
        .iter()
        .filter(|it| it.kind == ReferenceKind::Link)
    {
        let Found::Here(entry) = folder.find(&reference.path) else {
            continue;
        };
        if let Some(outline) = entry
            .outline
            .as_ref()
            .filter(|it| it.lines > MAX_LINES && !it.has_contents)
        {
            let message = format!(
                "`{}` has {} lines; add a table of contents at the top",
                reference.path, outline.lines
            );
            report.add(reference.range, message);
        }
    }
}

/// The longest reference without a table of contents, in lines.
const MAX_LINES: usize = 300;
