//! `surprising-place`

use crate::{
    dialect::{Dialect, Outcome, Search},
    facts::{Facts, FileKind},
    rules::{Fate, Report, Rule, head},
    syntax::SkillFile,
};

/// A skill where some readers of the folder find it and others don't, or where it hides other skills.
pub(super) const RULE: Rule = Rule {
    code: "surprising-place",
    summary: "a skill where some readers of its folder don't look",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("surprising_place.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some((root, inner)) = root(facts.path) else { return };
    let readers = || {
        Dialect::ALL
            .into_iter()
            .filter(|it| facts.is_read_by(*it) && *it != Dialect::Unified)
    };
    let that = |wanted: fn(&Search) -> bool| readers().filter(move |it| wanted(it.search()));
    if inner.is_empty() {
        let hiding: Vec<Dialect> = that(|search| search.takes_root && !search.below_skills).collect();
        let blind: Vec<Dialect> = that(|search| !search.takes_root).collect();
        if hiding.is_empty() && blind.is_empty() {
            return;
        }
        let message = "a skill needs a folder of its own; move the file into one";
        let finding = report.add(head(file), message);
        finding.affects_all(facts, Fate::Unfound, blind);
        let hides = format!("this hides all other skills in `{root}`");
        for reader in hiding {
            finding.affects(facts, reader, Fate::Read, Some(&hides));
        }
    } else if inner.split('/').any(|folder| folder == "node_modules") {
        let finding: Vec<Dialect> = that(Search::enters_packages).collect();
        if !finding.is_empty() {
            let message = "skills under `node_modules` are loaded too";
            report.add(head(file), message).affects_all(facts, Fate::Read, finding);
        }
    }
}

/// The folder of skills that a file lies in, and the folders between it and the file.
fn root(path: &str) -> Option<(&str, &str)> {
    let folder = path.rsplit_once('/')?.0;
    let places = Dialect::ALL.into_iter().flat_map(|dialect| dialect.search().folders);
    let places = places.map(|it| it.path).filter(|path| path.ends_with("/skills"));
    let found = places.filter_map(|place| {
        let at = folder.rfind(place)?;
        let is_start = at == 0 || folder[..at].ends_with('/');
        let rest = &folder[at + place.len()..];
        (is_start && (rest.is_empty() || rest.starts_with('/'))).then_some((at, place.len()))
    });
    let (at, length) = found.max()?;
    Some((&folder[at..at + length], folder[at + length..].trim_start_matches('/')))
}
