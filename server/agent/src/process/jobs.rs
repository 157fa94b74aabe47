//! Commands that run on while the turn goes on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::attended::Attended;
use super::capture::Capture;
use super::exit_code;
use super::output::OutputFile;

/// How long output is waited for that a process holds which left the group.
const LEFT_OVER: Duration = Duration::from_millis(500);

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
    jobs: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    cancel: CancellationToken,
    /// Whether the file of its output is full.
    is_cut: Arc<AtomicBool>,
}

/// One background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number in the session, from 1.
    pub id: u32,
    /// What runs.
    pub command: String,
    /// Where its output goes, without what looks like a secret.
    pub output: PathBuf,
    /// Whether it printed more than is kept.
    pub is_cut: bool,
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
            "{}: {state}: {} ({}: {})",
            self.id,
            self.command,
            if self.is_cut {
                "first part of its output"
            } else {
                "output"
            },
            self.output.display()
        )
    }
}

impl Jobs {
    /// All that are known, by number.
    pub fn list(&self) -> Vec<Job> {
        let known = self.known.lock();
        let now = |entry: &Entry| Job {
            is_cut: entry.is_cut.load(Relaxed),
            ..entry.job.clone()
        };
        known.jobs.values().map(now).collect()
    }

    /// Stops one, or all where none is named; how many ran.
    pub fn cancel(&self, id: Option<u32>) -> usize {
        let mut known = self.known.lock();
        let chosen = known
            .jobs
            .values_mut()
            .filter(|entry| id.is_none_or(|id| id == entry.job.id));
        let running = chosen.filter(|entry| entry.job.state == JobState::Running);
        running
            .map(|entry| {
                entry.job.state = JobState::Cancelled;
                entry.cancel.cancel();
            })
            .count()
    }

    /// Whether one more may run.
    pub(crate) fn has_room(&self) -> bool {
        let known = self.known.lock();
        known
            .jobs
            .values()
            .filter(|entry| entry.job.state == JobState::Running)
            .count()
            < MAX_RUNNING
    }

    /// Watches over a command that was started with its output in pipes, and writes down what it prints.
    pub(crate) fn add(&self, mut child: Attended, command: String, output: OutputFile) -> u32 {
        let cancel = CancellationToken::new();
        let mut known = self.known.lock();
        known.last += 1;
        let id = known.last;
        let is_cut = output.cut();
        let job = Job {
            id,
            command,
            output: output.path().to_owned(),
            is_cut: false,
            state: JobState::Running,
        };
        let entry = Entry {
            job,
            cancel: cancel.clone(),
            is_cut,
        };
        known.jobs.insert(id, entry);
        let ended = |(_, entry): &(&u32, &Entry)| entry.job.state != JobState::Running;
        if known.jobs.len() > MAX_REMEMBERED
            && let Some(oldest) = known.jobs.iter().find(ended).map(|(id, _)| *id)
        {
            known.jobs.remove(&oldest);
        }
        let jobs = self.known.clone();
        tokio::spawn(async move {
            let file = Arc::new(Mutex::new(output));
            child.tell_in(file.clone());
            let (mut output, mut errors) = (Capture::into(file.clone()), Capture::into(file.clone()));
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            let status = {
                let mut reading = pin!(async { tokio::join!(output.read(stdout), errors.read(stderr)) });
                let mut is_read = false;
                let status = loop {
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => break None,
                        status = child.wait() => break Some(status),
                        _ = &mut reading, if !is_read => is_read = true,
                    }
                };
                child.stop().await;
                if !is_read {
                    // Whoever left the group is not waited for.
                    let _ = tokio::time::timeout(LEFT_OVER, reading).await;
                }
                status
            };
            output.finish();
            errors.finish();
            child.settle().await;
            let Some(status) = status else { return };
            let code = status.map_or(-1, exit_code);
            if let Some(entry) = jobs.lock().jobs.get_mut(&id)
                && entry.job.state == JobState::Running
            {
                entry.job.state = JobState::Ended(code);
            }
        });
        id
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.cancel(None);
    }
}
