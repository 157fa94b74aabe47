//! `duplicate-import`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind, Reference, ReferenceKind, references},
    rules::{Report, Rule, Tag},
    syntax::SkillFile,
};

/// The same `@` import twice.
pub(super) struct DuplicateImport;

impl Rule for DuplicateImport {
    fn code(&self) -> &'static str {
        "duplicate-import"
    }

    fn summary(&self) -> &'static str {
        "a file is imported once"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::AlwaysOn]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let imports = references(file)
            .into_iter()
            .filter(|it| it.kind == ReferenceKind::Import);
        let mut seen: Vec<Reference> = Vec::new();
        for import in imports {
            match seen.iter().find(|first| first.path == import.path) {
                Some(first) => {
                    let message = format!("`{}` is imported above already; take one out", import.path);
                    let finding = report.add(severity, import.range, message);
                    finding
                        .relate(first.range, "it stands here first")
                        .tags
                        .push(Tag::Unnecessary);
                }
                None => seen.push(import),
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("duplicate_import.md")
    }
}
