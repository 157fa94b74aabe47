//! `duplicate-import`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Reference, ReferenceKind},
    rules::{Report, Rule, Tag},
    syntax::SkillFile,
};

/// The same `@` import twice.
pub(super) const RULE: Rule = Rule {
    code: "duplicate-import",
    summary: "a file is imported once",
    outcome: |_| Outcome::Tolerates,
    kinds: &[FileKind::AlwaysOn],
    documentation: include_str!("duplicate_import.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let references = report.references(file);
    let imports = references.iter().filter(|it| it.kind == ReferenceKind::Import);
    let mut seen: Vec<&Reference> = Vec::new();
    for import in imports {
        match seen.iter().find(|first| first.path == import.path) {
            Some(first) => {
                let message = format!("`{}` is imported above already; take one out", import.path);
                let finding = report.add(import.range, message);
                finding
                    .relate(first.range, "it stands here first")
                    .tags
                    .push(Tag::Unnecessary);
            }
            None => seen.push(import),
        }
    }
}
