//! All skills that can be found, which of them count, and which a file activates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_schema::TextRange;
use skills_schema::dialect::{Dialect, View};

mod always_on;
pub mod bundled;
mod discovery;
mod disputes;
mod ignored;
pub mod ignoring;
mod index;
mod names;
mod plugins;
mod precedence;
mod read;
mod repository;
mod roots;
mod scope;
mod skill;
mod subagents;
mod switches;
mod verdict;
mod walk;

pub use always_on::AlwaysOn;
pub use disputes::Dispute;
pub use read::Unreadable;
pub use roots::has_nested;
pub use scope::{Configured, Discovery, Location};
pub use skill::{Skill, SkillState};
pub use skills_schema::reader::search::Source;
pub use subagents::Subagents;

use index::Index;
use skill::How;

/// The skills of one workspace and one person, sorted by name and path; broken ones and losers included.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The skills. No texts: [`Skill::text`] reads them.
    pub skills: Vec<Arc<Skill>>,
    /// The files of instructions that count without being chosen, such as `AGENTS.md`.
    pub always_on: Vec<Arc<AlwaysOn>>,
    /// The agents that skills may call for.
    pub subagents: Subagents,
    /// What could not be looked at, sorted.
    pub errors: Vec<CatalogError>,
    /// The names that several skills have and of which systems take different ones.
    pub disputes: Arc<[Dispute]>,
    /// How its skills are read.
    how: How,
    index: Arc<Index>,
    /// Positions of skills that are not in the index as they are now.
    changed: BTreeSet<u32>,
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
    /// The files of skills that are not the same in another catalog: new, changed or gone; sorted.
    pub fn differing(&self, other: &Self) -> Vec<PathBuf> {
        let known = |catalog: &Self| -> BTreeSet<(PathBuf, String)> {
            let skills = catalog.skills.iter();
            skills
                .filter_map(|skill| Some((skill.path.clone()?, skill.sha256.to_string())))
                .collect()
        };
        let (now, then) = (known(self), known(other));
        let differing: BTreeSet<_> = now.symmetric_difference(&then).map(|(path, _)| path.clone()).collect();
        differing.into_iter().collect()
    }
}

impl Catalog {
    fn new(mut skills: Vec<Arc<Skill>>, always_on: Vec<Arc<AlwaysOn>>, errors: Vec<CatalogError>, how: How) -> Self {
        skills.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        Self {
            index: Arc::new(Index::of(&skills)),
            skills,
            always_on,
            subagents: Subagents::default(),
            errors,
            disputes: Arc::default(),
            how,
            changed: BTreeSet::new(),
        }
    }

    /// The skills that a file activates, given its absolute path, in the order of the catalog. Reads nothing from the
    /// disk.
    pub fn matching(&self, file: &Path) -> Vec<Activation> {
        let mut found: Vec<(u32, Activation)> = Vec::new();
        let mut add = |position: u32, skill: &Arc<Skill>, why: Option<Why>| {
            if let Some(why) = why
                && found.last().is_none_or(|(last, _)| *last != position)
            {
                let skill = skill.clone();
                found.push((position, Activation { skill, why }));
            }
        };
        for (position, path) in self.index.candidates(file) {
            if let Some(skill) = self.skills.get(position as usize)
                && !self.changed.contains(&position)
            {
                add(position, skill, skill.matches(&path));
            }
        }
        for position in &self.changed {
            if let Some(skill) = self.skills.get(*position as usize) {
                add(*position, skill, skill.activated_by(file));
            }
        }
        found.sort_by_key(|(position, _)| *position);
        found.into_iter().map(|(_, activation)| activation).collect()
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
        self.named(name).iter().find(|skill| skill.counts())
    }

    /// All skills of a name, broken ones and losers included.
    pub fn named(&self, name: &str) -> &[Arc<Skill>] {
        let start = self.skills.partition_point(|skill| skill.name.as_str() < name);
        let count = self.skills[start..].partition_point(|skill| skill.name == name);
        &self.skills[start..start + count]
    }

    /// The skill whose file has this path, under any of its names.
    pub fn at(&self, path: &Path) -> Option<&Arc<Skill>> {
        self.skills.get(self.position(path)?)
    }

    fn position(&self, path: &Path) -> Option<usize> {
        let mut found = self.index.at(path).map(|position| position as usize);
        found.find(|position| self.skills[*position].is_at(path))
    }

    /// A reader, with the profile of it that is configured at a place where it names none itself.
    pub fn view_at(&self, place: &Path, view: impl Into<View>) -> View {
        let view = view.into();
        self.how
            .of(place)
            .map_or(view, |configured| configured.profiles.view(view))
    }

    /// The catalog after one skill's text changed in an editor; `None` where the file is not the catalog's, so that it
    /// must be discovered. Looks at no file but this.
    pub fn with_text(&self, path: &Path, text: Arc<str>) -> Option<Self> {
        self.reread(path, Some(text))
    }

    /// The catalog after one skill's file changed on disk; `None` where it must be discovered.
    pub fn with_file(&self, path: &Path) -> Option<Self> {
        path.is_file().then(|| self.reread(path, None))?
    }

    fn reread(&self, path: &Path, buffer: Option<Arc<str>>) -> Option<Self> {
        let position = self.position(path)?;
        let mut skills = self.skills.clone();
        let old = self.skills[position].clone();
        let new = old.reread(buffer, &self.how);
        let names = BTreeSet::from([old.own_name().to_owned(), new.own_name().to_owned()]);
        skills[position] = Arc::new(new);
        precedence::resolve(&mut skills, self.how.dialect().map(Dialect::search), Some(&names));
        let is_renamed = |(new, old): (&Arc<Skill>, &Arc<Skill>)| new.name != old.name;
        if skills.iter().zip(&self.skills).any(is_renamed) {
            let (always_on, errors) = (self.always_on.clone(), self.errors.clone());
            return Some(Self {
                subagents: self.subagents.clone(),
                disputes: self.disputes.clone(),
                ..Self::new(skills, always_on, errors, self.how.clone())
            });
        }
        let mut changed = self.changed.clone();
        changed.insert(u32::try_from(position).ok()?);
        Some(Self {
            skills,
            subagents: self.subagents.clone(),
            always_on: self.always_on.clone(),
            errors: self.errors.clone(),
            disputes: self.disputes.clone(),
            how: self.how.clone(),
            index: self.index.clone(),
            changed,
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
