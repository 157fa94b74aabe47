//! One run of an interpreter, which never outlives it.

use std::path::Path;
use std::time::Duration;

use skills_schema::arguments::{Language, Script};
use skills_schema::dialect::runtime::Cap;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

use super::interpreter::Interpreter;
use crate::process;
use crate::process::attended::Attended;
use crate::process::commands::Confined;
use crate::process::launcher::Launch;

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    Exit {
        /// Its exit code; of a signal the negative number.
        code: i32,
        /// What it printed, without the spaces around it where the reader drops them.
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

/// How long output is waited for that a process holds which left the group.
const LEFT_OVER: Duration = Duration::from_secs(1);
/// What is read beyond the cap, so that spaces at the beginning don't count.
const SLACK: usize = 64 << 10;
const TRUNCATED: &str = "\n... [output truncated]";

impl Interpreter {
    /// Runs a script in a folder. Whatever it started is gone when this ends, or is dropped. A line for each thing that it
    /// changed, must not, and that is as it was again.
    pub(super) async fn run(
        &self,
        script: &Script,
        folder: &Path,
        confined: &Confined,
        cancel: &CancellationToken,
    ) -> (Ended, Vec<String>) {
        let words = [&[self.program], self.options].concat().into_iter().map(str::to_owned);
        let argv: Vec<String> = words.chain([self.text(script)]).collect();
        let launch = Launch {
            argv: &argv,
            cwd: folder,
            environment: script
                .environment
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            input: None,
        };
        let child = match confined.start(launch).await {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder.is_dir() => {
                let message = format!("{} was not found; install it, or name another in `shell`", self.program);
                return (
                    Ended::NotStarted(std::io::Error::new(error.kind(), message)),
                    Vec::new(),
                );
            }
            Err(error) => return (Ended::NotStarted(error), Vec::new()),
        };
        self.wait(child, cancel).await
    }

    async fn wait(&self, mut child: Attended, cancel: &CancellationToken) -> (Ended, Vec<String>) {
        let most = SLACK
            + match self.policy.cap {
                Cap::Characters(characters) => characters * 4,
                Cap::Bytes(bytes) => bytes,
            };
        let output = tokio::spawn(read(child.stdout.take(), most));
        let errors = tokio::spawn(read(child.stderr.take(), most));
        let status = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Ended::Cancelled),
            status = child.wait() => status.map_err(Ended::NotStarted),
            () = tokio::time::sleep(self.timeout) => Err(Ended::TimedOut),
        };
        // Whatever still runs holds the pipes.
        let taken_back = child.settle().await;
        let status = match status {
            Ok(status) => status,
            Err(ended) => return (ended, taken_back),
        };
        let (output, errors) = (rest(output).await, rest(errors).await);
        let (output, errors) = if self.policy.merges_stderr {
            ([output, errors].concat(), Vec::new())
        } else {
            (output, errors)
        };
        let ended = Ended::Exit {
            code: process::exit_code(status),
            output: self.capped(&self.trimmed(&String::from_utf8_lossy(&output))),
            errors: self.capped(&String::from_utf8_lossy(&errors)),
        };
        (ended, taken_back)
    }

    /// The script; both streams in one, in the order in which they were written, where the reader wants that.
    fn text(&self, script: &Script) -> String {
        match (self.policy.merges_stderr, self.language) {
            (false, _) => script.text.clone(),
            (true, Language::Posix) => format!("exec 2>&1; {}", script.text),
            (true, Language::PowerShell) => format!("& {{ {}\n}} 2>&1", script.text),
        }
    }

    fn trimmed(&self, output: &str) -> String {
        let output = if self.policy.trims { output.trim() } else { output };
        output.to_owned()
    }

    fn capped(&self, text: &str) -> String {
        let end = match self.policy.cap {
            Cap::Characters(characters) => text.char_indices().nth(characters).map(|(end, _)| end),
            Cap::Bytes(bytes) => (text.len() > bytes).then(|| text.floor_char_boundary(bytes)),
        };
        end.map_or_else(|| text.to_owned(), |end| format!("{}{TRUNCATED}", &text[..end]))
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
