//! `reference-chain`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind, Found, ReferenceKind, normal, references},
    rules::{Needs, Report, Rule},
    syntax::SkillFile,
};

/// A file that only another file of the skill leads to.
pub(super) struct ReferenceChain;

impl Rule for ReferenceChain {
    fn code(&self) -> &'static str {
        "reference-chain"
    }

    fn summary(&self) -> &'static str {
        "a skill names all its files itself, one level deep"
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
        let named = references(file);
        let names = |path: &str| named.iter().any(|reference| reference.path == path);
        for reference in named.iter().filter(|it| it.kind == ReferenceKind::Link) {
            let Found::Here(entry) = folder.find(&reference.path) else {
                continue;
            };
            let base = reference.path.rsplit_once('/').map_or("", |(base, _)| base);
            let links = entry.outline.iter().flat_map(|outline| &outline.links);
            for next in links.map(|link| normal(&format!("{base}/{link}"))) {
                let is_markdown = next.ends_with(".md");
                if is_markdown && !names(&next) && next != "SKILL.md" && matches!(folder.find(&next), Found::Here(_)) {
                    let message = format!(
                        "`{}` leads on to `{next}`, which only it names: models often don't follow; name it here too",
                        reference.path
                    );
                    report.add(severity, reference.range, message);
                }
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("reference_chain.md")
    }
}
