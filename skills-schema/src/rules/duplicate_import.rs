//! `duplicate-import`

use std::collections::HashMap;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Reference, ReferenceKind},
    rules::{Report, Rule, Tag},
    syntax::SkillFile,
};

/// The same `@` import twice.
pub(super) const RULE: Rule = Rule {
    code: "duplicate-import",
    summary: "a file that is imported twice",
    outcome: |_| Outcome::Tolerates,
    kinds: &[FileKind::AlwaysOn],
    documentation: include_str!("duplicate_import.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let references = report.references(file);
    let imports = references.iter().filter(|it| it.kind == ReferenceKind::Import);
    let mut seen: HashMap<&str, &Reference> = HashMap::new();
    for import in imports {
        if report.is_full() {
            return;
        }
        match seen.get(import.path.as_str()) {
            Some(first) => {
                let message = format!("`{}` is already imported above", import.path);
                let finding = report.add(import.range, message);
                finding
                    .relate(first.range, "first one here")
                    .tags
                    .push(Tag::Unnecessary);
            }
            None => _ = seen.insert(&import.path, import),
        }
    }
}
