//! Commands that run on while the turn goes on.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::AsyncRead;
use tokio_util::sync::CancellationToken;

use super::exit_code;
use super::launcher::Running;
use super::shell::Confined;

/// The most that run at once.
const MAX_RUNNING: usize = 8;
/// The most that are remembered; of the ended ones the oldest is forgotten.
const MAX_REMEMBERED: usize = 50;

/// The background commands of a session. All of them are killed when it is dropped.
#[derive(Debug, Default)]
pub struct Jobs {
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    last: u32,
    jobs: BTreeMap<u32, (Job, CancellationToken)>,
}

/// One background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number in the session, from 1.
    pub id: u32,
    /// What runs.
    pub command: String,
    /// Where its output goes.
    pub output: PathBuf,
    /// How it goes.
    pub state: JobState,
}

/// How a background command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It runs.
    Running,
    /// It ended by itself with this code; of a signal the negative number.
    Ended(i32),
    /// The person stopped it.
    Cancelled,
}

impl std::fmt::Display for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match self.state {
            JobState::Running => "running".to_owned(),
            JobState::Ended(0) => "ended".to_owned(),
            JobState::Ended(code) => format!("failed (exit {code})"),
            JobState::Cancelled => "cancelled".to_owned(),
        };
        write!(
            f,
            "{}: {state}: {} (output: {})",
            self.id,
            self.command,
            self.output.display()
        )
    }
}

impl Jobs {
    /// All that are known, by number.
    pub fn list(&self) -> Vec<Job> {
        self.known.lock().jobs.values().map(|(job, _)| job.clone()).collect()
    }

    /// Stops one, or all where none is named; how many ran.
    pub fn cancel(&self, id: Option<u32>) -> usize {
        let mut known = self.known.lock();
        let chosen = known
            .jobs
            .values_mut()
            .filter(|(job, _)| id.is_none_or(|id| id == job.id));
        let running = chosen.filter(|(job, _)| job.state == JobState::Running);
        running
            .map(|(job, cancel)| {
                job.state = JobState::Cancelled;
                cancel.cancel();
            })
            .count()
    }

    /// Whether one more may run.
    pub(crate) fn has_room(&self) -> bool {
        let known = self.known.lock();
        known
            .jobs
            .values()
            .filter(|(job, _)| job.state == JobState::Running)
            .count()
            < MAX_RUNNING
    }

    /// Watches over a command that was started with its output in a file.
    pub(crate) fn add(
        &self,
        mut child: Running,
        confined: Confined,
        command: String,
        file: File,
        output: PathBuf,
    ) -> u32 {
        let cancel = CancellationToken::new();
        let mut known = self.known.lock();
        known.last += 1;
        let id = known.last;
        let job = Job {
            id,
            command,
            output,
            state: JobState::Running,
        };
        known.jobs.insert(id, (job, cancel.clone()));
        let ended = |(_, (job, _)): &(&u32, &(Job, CancellationToken))| job.state != JobState::Running;
        if known.jobs.len() > MAX_REMEMBERED
            && let Some(oldest) = known.jobs.iter().find(ended).map(|(id, _)| *id)
        {
            known.jobs.remove(&oldest);
        }
        let jobs = self.known.clone();
        let file = Arc::new(file);
        tokio::spawn(copy(child.stdout.take(), file.clone()));
        tokio::spawn(copy(child.stderr.take(), file.clone()));
        tokio::spawn(async move {
            let status = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                status = child.wait() => Some(status),
            };
            drop(child);
            for line in confined.settle(Vec::new()).await {
                // Its file is where people look.
                let _ = writeln!(&*file, "[{line}]");
            }
            let Some(status) = status else { return };
            let code = status.map_or(-1, exit_code);
            if let Some((job, _)) = jobs.lock().jobs.get_mut(&id)
                && job.state == JobState::Running
            {
                job.state = JobState::Ended(code);
            }
        });
        id
    }
}

/// Takes a stream into a file until it ends.
async fn copy(stream: Option<impl AsyncRead + Unpin>, file: Arc<File>) {
    use tokio::io::AsyncReadExt;
    let Some(mut stream) = stream else { return };
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        if (&*file).write_all(&buffer[..length]).is_err() {
            return;
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.cancel(None);
    }
}
