//! All skills that can be found, which of them count, and which a file activates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::TextRange;

mod discovery;
mod precedence;
mod skill;

pub use discovery::Discovery;
pub use skill::{Skill, Source, State};

/// The skills of one workspace and one person, sorted by name and path; broken ones and losers included.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The skills.
    pub skills: Vec<Arc<Skill>>,
    /// What could not be looked at.
    pub errors: Vec<CatalogError>,
}

/// A place that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogError {
    /// The place.
    pub path: PathBuf,
    /// What happened, and what to do.
    pub message: String,
}

/// A skill that is active, and why.
#[derive(Debug, Clone)]
pub struct Activation {
    /// The skill.
    pub skill: Arc<Skill>,
    /// What activated it.
    pub why: Why,
}

/// What activated a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The sort of condition.
    pub kind: WhyKind,
    /// The condition as the skill's file has it, such as a pattern.
    pub text: String,
    /// Where the condition stands in the skill's file.
    pub range: TextRange,
    /// What met the condition, such as a path relative to the project.
    pub matched: String,
}

/// The sort of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyKind {
    /// A pattern of `paths` matched an open file.
    Path,
    /// A keyword stands in the message.
    Keyword,
    /// The same, of a skill with inputs.
    Task,
    /// Every message.
    Always,
    /// Another skill that is active needs it.
    RequiredBy,
}

/// A skill as a list shows it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The skill.
    pub skill: Arc<Skill>,
    /// What activates it for the file that was asked about.
    pub why: Vec<Why>,
    /// Why it is not active for that file; `None` where it is, or no file was asked about.
    pub why_not: Option<String>,
}

impl Catalog {
    /// The skills that a file activates, given its absolute path. Reads nothing from the disk.
    pub fn matching(&self, file: &Path) -> Vec<Activation> {
        let active = |skill: &Arc<Skill>| {
            let why = skill.activated_by(file)?;
            Some(Activation {
                skill: skill.clone(),
                why,
            })
        };
        self.skills.iter().filter_map(active).collect()
    }

    /// Every skill, with why a file does or does not activate it.
    pub fn list(&self, file: Option<&Path>) -> Vec<Listed> {
        let listed = |skill: &Arc<Skill>| {
            let why: Vec<_> = file.and_then(|file| skill.activated_by(file)).into_iter().collect();
            let why_not = file.filter(|_| why.is_empty()).map(|file| skill.why_not(file));
            Listed {
                skill: skill.clone(),
                why,
                why_not,
            }
        };
        self.skills.iter().map(listed).collect()
    }

    /// The skill that a person or model means by a name: the one that counts.
    pub fn get(&self, name: &str) -> Option<&Arc<Skill>> {
        let counts = |skill: &&Arc<Skill>| matches!(skill.state, State::Listed | State::Hidden);
        self.skills.iter().filter(counts).find(|skill| skill.name == name)
    }

    /// The skill whose file has this path, under any of its names.
    pub fn at(&self, path: &Path) -> Option<&Arc<Skill>> {
        self.skills.iter().find(|skill| skill.is_at(path))
    }

    /// The catalog after one skill's text changed, without a look at the disk; `None` where the file is not the
    /// catalog's, so that it must be discovered.
    pub fn with_text(&self, path: &Path, text: Arc<str>) -> Option<Self> {
        let position = self.skills.iter().position(|skill| skill.is_at(path))?;
        let mut skills: Vec<Skill> = self.skills.iter().map(|skill| Skill::clone(skill)).collect();
        skills[position] = skills[position].with_text(text);
        Some(Self {
            skills: precedence::resolved(skills),
            errors: self.errors.clone(),
        })
    }
}

impl WhyKind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Keyword => "keyword",
            Self::Task => "task",
            Self::Always => "always",
            Self::RequiredBy => "required-by",
        }
    }
}
