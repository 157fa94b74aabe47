//! How the commands of a session run.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::attended::{Attended, Others};
use super::guarded::{Guarded, Look, secrets_of};
use super::jobs::Jobs;
use super::launcher::{Launch, Launcher};
use super::sandbox::Sandbox;
use crate::permission::{Leave, PathRules, git_environment, installs};
use crate::workspace::Workspace;

/// What commands share over a session.
#[derive(Debug, Clone)]
pub struct Shell {
    /// Starts them.
    pub launcher: Launcher,
    /// The background commands.
    pub jobs: Arc<Jobs>,
    /// Where output goes that is too long for memory; without it the middle is lost, and nothing runs in the background.
    pub output_folder: Option<PathBuf>,
    /// Where files go that a command made and was not allowed to; without it they stay, and that is told.
    pub taken_folder: Option<PathBuf>,
    /// Folders outside the workspace that commands may write to.
    pub writable: Vec<PathBuf>,
    /// The person's home folder, in which keys lie.
    pub home: Option<PathBuf>,
    /// Folders of our own, with tokens and records in them: no command looks into them.
    pub private: Vec<PathBuf>,
    /// Whether commands are kept from writing elsewhere, where the machine can do it.
    pub is_sandboxed: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Self {
            launcher: Launcher::default(),
            jobs: Arc::default(),
            output_folder: None,
            taken_folder: None,
            writable: Vec::new(),
            home: None,
            private: Vec::new(),
            is_sandboxed: true,
        }
    }
}

impl Shell {
    /// What the person should know of commands that no sandbox holds, or not wholly; empty where all is held.
    pub(crate) async fn note(&self) -> &'static str {
        if !self.is_sandboxed {
            return "The sandbox is off, so it may do anything.\n";
        }
        let holds = self.launcher.holds().await;
        match (holds.files, holds.namespaces) {
            (false, _) => "This machine has no sandbox for files, so it may write anywhere.\n",
            (true, false) => "This machine can't hide secrets from it (no namespaces).\n",
            (true, true) => "",
        }
    }

    /// What holds a command that may run, none to mean any. `rules` are the person's about files, `others` who else writes
    /// there.
    pub(crate) async fn confine(
        &self,
        workspace: &Arc<Workspace>,
        argv: &[String],
        leave: Leave,
        rules: Option<Arc<PathRules>>,
        others: Others,
    ) -> Confined {
        let is_by_rule = !leave.is_answered;
        if !self.is_sandboxed {
            return self.unconfined(leave);
        }
        let launcher = self.launcher.clone();
        let holds = launcher.holds().await;
        let folders = workspace.folders().iter().map(|folder| folder.path.clone());
        let mut sandbox = Sandbox::new(folders.chain(self.writable.iter().cloned()), self.private.clone());
        sandbox.network = leave.opens_network;
        let look = Look {
            was_asked: leave.is_answered,
            installs: installs(argv),
            keeps_texts: !holds.namespaces,
            taken_folder: self.taken_folder.clone(),
            writable: sandbox.writable.clone(),
        };
        let (looked_at, trees, theirs) = (workspace.clone(), launcher.trees().clone(), others.clone());
        // First these: one that ends meanwhile takes back what it made, which is not to be missed then.
        let running = launcher.running();
        let guarded = tokio::task::spawn_blocking(move || {
            Guarded::find(&looked_at, look, trees, rules, &running, &|path| theirs.made(path))
        })
        .await;
        let Ok(guarded) = guarded else {
            // What could not be looked at is closed as a whole.
            sandbox.writable.clear();
            return Confined {
                launcher,
                sandbox: Some(sandbox).filter(|_| cfg!(target_os = "linux")),
                guarded: None,
                is_by_rule,
                others: None,
            };
        };
        if holds.namespaces {
            if is_by_rule {
                sandbox
                    .hidden
                    .extend(self.home.iter().flat_map(|home| secrets_of(home)));
            }
            sandbox.hidden.extend(guarded.hidden.iter().cloned());
            sandbox.read_only.extend(guarded.held.iter().cloned());
            if is_by_rule {
                // Those above count too, where the command could put another workspace in this one's place.
                let is_movable = |folder: &&Path| sandbox.writable.iter().any(|root| folder.starts_with(root));
                let folders = workspace.folders().iter();
                let folders = folders.flat_map(|folder| folder.path.ancestors().take_while(is_movable));
                let repositories = guarded.repositories.iter().map(PathBuf::as_path);
                // What is in a closed folder stays where it is, and a mount of its own would open it again.
                let is_closed = |folder: &Path| guarded.held.contains(folder) || guarded.hidden.contains(folder);
                let is_free = |folder: &&Path| !folder.ancestors().any(is_closed);
                let fixed: BTreeSet<&Path> = folders.chain(repositories).filter(is_free).collect();
                sandbox.fixed = fixed.into_iter().map(Path::to_owned).collect();
            }
        }
        Confined {
            launcher,
            // Without Landlock and namespaces system calls are filtered all the same.
            sandbox: Some(sandbox).filter(|_| cfg!(target_os = "linux")),
            guarded: Some(Arc::new(guarded)),
            is_by_rule,
            others: Some(others),
        }
    }

    /// Nothing but its lifetime, where a command may run without the sandbox.
    pub(crate) fn unconfined(&self, leave: Leave) -> Confined {
        Confined {
            is_by_rule: !leave.is_answered,
            ..Confined::free(self.launcher.clone())
        }
    }
}

/// What holds one command.
#[derive(Debug, Clone)]
pub struct Confined {
    launcher: Launcher,
    /// `None` where nothing but its lifetime is held.
    pub(crate) sandbox: Option<Sandbox>,
    guarded: Option<Arc<Guarded>>,
    /// Whether only a rule let it run.
    is_by_rule: bool,
    /// Who else writes in the workspace.
    others: Option<Others>,
}

impl Confined {
    /// Nothing but its lifetime.
    #[must_use]
    pub fn free(launcher: Launcher) -> Self {
        Self {
            launcher,
            sandbox: None,
            guarded: None,
            is_by_rule: false,
            others: None,
        }
    }

    /// Starts the command; git is told what it may not do where only a rule let the command run.
    ///
    /// # Errors
    /// Where there is no such program, or the sandbox can't be set up: then nothing runs.
    pub(crate) async fn start(&self, mut launch: Launch<'_>) -> io::Result<Attended> {
        if self.is_by_rule {
            let git = git_environment(launch.argv).into_iter();
            let git = git.map(|(name, value)| (name.into(), value.into()));
            launch.environment.extend(git);
        }
        if let Some(guarded) = &self.guarded {
            self.launcher.begins(guarded);
        }
        let running = self.launcher.start(launch, self.sandbox.as_ref()).await?;
        Ok(Attended::new(running, self.guarded.clone(), self.others.clone()))
    }
}
