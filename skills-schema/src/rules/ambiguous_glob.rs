//! `ambiguous-glob`

use crate::{
    dialect::{Dialect, Outcome},
    facts::Facts,
    fixes::{Edit, Fix},
    glob::Flavour,
    rules::{Fate, Report, Rule, field, where_read},
    skill,
    syntax::SkillFile,
};

/// A glob that readers understand in different ways.
pub(super) const RULE: Rule = Rule {
    code: "ambiguous-glob",
    summary: "a glob under `paths` that readers take differently",
    outcome: |reader| where_read(reader, "paths", Outcome::Tolerates),
    documentation: include_str!("ambiguous_glob.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(entry) = field(file, facts, "paths") else {
        return;
    };
    let reads = |reader: Dialect, flavour| reader.checked().paths.is_some_and(|paths| paths.flavour == flavour);
    let is_rooted = reads(facts.dialect, Flavour::Claude);
    let is_plain = facts.readers.iter().any(|reader| reads(*reader, Flavour::OpenHands));
    for pattern in skill::globs(file, &entry.value) {
        let glob = pattern.text;
        if is_rooted
            && !glob.contains('/')
            && glob.contains('*')
            && !glob.contains('\\')
            && !glob.starts_with("**")
            && !glob.starts_with('!')
        {
            let message = "some readers match this in the root only; write `**/` before it";
            let finding = report.add(pattern.range, message);
            let others = Dialect::ALL.into_iter().filter(|it| reads(*it, Flavour::OpenHands));
            for reader in others {
                finding.affects(facts, reader, Fate::Altered, Some("it matches in every folder"));
            }
            if file.slice(pattern.range) == glob {
                let edit = Edit::insert(pattern.range.start(), "**/");
                finding.fix(Fix::unsafe_("Look in every folder", vec![edit]));
            }
        } else if let Some(at) = glob.find(['{', '[']).filter(|_| is_rooted && is_plain) {
            let message = "some readers take this literally; write one pattern per choice";
            let plain = facts
                .readers
                .iter()
                .copied()
                .filter(|it| reads(*it, Flavour::OpenHands));
            let finding = report.add(pattern.part(file, at..at + 1), message);
            for reader in plain {
                finding.affects(facts, reader, Fate::Altered, Some("it is a plain character"));
            }
        } else if let Some(at) = unclosed(glob).filter(|_| is_rooted) {
            let message = "unclosed `{`, taken literally; add `}` or write `\\{`";
            report.add(pattern.part(file, at..at + 1), message);
        }
    }
}

/// The first brace that nothing closes.
fn unclosed(glob: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut escaped = false;
    for (at, c) in glob.char_indices() {
        match c {
            _ if escaped => {}
            '{' => open.push(at),
            '}' => {
                open.pop();
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    open.first().copied()
}
