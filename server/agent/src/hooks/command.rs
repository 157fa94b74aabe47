//! One run of a hook's command: the event on its input, its answer from its output.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::Surroundings;
use crate::process;
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

/// Runs it in the project's folder. Whatever it started is gone when this ends, or is dropped.
pub(super) async fn run(argv: Vec<String>, place: Arc<Surroundings>, input: Value, timeout: Duration) -> Ended {
    if argv.is_empty() {
        return Ended::NotStarted(std::io::Error::other("it has no command"));
    }
    let folder = place.folder.as_deref().unwrap_or(Path::new(""));
    let launch = Launch {
        argv: &argv,
        cwd: &place.project,
        environment: vec![
            ("CLAUDE_PROJECT_DIR".into(), place.project.clone().into()),
            ("CLAUDE_SKILL_DIR".into(), folder.into()),
        ],
        input: Some(input.to_string()),
    };
    let mut running = match place.confined.start(launch).await {
        Ok(running) => running,
        Err(error) => return Ended::NotStarted(error),
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
    tokio::time::timeout(timeout, talking)
        .await
        .unwrap_or(Ended::TimedOut(timeout))
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
