//! `backslash-path`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{LinkKind, SkillFile, range_of},
};

/// A path that only Windows reads.
pub(super) const RULE: Rule = Rule {
    code: "backslash-path",
    summary: "`\\` in a path instead of `/`",
    outcome: |_| Outcome::Doubts,
    documentation: include_str!("backslash_path.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    if memchr::memchr(b'\\', body.as_bytes()).is_none() {
        return;
    }
    let tree = file.markdown();
    let links = tree
        .links
        .iter()
        .filter(|it| it.kind != LinkKind::Html)
        .map(|it| it.destination.range);
    let spans = tree.code_spans.iter().map(|it| it.content).filter(|it| {
        let text = file.slice(*it);
        ["scripts\\", "references\\", "assets\\"]
            .iter()
            .any(|folder| text.starts_with(folder))
            && !text.contains(' ')
    });
    for range in links.chain(spans) {
        let text = file.slice(range);
        let places: Vec<usize> = text
            .match_indices('\\')
            .map(|(at, _)| at)
            .filter(|at| text[at + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            .collect();
        if places.is_empty() || text.contains("://") {
            continue;
        }
        let base = usize::from(range.start());
        let edits = places
            .iter()
            .map(|at| Edit::replace(range_of(base + at, base + at + 1), "/"))
            .collect();
        report
            .add(range, "only Windows reads `\\` in a path; write `/`")
            .fix(Fix::safe("Write `/`", edits));
    }
}
