//! `workspace/symbol`: the skills of the catalog.

use skills_agent::catalog::Skill;
use skills_schema::shown;
use tower_lsp::ls_types::{Location, Range, SymbolInformation, SymbolKind, WorkspaceSymbolParams};

use crate::printable::printable;
use crate::sources;
use crate::state::Snapshot;

/// The most that are answered: nobody reads more.
const MOST: usize = 500;

/// The skills whose names or descriptions fit what is typed, the best first.
pub fn workspace_symbol(snapshot: &Snapshot, params: &WorkspaceSymbolParams) -> Vec<SymbolInformation> {
    let query = params.query.to_lowercase();
    let mut found: Vec<(usize, &Skill)> = snapshot
        .catalog
        .skills
        .iter()
        .filter_map(|skill| Some((rank(skill, &query)?, &**skill)))
        .collect();
    found.sort_by_key(|(distance, skill)| (*distance, &skill.name, &skill.path));
    found.truncate(MOST);
    found
        .into_iter()
        .filter_map(|(_, skill)| symbol(snapshot, skill))
        .collect()
}

/// How far a skill is from what is typed; `None` where it does not fit.
fn rank(skill: &Skill, query: &str) -> Option<usize> {
    let name = skill.name.to_lowercase();
    if name.starts_with(query) {
        Some(0)
    } else if name.contains(query) {
        Some(1)
    } else if is_subsequence(query, &name) {
        Some(2)
    } else {
        let description = skill.description.as_deref()?.to_lowercase();
        description.contains(query).then_some(3)
    }
}

/// Whether the characters stand in a text in their order.
fn is_subsequence(query: &str, text: &str) -> bool {
    let mut chars = text.chars();
    query
        .chars()
        .filter(|c| !c.is_whitespace())
        .all(|wanted| chars.any(|c| c == wanted))
}

fn symbol(snapshot: &Snapshot, skill: &Skill) -> Option<SymbolInformation> {
    let uri = sources::uri(&snapshot.folders, skill.path.as_deref()?)?;
    #[allow(deprecated, reason = "the protocol's type still has the field")]
    Some(SymbolInformation {
        name: skill.name.clone(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        deprecated: None,
        location: Location::new(uri, Range::default()),
        container_name: skill.description.as_deref().map(first_words),
    })
}

/// The first words of a description, on one line.
fn first_words(description: &str) -> String {
    shown::shortened(&printable(&shown::one_line(description)), 80).into_owned()
}
