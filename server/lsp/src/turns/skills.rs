//! What a turn in the editor knows of skills: the catalog that the server keeps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::activation::briefing::{Library, Skills};
use skills_agent::catalog::{Catalog, SkillState};
use skills_agent::session::Session;
use skills_schema::shown::shortened;

use crate::discovery;
use crate::printable::printable;
use crate::refusal::Refusal;
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

    fn open_text(&self, path: &Path) -> Option<Arc<str>> {
        let state = self.0.state();
        Some(state.documents.of_path(path)?.text().clone())
    }
}

/// What a turn of this session knows of skills, for a model with a context window of so many tokens.
pub fn of(shared: &Arc<Shared>, window: Option<u64>, session: &Session) -> Result<Skills, Refusal> {
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

/// A compact list for a person: the skill that they run, those that open documents activate, and why; then the others.
pub struct Listed {
    /// Their names, and why each is active.
    active: Vec<(String, Vec<String>)>,
    /// Their names, and what each says of itself.
    others: Vec<(String, String)>,
    /// How many others there are beside those.
    more: usize,
}

impl Listed {
    /// The list as it is now.
    pub fn of(state: &State, run: Option<&str>) -> Self {
        let run = run.map(|name| (name, vec!["you run it".to_owned()]));
        let by_document = state.active.values().flatten().map(|skill| {
            let why = skill.why.iter().map(|why| why.pattern.as_ref().unwrap_or(&why.kind));
            (skill.name.as_str(), why.cloned().collect())
        });
        // Of one name the last is taken: the run one is.
        let active: BTreeMap<&str, Vec<String>> = by_document.chain(run).collect();
        let (most, characters) = LISTED;
        let loaded =
            state.catalog.skills.iter().filter(|skill| {
                skill.errors.is_empty() && matches!(skill.state, SkillState::Listed | SkillState::Hidden)
            });
        let mut others: Vec<_> = loaded
            .filter(|skill| !active.contains_key(skill.name.as_str()))
            .map(|skill| (skill.name.clone(), skill.description.as_deref().unwrap_or_default()))
            .map(|(name, about)| (name, shortened(about, characters).into_owned()))
            .collect();
        let more = others.len().saturating_sub(most);
        others.truncate(most);
        let active = active.into_iter().map(|(name, why)| (name.to_owned(), why)).collect();
        Self { active, others, more }
    }

    /// For a terminal, a line each.
    pub fn lines(&self) -> Vec<String> {
        self.rows(printable)
    }

    /// For a file in Markdown. What skills say of themselves stands there as code, so that it is never more than text.
    pub fn markdown(&self) -> String {
        let code = |text: &str| format!("`{}`", printable(text).replace('`', "'"));
        self.rows(code).iter().map(|row| format!("- {row}\n")).collect()
    }

    fn rows(&self, quote: impl Fn(&str) -> String) -> Vec<String> {
        let active = self.active.iter().map(|(name, why)| {
            let why: Vec<_> = why.iter().map(|why| quote(why)).collect();
            format!("{} is active: {}", quote(name), why.join(", "))
        });
        let others = self
            .others
            .iter()
            .map(|(name, about)| format!("{}: {}", quote(name), quote(about)));
        let more = (self.more > 0).then(|| format!("and {} more: write /skills", self.more));
        active.chain(others).chain(more).collect()
    }
}
