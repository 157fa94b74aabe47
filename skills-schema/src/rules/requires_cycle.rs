//! `requires-cycle`

use crate::{
    facts::{Facts, FileKind, Names},
    requires::{self, Problem},
    rules::{Look, Report, Rule},
    skill::Metadata,
    syntax::SkillFile,
};

/// A skill that requires itself, or too long a chain.
pub(super) const RULE: Rule = Rule {
    code: "requires-cycle",
    summary: "`requires` in a circle, or more than three steps deep",
    outcome: |reader| reader.policy().unmet_requirement,
    kinds: &[FileKind::Skill, FileKind::FlatSkill],
    documentation: include_str!("requires_cycle.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let known = names.at(facts.path).map(|own| own.name);
    let Some(own) = known.or(facts.folder) else {
        return;
    };
    for item in Metadata::of(file).requires {
        let one = std::slice::from_ref(&item);
        let requires = |name: &str| {
            let other = || names.get(name).map(|skill| skill.requires);
            if name == own { Some(one) } else { other() }
        };
        // A name that no skill has is another rule's matter.
        let problems = requires::resolve(own, requires, &[]).problems;
        let problem = problems.iter().find(|it| !matches!(it, Problem::Missing { .. }));
        if let Some(problem) = problem {
            report.add(item.range, problem.message());
        }
    }
}
