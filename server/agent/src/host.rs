//! The seam to whatever the person works in: an editor, or a terminal.
//!
//! The agent reads open buffers and proposes edits through it; how an edit reaches the text, and how it is
//! proven to have arrived, is the host's affair.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::event::Event;

pub use crate::changes::{Applied, ApplyError, Intent, Replacement};

/// Says at any time what the editor saved last in a file, by its path with links resolved, as the
/// [`text_hash`](crate::changes::text_hash); `None` where it saved nothing there. It keeps no host alive.
pub type Saved = Arc<dyn Fn(&Path) -> Option<u64> + Send + Sync>;

/// The text of an open buffer, unsaved changes included.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// The whole text.
    pub text: Arc<str>,
    /// The editor's version number; it only ever grows, not by one.
    pub version: i32,
}

/// One edit of one file, ready to be applied.
#[derive(Debug, Clone)]
pub struct FileEdit {
    /// The file's absolute path, already resolved inside the workspace.
    pub path: PathBuf,
    /// What to do.
    pub intent: Intent,
    /// What the editor's undo list and the person see, such as `skills: replace_range`.
    pub label: String,
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// One line: what the agent wants.
    pub title: String,
    /// What exactly will happen: a diff, a command line, a folder.
    pub detail: String,
    /// The answers offered. Unknown, late or missing answers never approve.
    pub choices: Vec<Choice>,
    /// The rules that an answer of kind [`ChoiceKind::AllowAlways`] keeps, word for word; empty where none are kept.
    pub rules: String,
    /// Whether a text of the person's own is an answer too: [`Answer::Replied`] with [`Question::FREE_TEXT`].
    pub takes_text: bool,
}

impl Question {
    /// The identifier of an answer in the person's own words.
    pub const FREE_TEXT: &'static str = "text";
}

/// An edit that the person is shown before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// One line: what the agent wants.
    pub title: String,
    /// The file's absolute path.
    pub path: PathBuf,
    /// The text that it has; `None` where there is no file.
    pub before: Option<Arc<str>>,
    /// The text that it would have.
    pub after: Option<Arc<str>>,
}

/// What the person decided about a [`Proposal`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reviewed {
    /// The hunks that may be made, counted from 1 as [`crate::changes::edits::hunks`] gives them.
    pub accepted: BTreeSet<u32>,
    /// What the model is told about the others.
    pub message: Option<String>,
}

/// One answer that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The identifier that comes back in [`Answer::Chosen`].
    pub id: &'static str,
    /// What the person reads.
    pub label: String,
    /// What it means.
    pub kind: ChoiceKind,
}

/// What an answer means, as the Agent Client Protocol names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceKind {
    /// Yes, this time.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No, this time.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The identifier of the chosen answer.
    Chosen(&'static str),
    /// The chosen answer with what the person wrote beside it: the rules to keep instead of those shown, the reason of
    /// a no, or the answer itself.
    Replied {
        /// The identifier of the chosen answer.
        id: &'static str,
        /// What the person wrote.
        text: String,
    },
    /// Closed, timed out, cancelled, or not understood: never an approval.
    Dismissed,
}

/// Whatever the person works in.
pub trait Host: Send + Sync {
    /// The text of an open buffer; `None` where the file is not open.
    ///
    /// The path has no symbolic links; a buffer that the editor opened under another spelling of it counts too.
    fn buffer(&self, path: &Path) -> Option<Buffer>;

    /// The absolute paths of all open files, sorted.
    fn open_files(&self) -> Vec<PathBuf>;

    /// What the editor saves, for what runs on when the turn and its host are gone; without it, it saves nothing.
    fn saved_later(&self) -> Saved {
        Arc::new(|_| None)
    }

    /// Applies one edit and observes what happened to it. Permission was asked before.
    ///
    /// The edit is located again, by [`Intent::apply_to`], in the text that is there when it is applied.
    fn apply(&self, edit: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>>;

    /// Has the open files saved that a command would see without what was typed; gives those that stay unsaved, sorted.
    ///
    /// Ask it before each command: whoever is asked about the command should be told about the files that it won't see.
    fn save(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Asks the person, one question at a time.
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer>;

    /// Shows an edit hunk by hunk, in place of a question; `None` where the person can only be asked.
    fn review(&self, proposal: Proposal) -> BoxFuture<'_, Option<Reviewed>> {
        drop(proposal);
        Box::pin(std::future::ready(None))
    }

    /// Tells what happens in a turn.
    fn emit(&self, event: Event);
}

/// Asks the person; a question that is open when the turn is stopped is dismissed.
pub async fn ask(host: &dyn Host, question: Question, cancel: &CancellationToken) -> Answer {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Answer::Dismissed,
        answer = host.ask(question) => answer,
    }
}
