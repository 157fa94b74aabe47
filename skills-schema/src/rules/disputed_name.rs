//! `disputed-name`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Named, Names, are_copies},
    rules::{Fate, Look, Report, Rule, head},
    syntax::SkillFile,
};

/// A name that several skills have, of which the readers of the folder take different ones.
pub(super) const RULE: Rule = Rule {
    code: "disputed-name",
    summary: "a name for which readers take different skills",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("disputed_name.md"),
    look: Some(Look::Catalog(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, names: &dyn Names, report: &mut Report) {
    let Some(own) = names.at(facts.path) else { return };
    let winners = names.winners(facts.path);
    let mut taken: Vec<(Option<&str>, Vec<Dialect>)> = Vec::new();
    let here = winners.iter().filter(|(dialect, _)| facts.is_read_by(*dialect));
    for (dialect, winner) in here {
        match taken.iter_mut().find(|(other, _)| *other == winner.as_deref()) {
            Some((_, dialects)) => dialects.push(*dialect),
            None => taken.push((winner.as_deref(), vec![*dialect])),
        }
    }
    // Whichever is taken says the same.
    let is_copy = |other: &Named<'_>| other.is_copy_of(&own) || are_copies(&other.path, &own.path);
    let of_winner = |winner: &str| winner == own.path || names.at(winner).is_some_and(|it| is_copy(&it));
    let is_same = |winner: &Option<&str>| match winner {
        Some(winner) => of_winner(winner),
        None => names.all(own.name).iter().all(|it| it.path == own.path || is_copy(it)),
    };
    if taken.iter().all(|(winner, _)| is_same(winner)) {
        return;
    }
    let is_random = taken.iter().any(|(winner, _)| winner.is_none());
    if taken.len() < 2 && !is_random {
        return;
    }
    let message = format!("readers disagree which skill `{}` is; rename all but one", own.name);
    let finding = report.add(head(file), message);
    for (winner, readers) in &taken {
        let (fate, reason) = match winner {
            Some(winner) if *winner == own.path => (Fate::Read, None),
            Some(winner) => (Fate::Ignored, Some(format!("`{winner}` counts"))),
            None => (Fate::Altered, Some("readers take different skills".to_owned())),
        };
        for reader in readers {
            finding.affects(facts, *reader, fate, reason.as_deref());
        }
    }
    for (winner, _) in taken {
        if let Some(winner) = winner.filter(|winner| *winner != own.path) {
            finding.relate_file(winner, "another skill with this name");
        }
    }
}
