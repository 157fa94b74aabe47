//! A command that runs, and what is looked after meanwhile: files that it makes and must not are taken back while it runs,
//! because an editor or git can run them long before a background command ends.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::guarded::{Guarded, TakenBack, text};
use super::launcher::Running;
use super::output::OutputFile;
use crate::changes::{ChangeLog, same_text, text_hash};
use crate::event::{Event, EventKind, TurnId};
use crate::host::{Host, Saved};

/// How long is waited before a look, at least.
const PAUSE: Duration = Duration::from_millis(250);
/// How many times as long as a look takes is waited before the next: so a large workspace costs 2 % of one processor.
const SHARE: u32 = 50;
/// How long is waited at most: a command can make looks long, so that what it does next is not seen.
const LONGEST: Duration = Duration::from_secs(3);

/// The most lines of what was taken back: a command can make thousands of files.
const MAX_LINES: usize = 50;

/// One look at a time, whichever command it is for.
static LOOKING: Semaphore = Semaphore::const_new(1);

/// Who works in the same folders while a command runs: the person, and the tools that edit.
#[derive(Clone)]
pub(crate) struct Others {
    /// Tells the person what is taken back. It goes with the turn, which has not ended before it is gone.
    host: Weak<dyn Host>,
    saved: Saved,
    /// What the tools wrote.
    changes: Arc<ChangeLog>,
    /// The turn that the command belongs to.
    turn: TurnId,
}

impl Others {
    /// Those of a turn.
    pub(crate) fn new(host: &Arc<dyn Host>, changes: &Arc<ChangeLog>, turn: &TurnId) -> Self {
        Self {
            host: Arc::downgrade(host),
            saved: host.saved_later(),
            changes: changes.clone(),
            turn: turn.clone(),
        }
    }

    /// Whether a file says what the editor saved or a tool wrote there last. That it is open is no sign: an editor shows
    /// what a command wrote, too.
    pub(super) fn made(&self, file: &Path) -> bool {
        let (left, saved) = (self.changes.left(file), (self.saved)(file));
        if left.is_none() && saved.is_none() {
            return false;
        }
        let now = text(file).and_then(|bytes| String::from_utf8(bytes).ok());
        now.is_some_and(|now| left.is_some_and(|left| same_text(&now, &left)) || saved == Some(text_hash(&now)))
    }

    fn tell(&self, line: &str) {
        match self.host.upgrade() {
            Some(host) => host.emit(Event {
                turn: self.turn.clone(),
                kind: EventKind::Note(line.to_owned()),
            }),
            None => tracing::warn!("{line}"),
        }
    }
}

impl std::fmt::Debug for Others {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Others")
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// A command that runs. All that it started is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Attended {
    /// Its standard output, to be taken.
    pub(crate) stdout: Option<ChildStdout>,
    /// Its standard error, to be taken.
    pub(crate) stderr: Option<ChildStderr>,
    running: Running,
    looks: Looks,
}

/// The looks at what a command makes.
#[derive(Debug)]
struct Looks {
    /// What must not be changed; `None` where nothing is looked after.
    guarded: Option<Arc<Guarded>>,
    others: Option<Others>,
    /// Where people look for what a background command prints.
    output: Option<Arc<Mutex<OutputFile>>>,
    next: Instant,
    /// The one that is under way.
    now: Option<JoinHandle<(Vec<TakenBack>, Duration)>>,
    /// What was taken back.
    taken: BTreeSet<PathBuf>,
    /// How many lines there were of that.
    told: usize,
    /// What is to be said of it.
    lines: Vec<String>,
}

impl Attended {
    /// Looks after a command that runs.
    pub(super) fn new(mut running: Running, guarded: Option<Arc<Guarded>>, others: Option<Others>) -> Self {
        Self {
            stdout: running.stdout.take(),
            stderr: running.stderr.take(),
            running,
            looks: Looks {
                guarded,
                others,
                output: None,
                next: Instant::now() + PAUSE,
                now: None,
                taken: BTreeSet::new(),
                told: 0,
                lines: Vec::new(),
            },
        }
    }

    /// Has what is taken back told in its output too, at once.
    pub(super) fn tell_in(&mut self, output: Arc<Mutex<OutputFile>>) {
        self.looks.output = Some(output);
    }

