//! `surprising-place`

use crate::{
    dialect::{Dialect, Outcome, PLACES, Walk, titles},
    facts::{Facts, FileKind},
    rules::{Report, Rule, head},
    syntax::SkillFile,
};

/// A skill where some readers of the folder find it and others don't, or where it hides other skills.
pub(super) const RULE: Rule = Rule {
    code: "surprising-place",
    summary: "a skill lies where all readers of its folder look",
    outcome: |_| Outcome::Recovers,
    kinds: &[FileKind::Skill],
    documentation: include_str!("surprising_place.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some((root, inner)) = root(facts.path) else { return };
    let readers = || {
        Dialect::ALL
            .into_iter()
            .filter(|it| facts.is_read_by(*it) && *it != Dialect::Unified)
    };
    let titles = |wanted: &dyn Fn(Walk) -> bool| titles(readers().filter(|it| wanted(it.walk())));
    let message = if inner.is_empty() {
        let hiding = titles(&|walk| walk.takes_root && !walk.below_skills);
        let hidden = match hiding.as_str() {
            "" => String::new(),
            hiding => format!(" and hides all others of `{root}` from {hiding}"),
        };
        let blind = titles(&|walk| !walk.takes_root);
        let unseen = match blind.as_str() {
            "" => String::new(),
            blind => format!("; not found by {blind}"),
        };
        if hidden.is_empty() && unseen.is_empty() {
            return;
        }
        format!("this file lies in no folder of its own{hidden}{unseen}; move it into a folder with the skill's name")
    } else if inner.split('/').any(|folder| folder == "node_modules") {
        match titles(&|walk| walk.node_modules).as_str() {
            "" => return,
            finding => format!("what packages bring is a skill too: {finding} look into `node_modules`"),
        }
    } else {
        return;
    };
    report.add(head(file), message);
}

/// The folder of skills that a file lies in, and the folders between it and the file.
fn root(path: &str) -> Option<(&str, &str)> {
    let folder = path.rsplit_once('/')?.0;
    let roots = PLACES.iter().map(|(place, _)| match place.strip_suffix("/skills") {
        Some(_) => (*place).to_owned(),
        None => format!("{place}/skills"),
    });
    let owned = [
        ".pi/skills",
        ".gemini/skills",
        ".opencode/skills",
        ".goose/skills",
        ".crush/skills",
    ]
    .map(str::to_owned);
    let found = roots.chain(owned).filter_map(|place| {
        let at = folder.rfind(&place)?;
        let is_start = at == 0 || folder[..at].ends_with('/');
        let rest = &folder[at + place.len()..];
        (is_start && (rest.is_empty() || rest.starts_with('/'))).then_some((at, place.len()))
    });
    let (at, length) = found.max()?;
    Some((&folder[at..at + length], folder[at + length..].trim_start_matches('/')))
}
