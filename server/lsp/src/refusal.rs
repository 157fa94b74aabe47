//! Why something that was asked for is not done: one type for commands, requests and turns, whose text is the message.

use std::fmt::Display;
use std::path::PathBuf;

use skills_agent::catalog::Unreadable;
use skills_agent::event::TurnId;
use skills_agent::session;
use skills_schema::rename::NotRenamed;

/// Why something that a person, an editor or a tool asked for is not done. As text it says what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A turn runs, so that input is not taken.
    #[error("{0}")]
    Busy(String),
    /// Another turn runs than the one that was expected, or none.
    #[error("the turn that runs now is another one: {}", .0.as_ref().map_or("none", |turn| &*turn.0))]
    TurnMismatch(Option<TurnId>),
    /// No session of this identifier is open.
    #[error("session {0} is not open; resume it first, or begin a new one")]
    Closed(String),
    /// No document of this URI is an open skill.
    #[error("{0} is no open skill: open it first")]
    NoSkill(String),
    /// No skill has this name.
    #[error("there is no skill `{0}` to rename")]
    Unnamed(String),
    /// Something is there where something new was to be.
    #[error("{} is there already; take another name", .0.display())]
    Taken(PathBuf),
    /// A path that can't be told to an editor.
    #[error("{} has no URI", .0.display())]
    NoUri(PathBuf),
    /// Every change that was meant is kept or taken back.
    #[error("no change of the agent is left there to {0}")]
    NoChange(&'static str),
    /// A turn runs that has to end first.
    #[error(transparent)]
    Running(#[from] session::Busy),
    /// The new name can't be one.
    #[error(transparent)]
    NotRenamed(#[from] NotRenamed),
    /// A text that is needed can't be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Anything else, in words for the person.
    #[error("{0}")]
    Other(String),
}

impl Refusal {
    /// What went wrong below is the reason.
    pub fn of(error: impl Display) -> Self {
        Self::Other(error.to_string())
    }

    /// Its name for programs, where they may want to tell it from others.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Busy(_) => Some("busy"),
            Self::TurnMismatch(_) => Some("turnMismatch"),
            _ => None,
        }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Self {
        Self::Other(message.to_owned())
    }
}
