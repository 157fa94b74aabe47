//! How the commands of a session run.

use std::path::PathBuf;
use std::sync::Arc;

use super::jobs::Jobs;
use super::sandbox::Sandbox;
use crate::workspace::Workspace;

/// What commands share over a session.
#[derive(Debug, Clone)]
pub struct Shell {
    /// The background commands.
    pub jobs: Arc<Jobs>,
    /// Where output goes that is too long for memory; without it the middle is lost, and nothing runs in the background.
    pub output_folder: Option<PathBuf>,
    /// Folders outside the workspace that commands may write to.
    pub writable: Vec<PathBuf>,
    /// Whether commands are kept from writing elsewhere, where the machine can do it.
    pub is_sandboxed: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Self {
            jobs: Arc::default(),
            output_folder: None,
            writable: Vec::new(),
            is_sandboxed: true,
        }
    }
}

impl Shell {
    /// The sandbox of a command, and what the person should know where there is none.
    pub(crate) fn sandbox(&self, workspace: &Workspace) -> (Option<Sandbox>, &'static str) {
        if !self.is_sandboxed {
            return (None, "The sandbox is off, so it may write anywhere.\n");
        }
        if !Sandbox::is_available() {
            return (
                None,
                "This machine has no sandbox (Landlock), so it may write anywhere.\n",
            );
        }
        let folders = workspace.folders().iter().map(|folder| folder.path.clone());
        (Some(Sandbox::new(folders.chain(self.writable.iter().cloned()))), "")
    }
}
