//! What happened to an edit: what was observed of it, or why it did not happen.

use std::sync::Arc;

use super::eol::same_text;
use super::observe::without;

/// What was observed after an edit: proof, not the editor's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// What would be there without the edit: the text before it, with what was typed while it was on its way. `None` where
    /// the file did not exist.
    pub before: Option<Arc<str>>,
    /// The text after; `None` where the file is gone.
    pub after: Option<Arc<str>>,
    /// What the model knows of it: the text after, without what was typed while the edit was on its way.
    pub known: Option<Arc<str>>,
}

impl Applied {
    /// An edit that nobody else's came together with.
    pub fn alone(before: Option<Arc<str>>, after: Option<Arc<str>>) -> Self {
        let known = after.clone();
        Self { before, after, known }
    }

    /// An edit that arrived together with what somebody typed. `expected` is the text that the edit alone would have left.
    /// Where the two can't be told apart that text stands for the one observed.
    pub fn observed(before: Option<Arc<str>>, expected: Arc<str>, observed: Arc<str>) -> Self {
        if same_text(&expected, &observed) {
            return Self::alone(before, Some(observed));
        }
        let Some(without) = without(before.as_deref().unwrap_or_default(), &expected, &observed) else {
            return Self::alone(before, Some(expected));
        };
        let was_there = before.is_some() || !without.is_empty();
        Self {
            before: was_there.then(|| without.into()),
            after: Some(observed),
            known: Some(expected),
        }
    }
}

/// Why an edit did not happen. Each message is written for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The edit does not fit the text: read it again.
    #[error("{0}")]
    Stale(String),
    /// The editor refused, or said yes and did nothing.
    #[error("{0}")]
    Rejected(String),
    /// The text became something else than was sent: the person typed, or the editor reformatted.
    #[error("{0}")]
    Diverged(String),
    /// The person said no, or was not asked because the turn ended.
    #[error("{0}")]
    Denied(String),
    /// The file could not be read or written.
    #[error("{0}")]
    Io(String),
}
