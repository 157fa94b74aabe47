//! How the commands of a session run.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::attended::{Attended, Others};
use super::guarded::{Guarded, Look, secrets_of};
use super::jobs::Jobs;
use super::launcher::{Launch, Launcher};
use super::sandbox::{Held, Moved, Sandbox};
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
        if !self.is_sandboxed {
            return self.unconfined(workspace, leave);
        }
        let mut sandbox = self.sandbox(workspace);
        sandbox.network = leave.opens_network;
        let ground = Ground {
            workspace: workspace.clone(),
            installs: installs(argv),
            taken_folder: self.taken_folder.clone(),
            home: self.home.clone(),
            rules,
        };
        Confined {
            launcher: self.launcher.clone(),
            // Without Landlock and namespaces system calls are filtered all the same.
            sandbox: Some(sandbox).filter(|_| cfg!(target_os = "linux")),
            ground: Some(ground),
            is_by_rule: !leave.is_answered,
            path: None,
            others: Some(others),
        }
    }

    /// Nothing but its lifetime, where a command may run without the sandbox. Where only a rule says so, no other command can
    /// have made the program that the rule means.
    pub(crate) fn unconfined(&self, workspace: &Workspace, leave: Leave) -> Confined {
        let is_by_rule = !leave.is_answered;
        let path = std::env::var_os("PATH").filter(|_| is_by_rule && self.is_sandboxed);
        Confined {
            is_by_rule,
            path: path.map(|path| out_of_reach(&path, &self.sandbox(workspace).writable)),
            ..Confined::free(self.launcher.clone())
        }
    }

    /// What commands of a workspace may write to.
    fn sandbox(&self, workspace: &Workspace) -> Sandbox {
        let folders = workspace.folders().iter().map(|folder| folder.path.clone());
        Sandbox::new(folders.chain(self.writable.iter().cloned()), self.private.clone())
    }
}

/// What holds one command, or several of the same kind.
#[derive(Debug, Clone)]
pub struct Confined {
    launcher: Launcher,
    /// `None` where nothing but its lifetime is held. What is kept from it in the workspace is found as it starts.
    pub(crate) sandbox: Option<Sandbox>,
    ground: Option<Ground>,
    /// Whether only a rule let it run.
    is_by_rule: bool,
    /// Where programs are looked for, if not where the server looks.
    path: Option<OsString>,
    /// Who else writes in the workspace.
    others: Option<Others>,
}

/// What is looked through before a command starts.
#[derive(Debug, Clone)]
struct Ground {
    workspace: Arc<Workspace>,
    installs: bool,
    taken_folder: Option<PathBuf>,
    home: Option<PathBuf>,
    rules: Option<Arc<PathRules>>,
}

/// How long is tried to hold what moves while a command starts.
const MOVING: Duration = Duration::from_secs(3);
/// How long is waited before it is tried again.
const BETWEEN: Duration = Duration::from_millis(2);

impl Confined {
    /// Nothing but its lifetime.
    #[must_use]
    pub fn free(launcher: Launcher) -> Self {
        Self {
            launcher,
            sandbox: None,
            ground: None,
            is_by_rule: false,
            path: None,
            others: None,
        }
    }

