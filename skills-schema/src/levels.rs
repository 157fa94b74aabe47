//! The severity of each rule, as a person configures it.

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::severity::Severity;

/// The rules whose severity is configured; all others choose their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<&'static str, Level>);

/// The severity of a rule.
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
    /// Configures the rule of a code; an error says which levels there are.
    pub(crate) fn set(&mut self, code: &'static str, level: &str) -> Result<(), UnknownLevel> {
        self.0.insert(code, level.parse()?);
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
}

/// A text that names no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use one of {}", LEVELS.map(|(name, _)| name).join(", "))]
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
    fn levels_have_names() {
        for (name, level) in LEVELS {
            assert_eq!(level.to_string(), name);
            assert_eq!(name.parse(), Ok(level));
        }
    }
}
