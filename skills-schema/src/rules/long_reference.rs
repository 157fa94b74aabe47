//! `long-reference`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind, Found, ReferenceKind, references},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// A long reference without a table of contents.
pub(super) struct LongReference;

impl Rule for LongReference {
    fn code(&self) -> &'static str {
        "long-reference"
    }

    fn summary(&self) -> &'static str {
        "a long reference begins with its contents"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn needs(&self) -> Needs {
        Needs::Folder
    }

    fn default_off(&self) -> bool {
        true
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let (Some(folder), Some(severity)) = (facts.around.folder, facts.severity(|policy| self.outcome(policy)))
        else {
            return;
        };
        for reference in references(file).iter().filter(|it| it.kind == ReferenceKind::Link) {
            let Found::Here(entry) = folder.find(&reference.path) else {
                continue;
            };
            if let Some(outline) = entry
                .outline
                .as_ref()
                .filter(|it| it.lines > MAX_LINES && !it.has_contents)
            {
                let message = format!(
                    "`{}` has {} lines, and a model may read only the first; begin it with a list of its contents",
                    reference.path, outline.lines
                );
                report.add(severity, reference.range, message);
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("long_reference.md")
    }
}

/// The longest reference without a table of contents, in lines.
const MAX_LINES: usize = 300;