    /// Starts the command; git is told what it may not do where only a rule let the command run.
    ///
    /// # Errors
    /// Where there is no such program, or the sandbox can't be set up: then nothing runs. Also where protected files go on
    /// moving, so that they can't be held.
    pub(crate) async fn start(&self, mut launch: Launch<'_>) -> io::Result<Attended> {
        if self.is_by_rule {
            let git = git_environment(launch.argv).into_iter();
            let git = git.map(|(name, value)| (name.into(), value.into()));
            launch.environment.extend(git);
        }
        let path = self.path.clone().map(|path| ("PATH".into(), path));
        launch.environment.extend(path);
        let Some(ground) = &self.ground else {
            let running = self.launcher.start(launch, self.sandbox.as_ref()).await?;
            return Ok(Attended::new(running, None, self.others.clone()));
        };
        let began = Instant::now();
        loop {
            let tried = self.try_start(&launch, ground).await;
            let has_moved = |error: &io::Error| error.get_ref().is_some_and(|it| it.is::<Moved>());
            if !tried.as_ref().is_err_and(has_moved) || began.elapsed() > MOVING {
                return tried;
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    async fn try_start(&self, launch: &Launch<'_>, ground: &Ground) -> io::Result<Attended> {
        let (confined, ground) = (self.clone(), ground.clone());
        let has_namespaces = self.launcher.holds().await.namespaces;
        let looked = tokio::task::spawn_blocking(move || confined.look(&ground, has_namespaces)).await;
        let (sandbox, guarded) = match looked {
            Ok(looked) => looked.map(|(sandbox, guarded)| (sandbox, Some(guarded)))?,
            Err(_) => {
                // What could not be looked at is closed as a whole.
                let closed = self.sandbox.clone().map(|sandbox| Sandbox {
                    writable: Vec::new(),
                    ..sandbox
                });
                (closed, None)
            }
        };
        if let Some(guarded) = &guarded {
            self.launcher.begins(guarded);
        }
        let running = self.launcher.start(launch.clone(), sandbox.as_ref()).await?;
        Ok(Attended::new(running, guarded, self.others.clone()))
    }

    /// What is kept from it, as it is now.
    fn look(&self, ground: &Ground, has_namespaces: bool) -> io::Result<(Option<Sandbox>, Arc<Guarded>)> {
        let mut sandbox = self.sandbox.clone();
        let look = Look {
            was_asked: !self.is_by_rule,
            installs: ground.installs,
            keeps_texts: !has_namespaces,
            taken_folder: ground.taken_folder.clone(),
            writable: sandbox.iter().flat_map(|sandbox| sandbox.writable.clone()).collect(),
        };
        let trees = self.launcher.trees();
        // First these: one that ends meanwhile takes back what it made, which is not to be missed then.
        let running = self.launcher.running();
        let is_theirs = |path: &Path| self.others.as_ref().is_some_and(|others| others.made(path));
        let moves = trees.moves();
        let (rules, workspace) = (ground.rules.clone(), &ground.workspace);
        let guarded = Guarded::find(workspace, look, trees.clone(), rules, &running, &is_theirs);
        if let Some(sandbox) = sandbox.as_mut().filter(|_| has_namespaces) {
            self.fill(ground, &guarded, sandbox);
        }
        // A folder that a command moved meanwhile can have been passed over, with all that is in it.
        if !running.is_empty() && guarded.holds_anything() && trees.moves() != moves {
            let folder = workspace.folders().first().map(|folder| folder.path.clone());
            return Err(Moved(folder.unwrap_or_default()).into());
        }
        Ok((sandbox, Arc::new(guarded)))
    }

    /// Adds what was found to what the kernel holds.
    fn fill(&self, ground: &Ground, guarded: &Guarded, sandbox: &mut Sandbox) {
        if self.is_by_rule {
            let secrets = ground.home.iter().flat_map(|home| secrets_of(home));
            sandbox.hidden.extend(secrets.map(Held::now));
            // Whoever writes there decides what the person starts in a terminal. Those of the workspace are a project's own.
            let programs = std::env::var_os("PATH").into_iter();
            let programs = programs.flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
            let programs = programs.filter_map(|folder| folder.canonicalize().ok());
            let is_kept = |folder: &PathBuf| {
                let is_below = |root: &Path| folder.starts_with(root);
                sandbox.writable.iter().any(|root| is_below(root))
                    && !ground.workspace.folders().iter().any(|root| is_below(&root.path))
            };
            let programs: BTreeSet<PathBuf> = programs.filter(is_kept).collect();
            sandbox.read_only.extend(programs.into_iter().map(Held::now));
            // Those above count too, where the command could put another workspace in this one's place.
            let is_movable = |folder: &&Path| sandbox.writable.iter().any(|root| folder.starts_with(root));
            let folders = ground.workspace.folders().iter();
            let folders = folders.flat_map(|folder| folder.path.ancestors().take_while(is_movable));
            let repositories = guarded.repositories.iter().map(PathBuf::as_path);
            // What is in a closed folder stays where it is, and a mount of its own would open it again.
            let is_closed = |folder: &Path| guarded.held.contains(folder) || guarded.hidden.contains(folder);
            let is_free = |folder: &&Path| !folder.ancestors().any(is_closed);
            let fixed: BTreeSet<&Path> = folders.chain(repositories).filter(is_free).collect();
            sandbox.fixed = fixed.into_iter().map(Path::to_owned).collect();
        }
        sandbox.hidden.extend(guarded.hidden.iter().cloned().map(Held::now));
        sandbox.read_only.extend(guarded.held.iter().cloned().map(Held::now));
    }
}

/// The folders of a `PATH` in which no command can put a program.
fn out_of_reach(path: &OsStr, writable: &[PathBuf]) -> OsString {
    let is_safe = |folder: &PathBuf| {
        let real = folder.is_absolute().then(|| folder.canonicalize().ok()).flatten();
        real.is_some_and(|real| !writable.iter().any(|root| real.starts_with(root)))
    };
    // What was divided can be joined.
    std::env::join_paths(std::env::split_paths(path).filter(is_safe)).unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_a_command_can_make_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["w/node_modules/.bin", "bin"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink("w/node_modules/.bin", root.join("linked")).unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        let path = [
            at("w/node_modules/.bin"),
            String::new(),
            ".".to_owned(),
            "node_modules/.bin".to_owned(),
            at("linked"),
            at("missing"),
            at("bin/../w"),
            at("bin"),
        ];
        let left = out_of_reach(OsStr::new(&path.join(":")), &[root.join("w")]);
        assert_eq!(left, OsString::from(at("bin")));
    }
}
