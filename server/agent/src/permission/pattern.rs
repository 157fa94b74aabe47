//! The patterns by which skills mark calls as dangerous or worth a question (`danger_patterns`, `confirm_patterns`).

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use skills_schema::skill::CallPattern;

use crate::catalog::{Catalog, Skill, SkillState};

/// A pattern that compiles to more than this is treated as one that can't be read.
const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// What happens to a call that a pattern is found in; the graver one wins, whatever their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A person is asked, whatever is allowed.
    Confirm,
    /// It is not done.
    Block,
}

/// The patterns of all skills that are loaded and trusted.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    severity: Severity,
    /// `None` where the text can't be read: then every call asks, because nobody knows what it guards.
    regex: Option<Regex>,
    text: String,
    reason: Option<String>,
    skill: String,
}

impl Patterns {
    /// Those of the skills that count and that the person trusts: a pattern only ever forbids or asks, but whoever may
    /// place it could stop all work.
    pub fn of(catalog: &Catalog) -> Self {
        let mut patterns = Self::default();
        let counts =
            |skill: &&Arc<Skill>| skill.is_trusted && matches!(skill.state, SkillState::Listed | SkillState::Hidden);
        for skill in catalog.skills.iter().filter(counts) {
            for CallPattern {
                pattern,
                blocks,
                reason,
            } in &skill.metadata.call_patterns
            {
                let severity = if *blocks { Severity::Block } else { Severity::Confirm };
                patterns.add(&skill.name, severity, pattern, reason.clone());
            }
        }
        patterns
    }

    /// Adds one pattern, a regular expression that is searched for in any case of letters.
    pub fn add(&mut self, skill: &str, severity: Severity, pattern: &str, reason: Option<String>) {
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(true)
            .size_limit(MAX_PROGRAM_BYTES)
            .build();
        self.patterns.push(Pattern {
            severity: if regex.is_ok() { severity } else { Severity::Confirm },
            regex: regex.ok(),
            text: pattern.to_owned(),
            reason,
            skill: skill.to_owned(),
        });
    }

    /// The gravest that is found in a call, with its reason and where it comes from.
    pub(super) fn judge(&self, tool: &str, input: &Value) -> Option<(Severity, String)> {
        if self.patterns.is_empty() {
            return None;
        }
        let mut texts = vec![format!("{tool} {input}")];
        decoded(tool, input, &mut texts);
        let found = |pattern: &&Pattern| match &pattern.regex {
            Some(regex) => texts.iter().any(|text| regex.is_match(text)),
            None => true,
        };
        // The first of the gravest.
        let gravest = self
            .patterns
            .iter()
            .rev()
            .filter(found)
            .max_by_key(|pattern| pattern.severity)?;
        Some((gravest.severity, gravest.explanation()))
    }
}

impl Pattern {
    fn explanation(&self) -> String {
        let Self { text, skill, .. } = self;
        match (&self.regex, &self.reason) {
            (None, _) => format!("the pattern {text:?} of skill {skill} can't be read, so every call asks"),
            (_, Some(reason)) => format!("{reason} (pattern {text:?} of skill {skill})"),
            (_, None) => format!("the pattern {text:?} of skill {skill} is found in it"),
        }
    }
}

/// Each text as it is meant, because JSON escapes quotes and takes lists of words apart.
fn decoded(tool: &str, value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(format!("{tool} {text}")),
        Value::Array(items) => {
            let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            if let Some(words) = words.filter(|words| words.len() > 1) {
                texts.push(format!("{tool} {}", words.join(" ")));
            }
            items.iter().for_each(|item| decoded(tool, item, texts));
        }
        Value::Object(fields) => fields.values().for_each(|value| decoded(tool, value, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_gravest_pattern_wins_and_says_where_it_comes_from() {
        let mut patterns = Patterns::default();
        patterns.add("guard", Severity::Confirm, "rm", None);
        patterns.add("guard", Severity::Block, "git push", Some("not on Fridays".into()));
        patterns.add("guard", Severity::Block, "rm -rf", None);
        for (input, expected) in [
            (json!({"argv": ["ls", "x"]}), None),
            (json!({"argv": ["rm", "x"]}), Some(Severity::Confirm)),
            (json!({"argv": ["RM", "-rf", "x"]}), Some(Severity::Block)),
            (json!({"argv": ["sh", "-c", "rm -rf x"]}), Some(Severity::Block)),
            (json!({"argv": ["git", "push"]}), Some(Severity::Block)),
        ] {
            let found = patterns.judge("run_shell", &input);
            assert_eq!(found.as_ref().map(|(severity, _)| *severity), expected, "{input}");
            assert!(found.is_none_or(|(_, why)| why.contains("skill guard")));
        }
    }

    #[test]
    fn quotes_are_found_as_they_are_meant_and_as_json_writes_them() {
        for pattern in [r#"say "hi""#, r#"say \\"hi\\""#, "^run_shell "] {
            let mut patterns = Patterns::default();
            patterns.add("s", Severity::Block, pattern, None);
            let found = patterns.judge("run_shell", &json!({"a": "say \"hi\""}));
            assert!(found.is_some(), "{pattern}");
        }
    }

    #[test]
    fn what_can_not_be_read_asks_about_everything() {
        for pattern in ["(", "a{1000}{1000}{1000}"] {
            let mut patterns = Patterns::default();
            patterns.add("s", Severity::Block, pattern, None);
            let (severity, why) = patterns.judge("find_files", &json!({})).unwrap();
            assert_eq!(severity, Severity::Confirm);
            assert!(why.contains("can't be read"), "{why}");
        }
    }
}
