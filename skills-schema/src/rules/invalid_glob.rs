//! `invalid-glob`

use std::ops::Range;

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    glob::{Flavour, PathMatcher},
    rules::{Report, Rule, field, where_read},
    skill,
    syntax::SkillFile,
};

/// A glob that matches no file.
pub(super) const RULE: Rule = Rule {
    code: "invalid-glob",
    summary: "a glob under `paths` that can't match",
    outcome: |reader| where_read(reader, "paths", Outcome::Recovers),
    documentation: include_str!("invalid_glob.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(entry) = field(file, facts, "paths") else {
        return;
    };
    for pattern in skill::globs(file, &entry.value) {
        let Some(fault) = fault(pattern.text, facts.checked().paths.map(|paths| paths.flavour)) else {
            continue;
        };
        let finding = report.add(pattern.part(file, fault.range.clone()), fault.message);
        if let Some((title, text)) = fault.instead.filter(|_| file.slice(pattern.range) == pattern.text) {
            let edit = Edit::replace(pattern.part(file, fault.range), text);
            finding.fix(Fix::unsafe_(title, vec![edit]));
        }
    }
}

/// Whether something is wrong with a glob by itself, whatever files there are.
pub(super) fn is_faulty(glob: &str, flavour: Flavour) -> bool {
    fault(glob, Some(flavour)).is_some()
}

/// What is wrong with a glob.
struct Fault {
    range: Range<usize>,
    message: String,
    /// The title of a repair, and what to write.
    instead: Option<(&'static str, String)>,
}

fn fault(glob: &str, flavour: Option<Flavour>) -> Option<Fault> {
    let wrong = |range: Range<usize>, message: &str| Fault {
        range,
        message: message.to_owned(),
        instead: None,
    };
    let home = ["~", "/home/", "/Users/", "/root/"]
        .iter()
        .find(|it| glob.starts_with(**it));
    let is_drive = glob.as_bytes().get(1) == Some(&b':') && glob.starts_with(|c: char| c.is_ascii_alphabetic());
    if home.is_some() || is_drive {
        let message = "an absolute path never matches; patterns start at the project's root";
        return Some(wrong(0..glob.len(), message));
    }
    if glob.starts_with('!') {
        return Some(wrong(0..1, "`!` does not negate here; list the files to match"));
    }
    if glob.starts_with("./") {
        let fault = wrong(0..2, "a pattern with `./` never matches; remove it");
        return Some(Fault {
            instead: Some(("Remove it", String::new())),
            ..fault
        });
    }
    if let Some(at) = parent(glob) {
        return Some(wrong(
            at..at + 2,
            "a pattern with `../` never matches; start at the project's root",
        ));
    }
    if let Some(at) = separator(glob) {
        let fault = wrong(at..at + 1, "`\\` does not separate folders; write `/`");
        return Some(Fault {
            instead: Some(("Write `/`", "/".to_owned())),
            ..fault
        });
    }
    match flavour {
        Some(Flavour::OpenHands) => {
            let slash = glob
                .starts_with('/')
                .then_some((0, "a leading `/` never matches; remove it"));
            let end = glob
                .ends_with('/')
                .then_some((glob.len() - 1, "a trailing `/` never matches; write `/**`"));
            let plain = glob
                .find(['{', '['])
                .map(|at| (at, "taken literally here; write one pattern per choice"));
            slash.or(end).or(plain).map(|(at, message)| wrong(at..at + 1, message))
        }
        _ => {
            let matcher = PathMatcher::new([glob]);
            matcher.error(0).map(|error| wrong(error.at.clone(), &error.message))
        }
    }
}

fn parent(glob: &str) -> Option<usize> {
    let mut at = 0;
    glob.split('/').find_map(|part| {
        let start = at;
        at += part.len() + 1;
        (part == "..").then_some(start)
    })
}

/// A backslash that escapes nothing, or stands where a pattern has no other separator.
fn separator(glob: &str) -> Option<usize> {
    let at = glob.find('\\')?;
    let next = glob[at + 1..].chars().next()?;
    let is_separator = next.is_alphanumeric() || (next == '*' && !glob.contains('/'));
    is_separator.then_some(at)
}
