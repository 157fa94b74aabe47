//! The process between the server and a command. It lives outside of the command's sandbox, and nothing of the command
//! outlives it: not when the command ends, not when it is stopped, and not when the server is killed.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::process::{Pid, Signal, kill_process, setsid};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::children::{end_all, how, wait_for};
use super::holding::Holding;
use super::mount_table::Table;
use super::spec::{self, Confinement, Ended, Spec, Started};
use super::{Moved, devices, failed, init, mounts, own_program};

/// The first argument of a process that supervises a command.
pub(in crate::process) const ARGUMENT: &str = "--supervise-command";

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

/// Tells the child what to do, tells the server the result, and waits for the end of either.
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
