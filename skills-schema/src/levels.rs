//! How loud each rule is, as a person configures it.

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::rules::{self, RULES, Rule, Severity};

/// The rules whose loudness is configured; all others speak as they think right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<&'static str, Level>);

/// How loud a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It says nothing.
    Off,
    /// All that it finds is this loud, and it speaks even where it would be off by default.
    At(Severity),
}

/// The levels by their names in configuration.
const LEVELS: [(&str, Level); 5] = [
    ("off", Level::Off),
    ("hint", Level::At(Severity::Hint)),
    ("info", Level::At(Severity::Information)),
    ("warning", Level::At(Severity::Warning)),
    ("error", Level::At(Severity::Error)),
];

impl Levels {
    /// Configures one rule; an error says what is not known, and what was likely meant.
    pub fn set(&mut self, code: &str, level: &str) -> Result<(), String> {
        let rule = rules::find(code).ok_or_else(|| unknown_code(code))?;
        let level = level.parse().map_err(|UnknownLevel| {
            let names = LEVELS.map(|(name, _)| name).join(", ");
            format!("`{code}` can't be `{level}`; use one of {names}")
        })?;
        self.0.insert(rule.code, level);
        Ok(())
    }

    /// These levels where they say something, the others elsewhere.
    pub fn over(&self, base: &Levels) -> Levels {
        Levels(
            base.0
                .iter()
                .chain(&self.0)
                .map(|(code, level)| (*code, *level))
                .collect(),
        )
    }

    /// What is configured for a rule.
    pub fn get(&self, code: &str) -> Option<Level> {
        self.0.get(code).copied()
    }

    /// Whether a rule speaks, and how loudly where that is configured.
    pub(crate) fn is_on(levels: Option<&Levels>, rule: &Rule) -> bool {
        match levels.and_then(|levels| levels.get(rule.code)) {
            Some(level) => level != Level::Off,
            None => !rule.default_off,
        }
    }
}

/// What to say of a code that no rule has.
pub fn unknown_code(code: &str) -> String {
    match rules::nearest(code, RULES.iter().map(|rule| rule.code)) {
        Some(near) => format!("there is no rule `{code}`; did you mean `{near}`?"),
        None => format!("there is no rule `{code}`; `skills-ls explain` lists all"),
    }
}

/// A text that names no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLevel;

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Level, UnknownLevel> {
        let found = LEVELS.iter().find(|(known, _)| *known == name);
        found.map(|(_, level)| *level).ok_or(UnknownLevel)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = LEVELS.iter().find(|(_, level)| level == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_by_name_and_mistakes_name_the_way_out() {
        let mut levels = Levels::default();
        assert_eq!(levels.set("broken-link", "error"), Ok(()));
        assert_eq!(levels.set("name-folder", "off"), Ok(()));
        assert_eq!(levels.get("broken-link"), Some(Level::At(Severity::Error)));
        assert_eq!(levels.get("name-folder"), Some(Level::Off));
        assert_eq!(levels.get("name-format"), None);
        let message = levels.set("brokn-link", "off").unwrap_err();
        assert!(message.contains("did you mean `broken-link`?"), "{message}");
        let message = levels.set("broken-link", "loud").unwrap_err();
        assert!(message.contains("off, hint, info, warning, error"), "{message}");
        for (name, level) in LEVELS {
            assert_eq!(level.to_string(), name);
        }
    }
}
