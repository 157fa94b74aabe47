//! `broad-trigger`

use crate::{
    dialect::{Outcome, runtime::Matcher},
    facts::Facts,
    rules::{Report, Rule, dead_trigger::triggers, where_triggered},
    syntax::SkillFile,
};

/// A trigger that nearly every message holds.
pub(super) const RULE: Rule = Rule {
    code: "broad-trigger",
    summary: "a trigger word so common that it starts the skill by accident",
    outcome: |reader| where_triggered(reader, Outcome::Recovers),
    documentation: include_str!("broad_trigger.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let matcher = facts.checked().triggers.map(|triggers| triggers.matcher);
    for trigger in triggers(file, facts) {
        let word = trigger.value.trim().to_lowercase();
        let message = match matcher {
            Some(Matcher::Substring) if trigger.value.is_empty() => {
                "an empty trigger matches every message; write `\"*\"` if you mean that".to_owned()
            }
            Some(Matcher::Substring)
                if word.len() <= 2 && word.bytes().all(|it| it.is_ascii_alphabetic()) && !word.is_empty() =>
            {
                format!("`{word}` occurs inside most messages; use a longer trigger")
            }
            _ if COMMON.contains(&word.as_str()) || (word.len() == 1 && word != "*" && word.is_ascii()) => {
                format!("`{word}` occurs in most messages; use a more specific trigger")
            }
            _ => continue,
        };
        report.add(trigger.range, message);
    }
}

/// Words that say nothing about what is wanted.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "do", "does", "for", "from", "have",
    "help", "how", "i", "if", "in", "into", "is", "it", "its", "make", "me", "my", "need", "not", "of", "on", "or",
    "our", "please", "should", "so", "that", "the", "then", "there", "this", "to", "us", "use", "want", "was", "we",
    "what", "when", "which", "will", "with", "would", "you", "your",
];
