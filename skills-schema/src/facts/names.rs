use std::{borrow::Cow, fmt};

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::{dialect::Dialect, skill::Item};

/// All skills that there are, by the names that they are called by. Who keeps the skills answers: of ten thousand a
/// copy would count.
pub trait Names: fmt::Debug + Sync {
    /// The names of all skills, sorted.
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// The skills of a name: the one that counts, those that it shadows, broken ones.
    fn all(&self, name: &str) -> Vec<Named<'_>>;

    /// The skill whose file this is.
    fn at(&self, path: &str) -> Option<Named<'_>>;

    /// Whether the `SKILL.md` at a path is a symbolic link.
    fn is_link(&self, path: &str) -> bool;

    /// Whom each system takes that finds several skills of the name of the one at a path, by their files, where they
    /// don't agree; `None` where that may change from run to run.
    fn winners(&self, path: &str) -> Vec<(Dialect, Option<String>)>;

    /// The skills of a system that its list has for a model: the file of each, and how many characters the list has for it.
    fn listed(&self, dialect: Dialect) -> Box<dyn Iterator<Item = (Cow<'_, str>, usize)> + '_>;

    /// The skill that a name means; a broken one where there is no other.
    fn get(&self, name: &str) -> Option<Named<'_>> {
        let mut all = self.all(name);
        let counting = all.iter().position(|skill| skill.standing == Standing::Counts);
        (!all.is_empty()).then(|| all.swap_remove(counting.unwrap_or_default()))
    }

    /// The name that was most likely meant by one that no skill has.
    fn near(&self, name: &str) -> Option<&str> {
        crate::nearest::nearest(name, self.names())
    }

    /// The names that are this one where letter case and width make no difference, without itself.
    fn alike(&self, name: &str) -> Vec<&str> {
        let wanted = folded(name);
        let is_alike = |other: &&str| {
            let is_other = *other != name;
            is_other && (other.eq_ignore_ascii_case(name) || !other.is_ascii() && folded(other) == wanted)
        };
        let mut found: Vec<&str> = self.names().filter(is_alike).collect();
        found.dedup();
        found
    }
}

/// One skill of many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named<'a> {
    /// What it is called by.
    pub name: &'a str,
    /// Its file, with `/` separators; empty for a skill without one.
    pub path: Cow<'a, str>,
    /// The system that it is written for.
    pub dialect: Dialect,
    /// Whether it counts.
    pub standing: Standing<'a>,
    /// The skills that it requires, by name.
    pub requires: &'a [Item],
    /// Its version, as it is written.
    pub version: Option<&'a str>,
    /// What is the same for the same text: a digest. Empty where nobody knows.
    pub digest: &'a [u8],
}

impl Named<'_> {
    /// Whether both have the same text: people keep a copy for each system.
    pub fn is_copy_of(&self, other: &Named<'_>) -> bool {
        !self.digest.is_empty() && self.digest == other.digest
    }
}

/// Whether a skill counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing<'a> {
    /// It is the one that its name means.
    #[default]
    Counts,
    /// The skill at this path has its name and counts instead.
    ShadowedBy(Cow<'a, str>),
    /// Its reader refuses it.
    Broken,
}

/// A name without letter case, in compatibility form.
fn folded(name: &str) -> String {
    let normalizer = ComposingNormalizerBorrowed::new_nfkc();
    normalizer.normalize(name).to_lowercase()
}
