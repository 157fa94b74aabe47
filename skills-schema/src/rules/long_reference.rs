//! `long-reference`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Found, ReferenceKind},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// A long reference without a table of contents.
pub(super) const RULE: Rule = Rule {
    code: "long-reference",
    summary: "a long reference without a table of contents",
    outcome: |_| Outcome::Tolerates,
    needs: Needs::Folder,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("long_reference.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(folder) = facts.around.folder else {
        return;
    };
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
