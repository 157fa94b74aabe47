//! `shadowed-skill`

use semver::Version;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Named, Names, Standing, are_copies},
    rules::{Look, Report, Rule, Severity},
    syntax::SkillFile,
};

/// Two skills of one name.
pub(super) const RULE: Rule = Rule {
    code: "shadowed-skill",
    summary: "a skill that another of the same name replaces",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill, FileKind::FlatSkill],
    documentation: include_str!("shadowed_skill.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let Some(own) = names.at(facts.path) else { return };
    let name = own.name;
    if let Standing::ShadowedBy(winner) = &own.standing {
        if are_copies(winner, &own.path) || names.at(winner).is_some_and(|other| other.is_copy_of(&own)) {
            return;
        }
        let newer = names
            .at(winner)
            .filter(|other| is_newer(&own, other))
            .map_or("", |_| ", though older");
        let message = format!("`{winner}` replaces this skill{newer}; rename one");
        report
            .add(super::head(file), message)
            .relate_file(winner.clone(), "the skill that is used");
        return;
    }
    let is_loser = |standing: &Standing<'_>| matches!(standing, Standing::ShadowedBy(winner) if *winner == own.path);
    let losers = names.all(name).into_iter().filter(|other| is_loser(&other.standing));
    // `copies-differ` speaks of copies for several systems.
    for loser in losers.filter(|other| !other.is_copy_of(&own) && !are_copies(&other.path, &own.path)) {
        let newer = if is_newer(&loser, &own) { ", though newer" } else { "" };
        let message = format!("this skill replaces `{}`{newer}; rename one", loser.path);
        report
            .add_at(Severity::Hint, super::head(file), message)
            .relate_file(loser.path.clone(), "the skill that is not used");
    }
}

/// Whether both have a semantic version, and the first that of the newer copy.
fn is_newer(one: &Named<'_>, other: &Named<'_>) -> bool {
    let version = |named: &Named<'_>| {
        let text = named.version?;
        Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
    };
    matches!((version(one), version(other)), (Some(one), Some(other)) if one > other)
}
