//! How commands start: each by a supervisor of its own, so that none outlives the server, its turn, or a stop.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::process::{Child, ChildStderr, ChildStdout};

use super::guarded::{Guarded, Trees};
use super::sandbox::Sandbox;
#[cfg(target_os = "linux")]
use super::sandbox::{Held, Keeper, SUPERVISE, has_landlock, own_program, spec};

/// A command that is to be started.
#[derive(Debug, Clone)]
pub(crate) struct Launch<'a> {
    /// The program and its arguments.
    pub(crate) argv: &'a [String],
    /// The folder that it starts in.
    pub(crate) cwd: &'a Path,
    /// Variables beside those that every command inherits; the last of a name counts.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What it reads on its standard input; nothing without.
    pub(crate) input: Option<String>,
}

/// A command that runs. All that it started is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// Its standard output, to be taken.
    pub(crate) stdout: Option<ChildStdout>,
    /// Its standard error, to be taken.
    pub(crate) stderr: Option<ChildStderr>,
    #[cfg(target_os = "linux")]
    wanted: std::os::unix::net::UnixStream,
    #[cfg(not(target_os = "linux"))]
    group: Option<group::Group>,
}

/// How long is waited until all processes of a command that was stopped are gone: only one that waits for a disk or a
/// network's file system takes so long.
const DYING: std::time::Duration = std::time::Duration::from_secs(5);

impl Running {
    /// Waits for its end. What it left running is gone by then.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// What its supervisor says once it has ended: a line for each protected file that was replaced meanwhile, and used before
    /// it was held again. `shown` is how a path is called.
    pub(crate) fn said(&mut self, shown: impl Fn(&Path) -> String) -> Vec<String> {
        #[cfg(target_os = "linux")]
        {
            use spec::Why;
            // The supervisor wrote all of it, or nothing.
            let loose: Vec<spec::Loose> = spec::read(&self.wanted).ok().flatten().unwrap_or_default();
            let line = |loose: spec::Loose| {
                let name = shown(&loose.path.path());
                match loose.why {
                    Why::Written => format!("{name} was replaced and then written while the command ran; look at it"),
                    Why::Back => format!("{name} was removed and made again while the command ran; look at it"),
                    Why::Early => format!("{name} was replaced as the command began; look at it"),
                    Why::Opened => format!("stopped the command: it opened {name} while you replaced it; look at it"),
                    Why::NotHeld => format!("stopped the command: {name} was replaced and can't be protected any more"),
                }
            };
            loose.into_iter().map(line).collect()
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = shown;
            Vec::new()
        }
    }

    /// Ends it, and waits until nothing of it is left; nothing happens where it has ended.
    ///
    /// # Errors
    /// Where something is still there after some seconds: it writes nothing any more once it has died.
    pub(crate) async fn stop(&mut self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        // Where the supervisor is gone, so is its end.
        let _ = self.wanted.shutdown(std::net::Shutdown::Write);
        #[cfg(not(target_os = "linux"))]
        {
            self.group = None;
            // An error says that it has ended.
            let _ = self.child.start_kill();
        }
        let ended = tokio::time::timeout(DYING, self.child.wait()).await;
        ended.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?.map(drop)
    }
}

/// What the kernel holds commands by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// Whether writes are kept to some folders (Landlock, or mounts in a namespace).
    pub files: bool,
    /// Whether a command has processes, mounts and a network of its own (namespaces), so that secrets can be hidden, single
    /// files be kept from changes, and its loopback interface works while the network is closed.
    pub namespaces: bool,
}

/// Starts commands, for one server.
#[derive(Debug, Clone)]
pub struct Launcher {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The program that enters the sandbox ([`super::sandbox::enter`]).
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "commands start by themselves there")
    )]
    program: PathBuf,
    /// Made for the first command.
    #[cfg(target_os = "linux")]
    namespaces: tokio::sync::OnceCell<Option<Keeper>>,
    trees: Arc<Trees>,
    /// What the commands that run must not touch, the oldest first.
    running: Mutex<Vec<Weak<Guarded>>>,
}

impl Default for Launcher {
    /// By the program that runs now, even where its file was replaced meanwhile.
    fn default() -> Self {
        Self::new(PathBuf::from("/proc/self/exe"))
    }
}

impl Launcher {
    /// By a program whose `main` calls [`super::sandbox::enter`] first.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            inner: Arc::new(Inner {
                program,
                #[cfg(target_os = "linux")]
                namespaces: tokio::sync::OnceCell::new(),
                trees: Arc::default(),
                running: Mutex::default(),
            }),
        }
    }

    /// What is known of the folders that commands ran in.
    pub(super) fn trees(&self) -> &Arc<Trees> {
        &self.inner.trees
    }

    /// What the commands must not touch that run, or were not looked at yet since they ended; the oldest first.
    pub(super) fn running(&self) -> Vec<Arc<Guarded>> {
        self.inner.running.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Whether a command runs that writes to the workspace, so that any path may lead elsewhere the next moment.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.running().is_empty()
    }

    /// Counts a command as running from now on, until what it must not touch is let go.
    pub(super) fn begins(&self, guarded: &Arc<Guarded>) {
        let mut running = self.inner.running.lock();
        running.retain(|known| known.strong_count() > 0);
        running.push(Arc::downgrade(guarded));
    }
}

#[cfg(target_os = "linux")]
impl Launcher {
    /// What this machine's kernel can do for this person. Found out once, by trying.
    pub async fn holds(&self) -> Holds {
        let namespaces = self.keeper().await.is_some();
        Holds {
            files: namespaces || has_landlock(),
            namespaces,
        }
    }

