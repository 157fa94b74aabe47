//! One run of an interpreter, which never outlives it.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use skills_schema::arguments::{Language, Script};
use skills_schema::dialect::runtime::Cap;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::interpreter::Interpreter;

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    Exit {
        /// Its exit code; of a signal the negative number.
        code: i32,
        /// What it printed, without the blanks around it.
        output: String,
        /// What it printed on standard error, where that was kept apart.
        errors: String,
    },
    /// It took too long.
    TimedOut,
    /// The turn was stopped.
    Cancelled,
    /// There was none.
    NotStarted(std::io::Error),
}

/// What a command inherits: enough to find programs and their configuration. No keys, and nothing that changes which
/// code a program loads.
const INHERITED: &[&str] = &[
    "APPDATA",
    "COLUMNS",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// How long output is waited for that a process holds which left the group.
const LEFT_OVER: Duration = Duration::from_secs(1);
/// What is read beyond the cap, so that blanks at the beginning don't count.
const SLACK: usize = 64 << 10;
const TRUNCATED: &str = "\n... [output truncated]";

impl Interpreter {
    /// Runs a script in a folder. Whatever it started is gone when this ends, or is dropped.
    pub(super) async fn run(&self, script: &Script, folder: &Path, cancel: &CancellationToken) -> Ended {
        let mut command = Command::new(self.program);
        command
            .args(self.options)
            .arg(self.text(script))
            .current_dir(folder)
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| INHERITED.iter().any(|it| name.eq_ignore_ascii_case(it))))
            .envs(script.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder.is_dir() => {
                let message = format!("{} was not found; install it, or name another in `shell`", self.program);
                return Ended::NotStarted(std::io::Error::new(error.kind(), message));
            }
            Err(error) => return Ended::NotStarted(error),
        };
        let group = Group::of(&child);
        let most = SLACK
            + match self.policy.cap {
                Cap::Characters(characters) => characters * 4,
                Cap::Bytes(bytes) => bytes,
            };
        let output = tokio::spawn(read(child.stdout.take(), most));
        let errors = tokio::spawn(read(child.stderr.take(), most));
        let status = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ended::Cancelled,
            status = child.wait() => status,
            () = tokio::time::sleep(self.timeout) => return Ended::TimedOut,
        };
        let status = match status {
            Ok(status) => status,
            Err(error) => return Ended::NotStarted(error),
        };
        // What runs on in the background holds the pipes.
        drop(group);
        let (output, errors) = (rest(output).await, rest(errors).await);
        let (output, errors) = if self.policy.merges_stderr {
            ([output, errors].concat(), Vec::new())
        } else {
            (output, errors)
        };
        Ended::Exit {
            code: code(status),
            output: self.capped(String::from_utf8_lossy(&output).trim()),
            errors: self.capped(&String::from_utf8_lossy(&errors)),
        }
    }

    /// The script; both streams in one, in the order in which they were written, where the reader wants that.
    fn text(&self, script: &Script) -> String {
        match (self.policy.merges_stderr, self.language) {
            (false, _) => script.text.clone(),
            (true, Language::Posix) => format!("exec 2>&1; {}", script.text),
            (true, Language::PowerShell) => format!("& {{ {}\n}} 2>&1", script.text),
        }
    }

    fn capped(&self, text: &str) -> String {
        let end = match self.policy.cap {
            Cap::Characters(characters) => text.char_indices().nth(characters).map(|(end, _)| end),
            Cap::Bytes(bytes) => (text.len() > bytes).then(|| last_boundary(text, bytes)),
        };
        end.map_or_else(|| text.to_owned(), |end| format!("{}{TRUNCATED}", &text[..end]))
    }
}

/// The end of the last character that lies in the first bytes.
fn last_boundary(text: &str, bytes: usize) -> usize {
    (0..=bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

/// The processes of a run. All of them are killed when it is dropped.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: id.and_then(rustix::process::Pid::from_raw),
        }
    }

    /// Elsewhere the process itself is killed when it is dropped.
    #[cfg(not(unix))]
    fn of(_: &Child) -> Self {
        Self {}
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            // An error says that nobody is left.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

/// The first bytes of a stream. The rest is read too, so that nobody waits to write it.
async fn read(stream: Option<impl AsyncRead + Unpin>, most: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 8 << 10];
    let Some(mut stream) = stream else { return kept };
    // A pipe that breaks has ended.
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        let room = most.saturating_sub(kept.len()).min(length);
        kept.extend_from_slice(&buffer[..room]);
    }
    kept
}

/// What was read; nothing where a process that left the group keeps the pipe open.
async fn rest(reading: tokio::task::JoinHandle<Vec<u8>>) -> Vec<u8> {
    let stop = reading.abort_handle();
    match tokio::time::timeout(LEFT_OVER, reading).await {
        Ok(read) => read.unwrap_or_default(),
        Err(_) => {
            stop.abort();
            Vec::new()
        }
    }
}

#[cfg(unix)]
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(1))
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}
