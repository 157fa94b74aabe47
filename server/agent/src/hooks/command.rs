//! One run of a hook's command: the event on its input, its answer from its output.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

use super::Surroundings;
use crate::process;
use crate::process::attended::Others;
use crate::process::launcher::Launch;

/// The most of each stream that is read, in bytes.
const MOST: u64 = 64 << 10;

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    Exit {
        /// Its exit code; of a signal the negative number.
        code: i32,
        /// Standard output.
        output: String,
        /// Standard error.
        errors: String,
    },
    /// It took too long.
    TimedOut(Duration),
    /// The turn was stopped.
    Cancelled,
    /// There was none.
    NotStarted(std::io::Error),
}

/// A program with its arguments, or a shell with a line.
pub(super) fn argv(command: &str, arguments: Option<&[String]>) -> Vec<String> {
    match arguments {
        Some(arguments) => [&[command.to_owned()], arguments].concat(),
        None => ["sh", "-c", command].map(str::to_owned).to_vec(),
    }
}

/// One run.
pub(super) struct Run {
    /// The program with its arguments.
    pub(super) argv: Vec<String>,
    /// The event.
    pub(super) input: String,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// Who else writes in the workspace; those of the skill's turn where there is no other.
    pub(super) others: Option<Others>,
}

impl Run {
    /// Runs it in the project's folder. Whatever it started is gone when this ends, or is dropped. A line for each thing
    /// that it changed, must not, and that is as it was again.
    pub(super) async fn run(self, place: &Surroundings, cancel: &CancellationToken) -> (Ended, Vec<String>) {
        let not_started = |error| (Ended::NotStarted(error), Vec::new());
        if self.argv.is_empty() {
            return not_started(std::io::Error::other("it has no command"));
        }
        let folder = place.folder.as_deref().unwrap_or(Path::new(""));
        let launch = Launch {
            argv: &self.argv,
            cwd: &place.project,
            environment: vec![
                ("CLAUDE_PROJECT_DIR".into(), place.project.clone().into()),
                ("CLAUDE_SKILL_DIR".into(), folder.into()),
            ],
            input: Some(self.input),
        };
        let ground = &place.ground;
        let others = self.others.unwrap_or_else(|| ground.others.clone());
        let (permissions, turn) = &place.permissions;
        let folders = ground.workspace.folders();
        let own = folders.iter().find(|folder| folder.path == place.project);
        let leave = permissions.leave_of_hook(turn, &self.argv, own.unwrap_or(&folders[0]));
        let rules = ground.rules.clone();
        let confined = ground
            .shell
            .confine(&ground.workspace, &self.argv, leave, rules, others);
        let mut running = match confined.await.start(launch).await {
            Ok(running) => running,
            Err(error) => return not_started(error),
        };
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let talking = async {
            let (output, errors, status) = tokio::join!(read(stdout), read(stderr), running.wait());
            match status {
                Ok(status) => Ended::Exit {
                    code: process::exit_code(status),
                    output,
                    errors,
                },
                Err(error) => Ended::NotStarted(error),
            }
        };
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Ended::Cancelled,
            ended = tokio::time::timeout(self.timeout, talking) => ended.unwrap_or(Ended::TimedOut(self.timeout)),
        };
        (ended, running.settle().await)
    }
}

/// The beginning of a stream; the rest is read too, so that nobody waits to write it.
async fn read(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else {
        return String::new();
    };
    let mut kept = Vec::new();
    // A pipe that breaks has ended.
    let _ = (&mut stream).take(MOST).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}
