//! What a turn in the editor knows of skills: the catalog that the server keeps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::activation::briefing::{Library, Skills};
use skills_agent::catalog::{Catalog, Skill, State as Listing};
use skills_agent::session::Session;
use tower_lsp::ls_types::Uri;

use crate::discovery;
use crate::printable::printable;
use crate::state::{Shared, State};

/// The server's catalog, while a turn runs.
struct EditorLibrary(Arc<Shared>);

impl Library for EditorLibrary {
    fn catalog(&self) -> Arc<Catalog> {
        self.0.state().catalog.clone()
    }

    fn touched(&self, files: &[PathBuf]) {
        let folders: Vec<_> = {
            let mut state = self.0.state();
            files.iter().filter_map(|file| state.touch_file(file.clone())).collect()
        };
        for folder in folders {
            discovery::touch(&self.0, folder);
        }
    }
}

/// What a turn of this session knows of skills, for a model with a context window of so many tokens.
pub fn of(shared: &Arc<Shared>, window: Option<u64>, session: &Session) -> Result<Skills, String> {
    let state = shared.environment.state_folder()?;
    Ok(Skills {
        library: Arc::new(EditorLibrary(shared.clone())),
        budget: shared.environment.listing_budget(window),
        told: session.told.clone(),
        session: session.id.clone(),
        usage: shared.environment.usage(),
        private: Some(state.to_owned()),
    })
}

/// How many skills are listed beside the active ones, and how many characters of what each says of itself.
const LISTED: (usize, usize) = (12, 70);

/// A compact list for a person, in Markdown: the skills that an open document activates, and why; then the others.
/// What skills say of themselves stands there as code, so that it is never more than text.
pub fn listed(state: &State) -> String {
    let code = |text: &str| format!("`{}`", printable(text).replace('`', "'"));
    let mut text = String::new();
    let active: BTreeMap<_, _> = state
        .active
        .values()
        .flatten()
        .map(|skill| (skill.name.as_str(), skill))
        .collect();
    for (name, skill) in &active {
        let why: Vec<_> = skill
            .why
            .iter()
            .map(|why| code(why.pattern.as_deref().unwrap_or(&why.kind)))
            .collect();
        text.push_str(&format!("- {} is active: {}\n", code(name), why.join(", ")));
    }
    let others: Vec<_> = state
        .catalog
        .skills
        .iter()
        .filter(|skill| skill.errors.is_empty() && matches!(skill.state, Listing::Listed | Listing::Hidden))
        .filter(|skill| !active.contains_key(skill.name.as_str()))
        .collect();
    let (most, characters) = LISTED;
    for skill in others.iter().take(most) {
        let about: String = skill
            .description
            .as_deref()
            .unwrap_or_default()
            .chars()
            .take(characters)
            .collect();
        text.push_str(&format!("- {}: {}\n", code(&skill.name), code(&about)));
    }
    if others.len() > most {
        text.push_str(&format!("- and {} more: write /skills\n", others.len() - most));
    }
    text
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
