//! `unmatched-paths`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileIndex, FileKind},
    fixes::{Edit, Fix},
    glob::PathMatcher,
    rules::{Look, Report, Rule, invalid_glob},
    skill::Metadata,
    syntax::SkillFile,
};

/// A pattern of `paths` that no file matches.
pub(super) const RULE: Rule = Rule {
    code: "unmatched-paths",
    summary: "a pattern under `paths` that matches no file of the workspace",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("unmatched_paths.md"),
    look: Some(Look::Workspace(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    if !facts.around.files.iter().all(|files| files.is_complete) {
        return;
    }
    // To a reader without `paths` the patterns mean nothing.
    let Some(flavour) = facts.runtime().paths.map(|paths| paths.flavour) else {
        return;
    };
    for pattern in Metadata::of(file).paths {
        let matcher = PathMatcher::of(flavour, [pattern.text.as_str()]);
        // One with a fault has its own finding.
        let is_faulty = invalid_glob::is_faulty(&pattern.text, flavour);
        if is_faulty || !matcher.is_valid(0) || matcher.is_unconditional() || matches_any(&matcher, facts.around.files)
        {
            continue;
        }
        let deep = format!("**/{}", pattern.text.trim_start_matches('/'));
        let deeper = PathMatcher::of(flavour, [deep.as_str()]);
        let count: usize = facts
            .around
            .files
            .iter()
            .map(|files| files.count(|path| deeper.matches(path).is_some()))
            .sum();
        let what = match count {
            0 => "matches no file, so the skill never activates".to_owned(),
            _ => format!("matches no file; `{deep}` matches {count}"),
        };
        let finding = report.add(pattern.range, format!("`{}` {what}", pattern.text));
        if count > 0 && file.slice(pattern.range) == pattern.text {
            let text = if is_unquoted(file, pattern.range.start()) {
                format!("\"{deep}\"")
            } else {
                deep.clone()
            };
            finding.fix(Fix::unsafe_(
                format!("Match in every folder: `{deep}`"),
                vec![Edit::replace(pattern.range, text)],
            ));
        }
    }
}

fn matches_any(matcher: &PathMatcher, files: &[&FileIndex]) -> bool {
    files.iter().any(|files| {
        let mut found = false;
        files.each(|path| {
            found = matcher.matches(path).is_some();
            !found
        });
        found
    })
}

/// Whether a pattern is a whole item without quotes, where a star in front would be an alias to YAML.
fn is_unquoted(file: &SkillFile, start: text_size::TextSize) -> bool {
    let before = file.text[..usize::from(start)].trim_end_matches(' ');
    before.ends_with(['-', '[']) || before.ends_with("paths:")
}
