//! Questions that wait for a person.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::protocol::PermissionParams;

/// The questions that wait for an answer, and the turn to ask.
#[derive(Debug, Default)]
pub struct Questions {
    /// In the order in which they were asked.
    pub open: Vec<OpenQuestion>,
    /// Held while a person is asked.
    pub asking: Arc<tokio::sync::Mutex<()>>,
}

/// One open question.
#[derive(Debug)]
pub struct OpenQuestion {
    /// As it was asked.
    pub params: PermissionParams,
    /// Who is shown it.
    pub audience: Audience,
    /// Where its answer goes, until it has one.
    pub answer: Option<oneshot::Sender<Given>>,
}

/// Who is shown a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The editor, and terminals that are attached.
    All,
    /// Terminals alone: the editor shows the same in another way.
    Terminals,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The identifier of the option; empty for none.
    pub option: String,
    /// What they wrote beside it.
    pub text: Option<String>,
    /// Whether it came from a terminal, and the editor does not know of it.
    pub from_terminal: bool,
}

impl Questions {
    /// The open questions, for code actions.
    pub fn in_editor(&self) -> Vec<PermissionParams> {
        let in_editor = self.open.iter().filter(|open| open.audience == Audience::All);
        in_editor.map(|open| open.params.clone()).collect()
    }

    /// The open questions, for terminals.
    pub fn for_terminals(&self) -> Vec<PermissionParams> {
        self.open.iter().map(|open| open.params.clone()).collect()
    }
}
