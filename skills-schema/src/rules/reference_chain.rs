//! `reference-chain`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder, Found, ReferenceKind, normal},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// A file that only another file of the skill leads to.
pub(super) const RULE: Rule = Rule {
    code: "reference-chain",
    summary: "a file that only another file of the skill links to",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("reference_chain.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let named = report.references(file);
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
                let message = format!("only `{}` links to `{next}`; link to it here, too", reference.path);
                report.add(reference.range, message);
            }
        }
    }
}
