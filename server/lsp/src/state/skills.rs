//! The skill that somebody means, among those of the catalog.

use std::path::Path;
use std::sync::Arc;

use skills_agent::catalog::{Catalog, Skill};
use tower_lsp::ls_types::Uri;

use super::State;

/// The skills that a person can run: those that count and are not for the model alone.
pub fn runnable(catalog: &Catalog) -> impl Iterator<Item = &Arc<Skill>> {
    let skills = catalog.skills.iter();
    skills.filter(|skill| skill.counts() && skill.metadata.user_invocable)
}

/// The skill that a person runs by its name.
pub fn find(state: &State, name: &str, uri: Option<&Uri>) -> Result<Arc<Skill>, String> {
    let skill = known(state, name, uri)?;
    if !skill.metadata.user_invocable {
        return Err(format!(
            "the skill {name} is for the model alone (`user-invocable: false`); ask the agent for what it is about"
        ));
    }
    Ok(skill)
}

/// The skill that is meant: the one of that name which is active for the document, else the one that wins.
pub fn known(state: &State, name: &str, uri: Option<&Uri>) -> Result<Arc<Skill>, String> {
    let active = uri
        .and_then(|uri| state.active.get(uri))
        .into_iter()
        .flatten()
        .find(|skill| skill.name == name);
    let active = active.and_then(|skill| state.catalog.at(Path::new(skill.path.as_deref()?)));
    active.or_else(|| state.catalog.get(name)).cloned().ok_or_else(|| {
        let broken = state.catalog.skills.iter().find(|skill| skill.name == name);
        match broken {
            Some(skill) => format!("the skill {name} is not loaded: {}", skill.errors.join("; ")),
            None => {
                let known: Vec<_> = state.catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
                format!("there is no skill {name:?}; known are: {}", known.join(", "))
            }
        }
    })
}
