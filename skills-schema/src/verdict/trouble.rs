//! Why a file is refused.

use text_size::TextRange;

/// Why something was refused, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) message: String,
    pub(super) range: Option<TextRange>,
    /// The part of it that is wrong, where the message is about the whole.
    pub(super) culprit: Option<TextRange>,
    /// The field that is not there.
    pub(super) missing: Option<&'static str>,
}

/// A [`Trouble`] that is nothing but a message and its place.
pub(super) fn trouble(message: impl Into<String>, range: Option<TextRange>) -> Trouble {
    Trouble {
        message: message.into(),
        range,
        ..Trouble::default()
    }
}
