//! `defeated-pattern`

use std::ops::Range;

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    pattern,
    rules::{Report, Rule, invalid_regex::patterns, where_read},
    syntax::SkillFile,
};

/// A pattern that the form of a call keeps from matching.
pub(super) const RULE: Rule = Rule {
    code: "defeated-pattern",
    summary: "a pattern that never matches the call as the tool writes it",
    outcome: |reader| where_read(reader, "danger_patterns", Outcome::Recovers),
    documentation: include_str!("defeated_pattern.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for scalar in patterns(file, facts) {
        let value = scalar.value.as_str();
        let Some(trap) = trap(value).filter(|_| pattern::fault(value).is_none()) else {
            continue;
        };
        let finding = report.add(scalar.part(&file.text, trap.range), trap.message);
        if let Some(better) = trap.instead {
            let text = format!("'{}'", better.replace('\'', "''"));
            let edit = Edit::replace(scalar.range, text);
            finding.fix(Fix::unsafe_(format!("Write `{better}`"), vec![edit]));
        }
    }
}

/// Why a pattern never matches what it was written for.
struct Trap {
    range: Range<usize>,
    message: &'static str,
    instead: Option<String>,
}

/// Programs that a pattern names at its start; no tool has such a name.
const PROGRAMS: &[&str] = &[
    "rm", "sudo", "git", "npm", "npx", "pip", "curl", "wget", "chmod", "chown", "dd", "mkfs", "kill", "docker",
    "kubectl", "ssh", "bash", "sh", "python", "node", "cat", "mv", "cp",
];

fn trap(pattern: &str) -> Option<Trap> {
    let quotes: Vec<usize> = pattern
        .match_indices('"')
        .map(|(at, _)| at)
        .filter(|at| is_inside(pattern, *at))
        .collect();
    if let Some(&first) = quotes.first() {
        // Each quote of the text, also the one that ends the pattern.
        let escape = |at: usize| !pattern[..at].ends_with('\\') && at >= first;
        let escaped: String = pattern
            .char_indices()
            .map(|(at, c)| {
                if c == '"' && escape(at) {
                    "\\\\\"".to_owned()
                } else {
                    c.to_string()
                }
            })
            .collect();
        return Some(Trap {
            range: first..first + 1,
            message: "never matches, because JSON escapes the quote; write `\\\\\"`",
            instead: Some(escaped),
        });
    }
    for escape in ["\\n", "\\r", "\\t"] {
        let at = pattern
            .match_indices(escape)
            .map(|(at, _)| at)
            .find(|at| !pattern[..*at].ends_with('\\'));
        if let Some(at) = at {
            return Some(Trap {
                range: at..at + 2,
                message: "never matches, because JSON escapes it; write two backslashes",
                instead: Some(format!("{}\\{}", &pattern[..at], &pattern[at..])),
            });
        }
    }
    if let Some(program) = pattern.strip_prefix('^') {
        let word = program
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        if PROGRAMS.contains(&word) {
            return Some(Trap {
                range: 0..1,
                message: "the text begins with the tool's name, so `^` never matches; remove it",
                instead: Some(program.to_owned()),
            });
        }
    }
    let before = pattern.strip_suffix('$').and_then(|it| it.chars().next_back());
    before
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/'))
        .map(|_| Trap {
            range: pattern.len() - 1..pattern.len(),
            message: "the text ends with `}`, so `$` never matches; remove it",
            instead: Some(pattern[..pattern.len() - 1].to_owned()),
        })
}

/// Whether a quote stands inside of an argument's text: those of JSON itself have its punctuation beside them.
fn is_inside(pattern: &str, at: usize) -> bool {
    let is_text = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '=' | '/' | '-' | '_');
    let before = pattern[..at].chars().next_back();
    let after = pattern[at + 1..].chars().next();
    before.is_some_and(|c| c != '-' && is_text(c)) && after.is_some_and(is_text)
}
