//! How much a model is to think.

use std::fmt;

/// How much a model is to think, as the field `effort` of Claude Code 2.1 and the settings say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    ExtraHigh,
    /// All that the model has.
    Max,
    /// At most so many tokens.
    Budget(u32),
}

/// The words, from little to much.
const LEVELS: [(&str, Effort); 5] = [
    ("low", Effort::Low),
    ("medium", Effort::Medium),
    ("high", Effort::High),
    ("xhigh", Effort::ExtraHigh),
    ("max", Effort::Max),
];

impl Effort {
    /// What a text means: `low`, `medium`, `high`, `xhigh`, `max`, or a number of tokens.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let level = LEVELS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        level
            .map(|(_, effort)| *effort)
            .or_else(|| text.parse().ok().filter(|tokens| *tokens > 0).map(Self::Budget))
    }

    /// The level alone: a number of tokens becomes the nearest word.
    pub(super) fn level(self) -> Self {
        match self {
            Self::Budget(..=4_096) => Self::Low,
            Self::Budget(..=16_384) => Self::Medium,
            Self::Budget(_) => Self::High,
            level => level,
        }
    }

    /// The level's word.
    pub(super) fn word(self) -> &'static str {
        let level = self.level();
        LEVELS
            .iter()
            .find(|(_, effort)| *effort == level)
            .map_or("high", |(word, _)| word)
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(tokens) => write!(f, "{tokens}"),
            level => f.write_str(level.word()),
        }
    }
}
