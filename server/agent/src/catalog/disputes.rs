//! Names that several skills have, of which systems that find them take different ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::dialect::Dialect;
use skills_schema::reader::search::{SameName, Search};

use super::roots::{Root, roots};
use super::skill::Skill;
use super::{Discovery, precedence, walk};
use skills_schema::reader::search::Source;

/// A name, and whom each system takes for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The name.
    pub name: String,
    /// What each system that finds several of the name takes: a file, or `None` where that may change from run to run.
    pub winners: Vec<(Dialect, Option<PathBuf>)>,
}

/// The names of which not all systems take the same, by their places alone. Asks the disk for few names only.
pub(super) fn disputes(discovery: &Discovery, skills: &[Arc<Skill>]) -> Arc<[Dispute]> {
    let mut by_name: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for skill in skills {
        if let Some(path) = skill.path.as_deref().filter(|_| skill.source != Source::Bundled) {
            by_name.entry(skill.own_name()).or_default().push(path);
        }
    }
    by_name.retain(|_, paths| paths.len() > 1);
    if by_name.is_empty() {
        return Arc::default();
    }
    let asked = Dialect::ALL.into_iter().filter(|dialect| {
        let is_clear = dialect.search().same_name != SameName::Unstated && !dialect.search().keeps_all;
        is_clear && dialect.reader().is_program
    });
    let asked: Vec<(Dialect, Vec<Root>)> = asked.map(|it| (it, roots(discovery, it.search()))).collect();
    let dispute = |(name, paths): (&str, Vec<&Path>)| {
        let winners = asked.iter().filter_map(|(dialect, roots)| {
            let search = dialect.search();
            let found: Vec<_> = paths.iter().filter_map(|path| rival(search, roots, path)).collect();
            if found.len() < 2 {
                return None;
            }
            let best = found.iter().min_by(|a, b| precedence::compare_rivals(a, b, search))?;
            let winner = (search.same_name != SameName::Any).then(|| best.path.to_owned());
            Some((*dialect, winner))
        });
        let winners: Vec<_> = winners.collect();
        let differ = winners
            .iter()
            .any(|(_, winner)| Some(winner) != winners.first().map(|(_, first)| first));
        let is_random = winners.iter().any(|(_, winner)| winner.is_none());
        (differ || is_random).then(|| Dispute {
            name: name.to_owned(),
            winners,
        })
    };
    by_name.into_iter().filter_map(dispute).collect()
}

/// Where a system finds a file.
fn rival<'a>(search: &Search, roots: &[Root], path: &'a Path) -> Option<precedence::Rival<'a>> {
    let root = roots.iter().find(|root| walk::would_be(root, search, path).is_some())?;
    Some(precedence::Rival {
        path,
        source: root.source,
        is_command: false,
        order: root.order,
    })
}
