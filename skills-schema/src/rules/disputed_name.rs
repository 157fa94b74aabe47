//! `disputed-name`

use crate::{
    dialect::{Dialect, Outcome, titles},
    facts::{Facts, FileKind},
    rules::{Needs, Report, Rule, among, head},
    syntax::SkillFile,
};

/// A name that several skills have, of which the readers of the folder take different ones.
pub(super) const RULE: Rule = Rule {
    code: "disputed-name",
    summary: "all readers take the same skill for a name",
    outcome: |_| Outcome::Doubts,
    needs: Needs::Catalog,
    kinds: &[FileKind::Skill],
    documentation: include_str!("disputed_name.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some((names, own)) = among(facts) else { return };
    let winners = names.winners(facts.path);
    let mut taken: Vec<(Option<&str>, Vec<Dialect>)> = Vec::new();
    let here = winners.iter().filter(|(dialect, _)| facts.is_read_by(*dialect));
    for (dialect, winner) in here {
        match taken.iter_mut().find(|(other, _)| *other == winner.as_deref()) {
            Some((_, dialects)) => dialects.push(*dialect),
            None => taken.push((winner.as_deref(), vec![*dialect])),
        }
    }
    let is_random = taken.iter().any(|(winner, _)| winner.is_none());
    if taken.len() < 2 && !is_random {
        return;
    }
    let of = |(winner, dialects): &(Option<&str>, Vec<Dialect>)| {
        let readers = titles(dialects.iter().copied());
        match winner {
            Some(winner) if *winner == own.path => format!("this one: {readers}"),
            Some(winner) => format!("`{winner}`: {readers}"),
            None => format!("now this one, now another: {readers}"),
        }
    };
    let whom: Vec<String> = taken.iter().map(of).collect();
    let message = format!(
        "which skill `{}` is depends on the reader ({}); rename all but one",
        own.name,
        whom.join("; ")
    );
    let finding = report.add(head(file), message);
    for (winner, _) in taken {
        if let Some(winner) = winner.filter(|winner| *winner != own.path) {
            finding.relate_file(winner, "another skill of the name");
        }
    }
}