    /// Starts a command; without a sandbox nothing but its lifetime is held.
    ///
    /// # Errors
    /// Where there is no such program, or the sandbox can't be set up: then nothing runs.
    pub(crate) async fn start(&self, launch: Launch<'_>, sandbox: Option<&Sandbox>) -> io::Result<Running> {
        let keeper = match sandbox {
            Some(_) => self.keeper().await.map(|keeper| keeper.process),
            None => None,
        };
        self.supervised(launch, sandbox, keeper).await
    }

    async fn keeper(&self) -> Option<&Keeper> {
        let made = self.inner.namespaces.get_or_init(|| async {
            let program = self.inner.program.clone();
            let started = tokio::task::spawn_blocking(move || Keeper::start(&program)).await;
            let keeper = started.map_err(io::Error::other).flatten();
            let keeper = keeper.inspect_err(|error| tracing::info!("commands get no namespaces of their own: {error}"));
            let keeper = keeper.ok()?;
            // A machine may let a person make namespaces and then refuse what they are for.
            let nothing = Launch {
                argv: &[],
                cwd: Path::new("/"),
                environment: Vec::new(),
                input: None,
            };
            let tried = self
                .supervised(nothing, Some(&Sandbox::default()), Some(keeper.process))
                .await;
            let tried = tried.inspect_err(|error| tracing::info!("commands get no namespaces of their own: {error}"));
            tried.is_ok().then_some(keeper)
        });
        made.await.as_ref()
    }

    async fn supervised(
        &self,
        launch: Launch<'_>,
        sandbox: Option<&Sandbox>,
        keeper: Option<i32>,
    ) -> io::Result<Running> {
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;

        let texts = |paths: &[PathBuf]| paths.iter().map(spec::Text::from).collect();
        let held = |all: &[Held]| {
            let held = |held: &Held| spec::Held {
                path: spec::Text::from(&held.path),
                number: held.number,
            };
            all.iter().map(held).collect()
        };
        let confinement = sandbox.map(|sandbox| spec::Confinement {
            landlock: has_landlock(),
            keeper,
            network: sandbox.network,
            writable: texts(&sandbox.writable),
            hidden: held(&sandbox.hidden),
            read_only: held(&sandbox.read_only),
            fixed: texts(&sandbox.fixed),
        });
        let environment = environment(launch.environment);
        let spec = spec::Spec {
            argv: launch.argv.iter().map(spec::Text::from).collect(),
            cwd: launch.cwd.into(),
            environment: environment
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            input: launch.input,
            confinement,
        };
        let spec = spec::encode(&spec)?;
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = own_program(&self.inner.program, SUPERVISE);
        command
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut command = tokio::process::Command::from(command);
        let mut child = command.spawn()?;
        // Its end of the socket is the supervisor's alone now, so that a supervisor that dies is noticed.
        drop(command);
        let wanted = talk(ours, &spec).await?;
        Ok(Running {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            wanted,
        })
    }
}

/// Tells a supervisor what to start, and waits until it has.
#[cfg(target_os = "linux")]
async fn talk(stream: std::os::unix::net::UnixStream, spec: &[u8]) -> io::Result<std::os::unix::net::UnixStream> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    stream.set_nonblocking(true)?;
    let mut stream = tokio::net::UnixStream::from_std(stream)?;
    stream.write_all(spec).await?;
    let mut length = [0; 4];
    let answered = stream.read_exact(&mut length).await;
    answered.map_err(|_| io::Error::other("the program that starts commands did not answer"))?;
    let mut body = vec![0; spec::length_of(length)?];
    stream.read_exact(&mut body).await?;
    serde_json::from_slice::<spec::Started>(&body)?.result()?;
    stream.into_std()
}

/// All variables of a command.
fn environment(own: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let mut all: std::collections::BTreeMap<_, _> = super::inherited().collect();
    all.extend(own);
    all.into_iter().collect()
}

#[cfg(not(target_os = "linux"))]
impl Launcher {
    /// What this machine's kernel can do: nothing that is used here.
    pub async fn holds(&self) -> Holds {
        Holds {
            files: false,
            namespaces: false,
        }
    }

    /// Starts a command.
    ///
    /// # Errors
    /// Where there is no such program, or a sandbox is wanted: there is none here.
    pub(crate) async fn start(&self, launch: Launch<'_>, sandbox: Option<&Sandbox>) -> io::Result<Running> {
        use tokio::io::AsyncWriteExt;
        if sandbox.is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (program, arguments) = launch.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = tokio::process::Command::new(program);
        command
            .args(arguments)
            .current_dir(launch.cwd)
            .env_clear()
            .envs(environment(launch.environment))
            .stdin(launch.input.as_ref().map_or_else(Stdio::null, |_| Stdio::piped()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        if let (Some(mut stdin), Some(text)) = (child.stdin.take(), launch.input) {
            // A program that does not read its input is as good.
            tokio::spawn(async move { stdin.write_all(text.as_bytes()).await });
        }
        Ok(Running {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            group: Some(group::Group::of(&child)),
            child,
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod group {
    //! The processes of a command, where no supervisor ends them.

    use tokio::process::Child;

    /// All of them are killed when it is dropped, those apart that left the group.
    #[derive(Debug)]
    pub(super) struct Group {
        #[cfg(unix)]
        leader: Option<rustix::process::Pid>,
    }

    impl Group {
        #[cfg(unix)]
        pub(super) fn of(child: &Child) -> Self {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self {
                leader: id.and_then(rustix::process::Pid::from_raw),
            }
        }

        #[cfg(not(unix))]
        pub(super) fn of(_: &Child) -> Self {
            Self {}
        }
    }

    #[cfg(unix)]
    impl Drop for Group {
        fn drop(&mut self) {
            if let Some(leader) = self.leader {
                // An error says that nobody is left.
                let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
            }
        }
    }
}
