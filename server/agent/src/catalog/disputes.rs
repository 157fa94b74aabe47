//! Names that several skills have, of which systems that find them take different ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::dialect::Dialect;

use super::locations::{Reader, SameName, readers};
use super::roots::{Root, roots};
use super::skill::Skill;
use super::source::Source;
use super::{Discovery, precedence, walk};

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
    let asked = readers().filter(|reader| {
        let is_clear = reader.same_name != SameName::Unstated && !reader.dialect.walk().keeps_all;
        is_clear && reader.dialect != Dialect::AgentSkills
    });
    let asked: Vec<(&Reader, Vec<Root>)> = asked.map(|reader| (reader, roots(discovery, reader))).collect();
    let dispute = |(name, paths): (&str, Vec<&Path>)| {
        let winners = asked.iter().filter_map(|(reader, roots)| {
            let found: Vec<_> = paths.iter().filter_map(|path| place(reader, roots, path)).collect();
            if found.len() < 2 {
                return None;
            }
            let best = found.iter().min_by(|a, b| precedence::compare_places(a, b, reader))?;
            let winner = (reader.same_name != SameName::Any).then(|| best.path.to_owned());
            Some((reader.dialect, winner))
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
fn place<'a>(reader: &Reader, roots: &[Root], path: &'a Path) -> Option<precedence::Place<'a>> {
    let root = roots.iter().find(|root| walk::would_be(root, reader, path).is_some())?;
    Some(precedence::Place {
        path,
        source: root.source,
        is_command: false,
        order: root.order,
    })
}
