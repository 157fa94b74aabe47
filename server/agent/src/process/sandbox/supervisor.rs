//! The process between the server and a command. It lives outside of the command's sandbox, and nothing of the command
//! outlives it: not when the command ends, not when it is stopped, and not when the server is killed.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitCode, ExitStatus, Stdio};

use nix::sched::CloneFlags;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, setsid, waitpid};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::holding::{self, Holding};
use super::spec::{self, Confinement, Ended, Spec, Started};
use super::table::Table;
use super::{Moved, devices, failed, init, mounts, own_program};

/// The first argument of a process that supervises a command.
pub(in crate::process) const ARGUMENT: &str = "--supervise-command";

/// How often a kernel without pidfd (before 5.3) is asked whether a process has ended, in milliseconds.
const ROUND: i64 = 10;

/// Starts the command that standard input describes, and ends as it does.
pub(super) fn run() -> ExitCode {
    let server = match io::stdin().as_fd().try_clone_to_owned() {
        Ok(server) => UnixStream::from(server),
        Err(_) => return ExitCode::FAILURE,
    };
    match supervise(&server) {
        Ok(Ended::Exit(code)) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Ok(Ended::Signal(number)) => die(number),
        Err(error) => {
            // A server that is gone wants to know nothing.
            let _ = spec::write(&server, &Started::from(error));
            ExitCode::FAILURE
        }
    }
}

fn supervise(server: &UnixStream) -> io::Result<Ended> {
    // Out of the person's terminal and of the server's group.
    setsid()?;
    rustix::process::set_child_subreaper(Some(Pid::INIT))?;
    let spec: Spec = spec::read(server)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let mut holding = None;
    if let Some(confinement) = &spec.confinement
        && let Some(keeper) = confinement.keeper
    {
        holding = Some(enter(keeper, confinement).map_err(|error| match error.get_ref() {
            Some(inner) if inner.is::<Moved>() => error,
            _ => failed("its namespaces", &error),
        })?);
    }
    let (ours, theirs) = UnixStream::pair()?;
    let mut child = own_program(Path::new("/proc/self/exe"), init::ARGUMENT)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()?;
    let ended = accompany(server, &ours, &mut child, &spec, holding.as_mut());
    // Nothing that it started lives on. Its namespace is empty when its first process is gone, not when that is killed.
    let _ = child.kill();
    let _ = child.wait();
    end_all();
    if let Some(loose) = holding.map(Holding::finish).filter(|loose| !loose.is_empty()) {
        // A server that is gone wants to know nothing.
        let _ = spec::write(server, &loose);
    }
    ended
}

/// Into the namespaces that all commands share, and into those of its own.
fn enter(keeper: i32, confinement: &Confinement) -> io::Result<Holding> {
    let namespaces = Path::new("/proc").join(keeper.to_string()).join("ns");
    let (user, network) = (
        fs::File::open(namespaces.join("user"))?,
        fs::File::open(namespaces.join("net"))?,
    );
    move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
    if !confinement.network {
        move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?;
    }
    nix::sched::unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC)?;
    let paths = |list: &[spec::Text]| list.iter().map(spec::Text::path).collect::<Vec<_>>();
    let writable = paths(&confinement.writable);
    mounts::part()?;
    let table = Table::read()?;
    mounts::keep_writes(&writable, &table, confinement.landlock)?;
    mounts::fix(&paths(&confinement.fixed))?;
    mounts::set_up()?;
    devices::set_up()?;
    let everywhere = |list: &[spec::Held]| -> Vec<_> { list.iter().flat_map(|held| table.everywhere(held)).collect() };
    Holding::new(
        everywhere(&confinement.hidden),
        everywhere(&confinement.read_only),
        writable,
    )
}

/// Tells the child what to do, tells the server what comes of it, and waits for the end of either.
fn accompany(
    server: &UnixStream,
    inner: &UnixStream,
    child: &mut Child,
    spec: &Spec,
    holding: Option<&mut Holding>,
) -> io::Result<Ended> {
    spec::write(inner, spec)?;
    let started = spec::read(inner)?.unwrap_or(Started::Running);
    let is_running = matches!(started, Started::Running);
    spec::write(server, &started)?;
    if !is_running {
        return Ok(Ended::Exit(1));
    }
    if wait_for(child, server, holding)? {
        // Said by an init; a command that took the child's place says nothing.
        let said = spec::read(inner).ok().flatten();
        return Ok(said.unwrap_or_else(|| how(child.wait())));
    }
    Ok(Ended::Signal(libc::SIGKILL))
}

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
fn end_all() {
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

/// Ends by a signal, so that whoever waits sees what ended the command.
fn die(number: i32) -> ExitCode {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // The command's own remains are enough.
    let _ = setrlimit(Resource::Core, none);
    if let Some(signal) = Signal::from_named_raw(number) {
        let _ = kill_process(rustix::process::getpid(), signal);
    }
    ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX))
}
