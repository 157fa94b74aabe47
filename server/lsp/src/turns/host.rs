//! The editor as the agent's host: reads are its buffers, writes are its edits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use skills_agent::event::{Event, EventKind};
use skills_agent::host::{Answer, Applied, ApplyError, Buffer, FileEdit, Host, Proposal, Question, Reviewed, Saved};
use skills_agent::workspace::Workspace;
use tokio::sync::mpsc::UnboundedSender;

use super::{questions, reviewing};
use crate::state::Shared;
use crate::{edits, review};

/// The host of one turn.
pub struct EditorHost {
    shared: Arc<Shared>,
    workspace: Arc<Workspace>,
    session: String,
    /// Unbounded, because a turn is: its answers, calls and outputs all have caps.
    events: UnboundedSender<Event>,
}

impl EditorHost {
    /// The editor at the other end of a connection.
    pub fn new(
        shared: Arc<Shared>,
        workspace: Arc<Workspace>,
        session: String,
        events: UnboundedSender<Event>,
    ) -> Self {
        Self {
            shared,
            workspace,
            session,
            events,
        }
    }
}

impl Host for EditorHost {
    fn buffer(&self, path: &Path) -> Option<Buffer> {
        let document = self.shared.state().documents.of_path(path).cloned()?;
        (!document.is_new_file()).then_some(Buffer {
            text: document.text().clone(),
            version: document.version,
        })
    }

    fn open_files(&self) -> Vec<PathBuf> {
        let state = self.shared.state();
        let mut files: Vec<_> = state
            .documents
            .iter()
            .filter_map(|document| document.path.clone())
            .collect();
        files.sort();
        files.dedup();
        files
    }

    fn saved_later(&self) -> Saved {
        let shared = Arc::downgrade(&self.shared);
        Arc::new(move |path| shared.upgrade()?.state().documents.saved(path))
    }

    fn apply(&self, edit: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        let (shared, workspace) = (self.shared.clone(), self.workspace.clone());
        // A task of its own: an edit that was sent is seen through, and recorded, also when the turn is stopped.
        let applying = tokio::spawn(async move {
            let plan = |current: Option<&str>| edit.intent.apply_to(current);
            let applied = edits::apply(&shared, &workspace, &edit.path, &edit.label, &plan).await;
            if applied.is_ok() && edit.path.file_name().is_some_and(|name| name == "SKILL.md") {
                shared.rescan.notify_one();
            }
            applied
        });
        async move {
            applying
                .await
                .unwrap_or_else(|error| Err(ApplyError::Io(format!("the edit failed: {error}"))))
        }
        .boxed()
    }

    fn save(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        edits::save_all(&self.shared).boxed()
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        questions::ask(&self.shared, &self.session, question).boxed()
    }

    fn review(&self, proposal: Proposal) -> BoxFuture<'_, Option<Reviewed>> {
        reviewing::review(&self.shared, &self.session, proposal).boxed()
    }

    fn emit(&self, event: Event) {
        if let EventKind::Changed(change) = &event.kind {
            review::show(&self.shared, vec![change.path.clone()]);
        }
        // The receiver lives as long as any sender; without it nobody is left to be told.
        if self.events.send(event).is_err() {
            tracing::debug!("an event of a turn came after its end");
        }
    }
}