    /// Waits for its end. What it left running is gone by then. One that makes again what was taken back is stopped.
    /// Nothing is lost where the wait is given up and begun again.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        tokio::select! {
            biased;
            status = self.running.wait() => return status,
            path = self.looks.until_repeated() => {
                let line = format!("stopped the command, because it changed {path} again");
                self.looks.say(line);
            }
        }
        self.running.stop().await?;
        self.running.wait().await
    }

    /// Ends it where it runs, and waits until nothing of it is left.
    pub(crate) async fn stop(&mut self) {
        if self.running.stop().await.is_err() {
            let line = "a part of the command does not end; what it still writes is not looked at";
            self.looks.say(line.to_owned());
        }
    }

    /// Ends it where it runs, and takes back what it changed and must not: a line for each, which the person was told.
    pub(crate) async fn settle(mut self) -> Vec<String> {
        self.stop().await;
        let guarded = self.looks.guarded.clone();
        let shown = |path: &Path| {
            guarded
                .as_ref()
                .map_or_else(|| path.display().to_string(), |it| it.shown(path))
        };
        let said = self.running.said(shown);
        said.into_iter().for_each(|line| self.looks.say(line));
        self.looks.finish().await
    }
}

impl Looks {
    /// Looks again and again, until something is taken back that was before; its name.
    async fn until_repeated(&mut self) -> String {
        if !self.guarded.as_ref().is_some_and(|guarded| guarded.holds_anything()) {
            return std::future::pending().await;
        }
        loop {
            if self.now.is_none() {
                tokio::time::sleep_until(self.next).await;
                self.begin().await;
            }
            if let Some(again) = self.take_in().await {
                return again;
            }
        }
    }

    async fn begin(&mut self) {
        // It is never closed.
        let turn = LOOKING.acquire().await.ok();
        let (Some(guarded), others) = (self.guarded.clone(), self.others.clone()) else {
            return;
        };
        if others.as_ref().is_some_and(|others| others.changes.is_busy()) {
            // What a tool writes just now is recorded afterwards.
            self.next = Instant::now() + PAUSE;
            return;
        }
        self.now = Some(tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let began = std::time::Instant::now();
            let is_theirs = |path: &Path| others.as_ref().is_some_and(|others| others.made(path));
            (guarded.look(&is_theirs), began.elapsed())
        }));
    }

    /// Waits for the look that is under way; the name of what it took back again.
    async fn take_in(&mut self) -> Option<String> {
        let now = self.now.as_mut()?;
        let looked = now.await;
        self.now = None;
        let (found, took) = looked.unwrap_or_default();
        self.next = Instant::now() + pause(took);
        let mut again = None;
        for TakenBack { path, name, line } in found {
            self.say_one_of_many(line);
            if !self.taken.insert(path) {
                again = Some(name);
            }
        }
        again
    }

    /// The last look, when nothing of the command is left: all that was said.
    async fn finish(mut self) -> Vec<String> {
        self.take_in().await;
        if let Some(guarded) = self.guarded.take() {
            let others = self.others.clone();
            // Two at once would take back the same, each half of it.
            let turn = LOOKING.acquire().await.ok();
            let settled = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                guarded.settle(&|path| others.as_ref().is_some_and(|others| others.made(path)))
            });
            match settled.await {
                Ok(lines) => lines.into_iter().for_each(|line| self.say_one_of_many(line)),
                Err(error) => self.say(format!("what the command made could not be looked at: {error}")),
            }
        }
        let more = self.told.saturating_sub(MAX_LINES);
        if more > 0 {
            self.say(format!("and {more} more were taken back like these"));
        }
        self.lines
    }

    fn say_one_of_many(&mut self, line: String) {
        self.told += 1;
        if self.told <= MAX_LINES {
            self.say(line);
        }
    }

    fn say(&mut self, line: String) {
        if let Some(others) = &self.others {
            others.tell(&line);
        }
        if let Some(output) = &self.output {
            output.lock().note(&line);
        }
        self.lines.push(line);
    }
}

/// How long is waited after a look that took so long.
fn pause(took: Duration) -> Duration {
    (took * SHARE).clamp(PAUSE, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_look_keeps_the_next_away() {
        for (took, waits) in [(0, 250), (4, 250), (20, 1000), (60, 3000), (9000, 3000)] {
            assert_eq!(
                pause(Duration::from_millis(took)),
                Duration::from_millis(waits),
                "{took}"
            );
        }
    }
}
