//! Child processes: waiting for one, and ending all.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid};

use super::holding::{self, Holding};
use super::spec::Ended;

/// How often a kernel without pidfd (before 5.3) is asked whether a process has ended, in milliseconds.
const ROUND: i64 = 10;

/// Waits until a child ends, which is `true`, or whoever wanted it goes away, or it has what is held.
pub(super) fn wait_for(child: &Child, wanting: impl AsFd, mut holding: Option<&mut Holding>) -> io::Result<bool> {
    let process = Pid::from_child(child);
    let handle = pidfd_open(process, PidfdFlags::empty()).ok();
    loop {
        let mut watched = vec![PollFd::new(&wanting, PollFlags::RDHUP)];
        watched.extend(handle.as_ref().map(|handle| PollFd::new(handle, PollFlags::IN)));
        let changes = holding.as_ref().map(|holding| holding.changes.as_ref());
        watched.extend(changes.flatten().map(|changes| PollFd::new(changes, PollFlags::IN)));
        let round = match (&handle, changes) {
            (None, _) => ROUND,
            (_, Some(None)) => holding::ROUND,
            _ => 1000,
        };
        let round = rustix::event::Timespec {
            tv_sec: round / 1000,
            tv_nsec: round % 1000 * 1_000_000,
        };
        match poll(&mut watched, Some(&round)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_gone = watched[0].revents().intersects(PollFlags::RDHUP | PollFlags::HUP);
        if has_ended(process) {
            return Ok(true);
        }
        if is_gone || holding.as_mut().is_some_and(|holding| !holding.renew()) {
            return Ok(false);
        }
        reap_others(process);
    }
}

/// Whether a child has ended; it can still be waited for.
fn has_ended(process: Pid) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}

/// Takes leave of processes whose parents are gone, so that they don't pile up.
fn reap_others(but: Pid) {
    for child in children() {
        if child != but {
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
    }
}

/// The processes whose parent this one is, by birth or because it is a subreaper.
fn children() -> Vec<Pid> {
    let known = format!("/proc/self/task/{}/children", std::process::id());
    let known = fs::read_to_string(known).unwrap_or_default();
    let numbers = known.split_whitespace().filter_map(|number| number.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

/// Kills all that is left. A child's children become this process's own, so each round finds the next generation.
pub(super) fn end_all() {
    loop {
        let left = children();
        if left.is_empty() {
            return;
        }
        for child in left {
            // An error says that it is gone.
            let _ = kill_process(child, Signal::KILL);
            let _ = waitpid(Some(child), WaitOptions::empty());
        }
    }
}

/// How a process ended.
pub(super) fn how(status: io::Result<ExitStatus>) -> Ended {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exit(code),
            (None, signal) => Ended::Signal(signal.unwrap_or(libc::SIGKILL)),
        },
        Err(_) => Ended::Exit(1),
    }
}
