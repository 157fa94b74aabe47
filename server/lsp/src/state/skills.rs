//! The skill that somebody means, and the skills of documents that are not in the catalog yet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::catalog::{Catalog, Skill};
use tower_lsp::ls_types::Uri;

use super::{Effect, Effects, State};

use crate::refusal::Refusal;

/// The path and the text of a skill in an editor.
pub type OpenSkill = (PathBuf, Arc<str>);

impl State {
    /// Reads a skill again where the catalog knows it; looks for it elsewhere.
    pub fn rescan_for(&self, uri: &Uri) -> Effects {
        let skill = self.documents.get(uri).filter(|document| document.is_skill());
        match skill.and_then(|document| document.path.clone()) {
            Some(path) if self.catalog.at(&path).is_some() => vec![Effect::Reread(path)],
            Some(_) if self.has_catalog => vec![Effect::Rescan],
            // The first look for skills asks at its end what was opened meanwhile.
            _ => Effects::new(),
        }
    }

    /// The skills in open documents, as they are there.
    pub fn open_skills(&self) -> Vec<OpenSkill> {
        let skills = self.documents.iter().filter(|document| document.is_skill());
        skills
            .filter_map(|document| Some((document.path.clone()?, document.text().clone())))
            .collect()
    }

    /// Remembers where a document lies: folders of skills beside it count from now on.
    pub fn touch(&mut self, uri: &Uri) -> Effects {
        let path = self.documents.get(uri).and_then(|document| document.path.clone());
        let folder = path.and_then(|path| self.touch_file(path));
        folder.into_iter().map(Effect::Touch).collect()
    }

    /// Remembers a file that was opened, read or written; gives its folder where that is new.
    pub fn touch_file(&mut self, path: PathBuf) -> Option<PathBuf> {
        let folder = path.parent()?.to_owned();
        // Of one folder, one file is enough.
        if self.touched.iter().any(|touched| touched.parent() == Some(&*folder)) {
            return None;
        }
        self.touched.insert(path);
        Some(folder)
    }
}

/// The skills that a person can run: those that count and are not for the model alone.
pub fn runnable(catalog: &Catalog) -> impl Iterator<Item = &Arc<Skill>> {
    let skills = catalog.skills.iter();
    skills.filter(|skill| skill.counts() && skill.metadata.user_invocable)
}

/// The skill that a person runs by its name.
pub fn find(state: &State, name: &str, uri: Option<&Uri>) -> Result<Arc<Skill>, Refusal> {
    let skill = known(state, name, uri)?;
    if !skill.metadata.user_invocable {
        return Err(format!(
            "the skill {name} is for the model alone (`user-invocable: false`); ask the agent for what it is about"
        )
        .into());
    }
    Ok(skill)
}

/// The skill that is meant: the one of that name which is active for the document, else the one that wins.
pub fn known(state: &State, name: &str, uri: Option<&Uri>) -> Result<Arc<Skill>, Refusal> {
    let active = uri
        .and_then(|uri| state.active.get(uri))
        .into_iter()
        .flatten()
        .find(|skill| skill.name == name);
    let active = active.and_then(|skill| state.catalog.at(Path::new(skill.path.as_deref()?)));
    active.or_else(|| state.catalog.get(name)).cloned().ok_or_else(|| {
        let broken = state.catalog.skills.iter().find(|skill| skill.name == name);
        Refusal::Other(match broken {
            Some(skill) => format!("the skill {name} is not loaded: {}", skill.errors.join("; ")),
            None => {
                let known: Vec<_> = state.catalog.skills.iter().map(|skill| skill.name.as_str()).collect();
                format!("there is no skill {name:?}; known are: {}", known.join(", "))
            }
        })
    })
}
