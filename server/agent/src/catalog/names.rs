//! The catalog as the rules see it that look at other skills.

use std::borrow::Cow;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use skills_schema::dialect::Dialect;
use skills_schema::facts::{Named, Names, Standing};

use crate::workspace::slashed;

use super::{Catalog, Skill, SkillState};

impl Names for Catalog {
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.skills.iter().map(|skill| skill.name.as_str()))
    }

    fn all(&self, name: &str) -> Vec<Named<'_>> {
        self.named(name).iter().map(named).collect()
    }

    fn at(&self, path: &str) -> Option<Named<'_>> {
        self.at_slashed(path).map(named)
    }

    fn is_link(&self, path: &str) -> bool {
        // Only what is reached by several paths may be a link.
        let skill = self.at_slashed(path).filter(|skill| !skill.aliases.is_empty());
        skill
            .and_then(|skill| skill.path.as_deref())
            .is_some_and(Path::is_symlink)
    }

    fn winners(&self, path: &str) -> Vec<(Dialect, Option<String>)> {
        let name = self.at_slashed(path).map(|skill| skill.own_name());
        let dispute = self.disputes.iter().find(|dispute| Some(dispute.name.as_str()) == name);
        let of = |(dialect, winner): &(Dialect, Option<PathBuf>)| {
            let winner = winner.as_deref().map(|winner| slashed(winner).into_owned());
            (*dialect, winner)
        };
        dispute.map_or(Vec::new(), |dispute| dispute.winners.iter().map(of).collect())
    }

    fn listed(&self, dialect: Dialect) -> Box<dyn Iterator<Item = (Cow<'_, str>, usize)> + '_> {
        let is_listed = move |skill: &&Arc<Skill>| skill.dialect == dialect && skill.state == SkillState::Listed;
        let skills = self.skills.iter().filter(is_listed);
        Box::new(skills.map(|skill| (slashed_path(skill), skill.listed())))
    }
}

impl Catalog {
    fn at_slashed(&self, path: &str) -> Option<&Arc<Skill>> {
        let native = path.replace('/', MAIN_SEPARATOR_STR);
        Catalog::at(self, Path::new(&native))
    }
}

/// Its file; empty for a skill without one.
fn slashed_path(skill: &Skill) -> Cow<'_, str> {
    skill.path.as_deref().map(slashed).unwrap_or_default()
}

fn named(skill: &Arc<Skill>) -> Named<'_> {
    Named {
        name: &skill.name,
        path: slashed_path(skill),
        dialect: skill.dialect,
        standing: match (&skill.shadowed_by, skill.state) {
            (Some(winner), _) => Standing::ShadowedBy(slashed(winner)),
            (None, SkillState::Broken) => Standing::Broken,
            (None, _) => Standing::Counts,
        },
        requires: &skill.metadata.requires,
        version: skill.metadata.version.as_deref(),
        digest: skill.sha256.as_bytes(),
    }
}
