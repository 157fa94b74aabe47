use std::sync::Arc;

use crate::{dialect::Dialect, skill::Item};

/// All skills that there are, by the names that they are called by.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Sorted by name; shared, because of many skills few change.
    skills: Vec<Arc<Named>>,
}

/// One skill of many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// What it is called by.
    pub name: String,
    /// Its file, with `/` separators; empty for a skill without one.
    pub path: String,
    /// The system that it is written for.
    pub dialect: Dialect,
    /// Whether it counts.
    pub standing: Standing,
    /// The skills that it requires, by name.
    pub requires: Vec<Item>,
    /// Its version, as it is written.
    pub version: Option<Box<str>>,
    /// Its `SKILL.md` is a symbolic link.
    pub is_link: bool,
    /// Whom each system takes that finds several skills of the name, by their files, where they don't agree; `None` where
    /// that may change from run to run.
    pub winners: Vec<(Dialect, Option<String>)>,
    /// What a model's list of skills says of it, in characters; 0 where it is not listed.
    pub listed: usize,
}

/// Whether a skill counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It is the one that its name means.
    #[default]
    Counts,
    /// The skill at this path has its name and counts instead.
    ShadowedBy(String),
    /// Its reader refuses it.
    Broken,
}

impl Names {
    /// The names of these skills.
    pub fn new(mut skills: Vec<Arc<Named>>) -> Names {
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        Names { skills }
    }

    /// All skills, sorted by name; those of one name in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Named>> {
        self.skills.iter()
    }

    /// The skills of a name: the one that counts, those that it shadows, broken ones.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &Named> {
        let first = self.skills.partition_point(|skill| skill.name.as_str() < name);
        let behind = self.skills[first..].iter().map(Arc::as_ref);
        behind.take_while(move |skill| skill.name == name)
    }

    /// The skill that a name means; a broken one where there is no other.
    pub fn get(&self, name: &str) -> Option<&Named> {
        self.all(name)
            .find(|skill| skill.standing == Standing::Counts)
            .or_else(|| self.all(name).next())
    }

    /// The skill whose file this is.
    pub fn at(&self, path: &str) -> Option<&Named> {
        let mut skills = self.skills.iter().map(Arc::as_ref);
        skills.find(|skill| !path.is_empty() && skill.path == path)
    }

    /// The name that was most likely meant by one that no skill has.
    pub fn near(&self, name: &str) -> Option<&str> {
        crate::rules::nearest(name, self.iter().map(|skill| skill.name.as_str()))
    }
}
