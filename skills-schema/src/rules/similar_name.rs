//! `similar-name`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Names},
    rules::{Look, Report, Rule, head},
    syntax::SkillFile,
};

/// Two names that are one where letter case and width make no difference.
pub(super) const RULE: Rule = Rule {
    code: "similar-name",
    summary: "a name that differs from another in letter case or width only",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill, FileKind::FlatSkill],
    documentation: include_str!("similar_name.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let Some(own) = names.at(facts.path) else { return };
    for other in names.alike(own.name).into_iter().filter_map(|name| names.get(name)) {
        let message = format!(
            "`{}` is named `{}`, nearly `{}`; rename one",
            other.path, other.name, own.name
        );
        report
            .add(head(file), message)
            .relate_file(other.path, "the other skill");
    }
}
