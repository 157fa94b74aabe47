//! `shadowed-skill`

use crate::{
    dialect::{Outcome, Policy},
    facts::{Facts, FileKind, Standing},
    rules::{Needs, Report, Rule, Severity},
    syntax::SkillFile,
};

/// Two skills of one name.
pub(super) struct ShadowedSkill;

impl Rule for ShadowedSkill {
    fn code(&self) -> &'static str {
        "shadowed-skill"
    }

    fn summary(&self) -> &'static str {
        "no other skill of the same name counts instead"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Recovers
    }

    fn needs(&self) -> Needs {
        Needs::Catalog
    }

    fn kinds(&self) -> &'static [FileKind] {
        &[FileKind::Skill, FileKind::FlatSkill]
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(names) = facts.around.names else {
            return;
        };
        let Some(own) = names.at(facts.path) else {
            return;
        };
        let name = &own.name;
        if let Standing::ShadowedBy(winner) = &own.standing {
            let message = format!("`{winner}` has the name `{name}` too and counts instead: rename one of the two");
            report
                .add(Severity::Warning, super::head(file), message)
                .relate_file(winner.clone(), "the skill that counts");
            return;
        }
        let is_loser = |standing: &Standing| matches!(standing, Standing::ShadowedBy(winner) if *winner == own.path);
        for loser in names.all(name).filter(|other| is_loser(&other.standing)) {
            let message = format!(
                "`{}` has the name `{name}` too and is not used: rename one of the two",
                loser.path
            );
            report
                .add(Severity::Hint, super::head(file), message)
                .relate_file(loser.path.clone(), "the skill that is not used");
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("shadowed_skill.md")
    }
}
