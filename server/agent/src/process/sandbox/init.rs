//! The process that closes the sandbox around itself and then becomes the command, or, in a process namespace of its own,
//! waits for it as its first process.
#![expect(clippy::disallowed_methods, reason = "the kernel is told by files")]

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::fs::MemfdFlags;
use rustix::process::DumpableBehavior;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

use super::children::{how, wait_for};
use super::mount_table::Table;
use super::spec::{self, Confinement, Spec, Started, Text};
use super::{failed, filter, mounts, ruleset};

/// The first argument of this process.
pub(super) const ARGUMENT: &str = "--start-command";

/// Rights over the machine that root keeps in no sandbox; those over files stay.
const RIGHTS: CapabilitySet = CapabilitySet::SYS_ADMIN
    .union(CapabilitySet::SYS_MODULE)
    .union(CapabilitySet::SYS_RAWIO)
    .union(CapabilitySet::SYS_PTRACE)
    .union(CapabilitySet::SYS_BOOT)
    .union(CapabilitySet::SYS_TIME)
    .union(CapabilitySet::SYS_PACCT)
    .union(CapabilitySet::SYSLOG)
    .union(CapabilitySet::MKNOD)
    .union(CapabilitySet::NET_ADMIN)
    .union(CapabilitySet::NET_RAW)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::LINUX_IMMUTABLE)
    .union(CapabilitySet::MAC_ADMIN)
    .union(CapabilitySet::MAC_OVERRIDE)
    .union(CapabilitySet::AUDIT_CONTROL)
    .union(CapabilitySet::BPF)
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::CHECKPOINT_RESTORE);

/// Starts what standard input describes.
pub(super) fn run() -> ExitCode {
    // Closed when a command takes this process's place.
    let Ok(supervisor) = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else {
        return ExitCode::FAILURE;
    };
    match start(&supervisor) {
        Ok(code) => code,
        Err(error) => {
            // A supervisor that is gone wants to know nothing.
            let _ = spec::write(&supervisor, &Started::from(error));
            ExitCode::FAILURE
        }
    }
}

fn start(supervisor: &UnixStream) -> io::Result<ExitCode> {
    let spec: Spec = spec::read(supervisor)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let is_first = spec
        .confinement
        .as_ref()
        .is_some_and(|confinement| confinement.keeper.is_some());
    if let Some(confinement) = &spec.confinement {
        confine(confinement)?;
    }
    let Some((program, arguments)) = spec.argv.split_first() else {
        spec::write(supervisor, &Started::Running)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut command = Command::new(program.os());
    command
        .args(arguments.iter().map(Text::os))
        .current_dir(spec.cwd.path())
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name.os(), value.os())))
        .stdin(input(spec.input.as_deref())?);
    if !is_first {
        return Err(command.exec());
    }
    let mut child = command.spawn()?;
    spec::write(supervisor, &Started::Running)?;
    if wait_for(&child, supervisor, None)? {
        spec::write(supervisor, &how(child.wait()))?;
    }
    // With its first process the namespace ends, and all that is in it.
    Ok(ExitCode::SUCCESS)
}

fn input(text: Option<&str>) -> io::Result<Stdio> {
    let Some(text) = text else { return Ok(Stdio::null()) };
    let mut file = File::from(rustix::fs::memfd_create(c"input", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(OwnedFd::from(file).into())
}

fn confine(confinement: &Confinement) -> io::Result<()> {
    let has_namespaces = confinement.keeper.is_some();
    if has_namespaces {
        mounts::own_processes().map_err(|error| failed("its processes", &error))?;
        take_own_name().map_err(|error| failed("its user", &error))?;
    }
    drop_rights()?;
    let paths = |list: &[Text]| list.iter().map(Text::path).collect::<Vec<_>>();
    let writable = paths(&confinement.writable);
    if confinement.landlock {
        let mut hidden: Vec<_> = confinement.hidden.iter().map(|held| held.path.path()).collect();
        if !has_namespaces {
            // Whatever else they are called.
            let table = Table::read().map_err(|error| failed("its files", &error))?;
            hidden.extend(
                confinement
                    .hidden
                    .iter()
                    .flat_map(|held| table.others(&held.path.path())),
            );
        }
        ruleset::restrict(&writable, &hidden, has_namespaces).map_err(|error| failed("Landlock", &error))?;
    }
    filter::apply(confinement.network, has_namespaces).map_err(|error| failed("seccomp", &error))
}

/// Takes rights over the machine, and over the sandbox itself, away from root and from what root starts.
fn drop_rights() -> io::Result<()> {
    // Nobody borrows this process's rights by tracing it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for right in RIGHTS.iter() {
        // One that this kernel does not know can't be used either.
        let _ = remove_capability_from_bounding_set(right);
    }
    let mut rights = rustix::thread::capabilities(None)?;
    for set in [&mut rights.effective, &mut rights.permitted, &mut rights.inheritable] {
        *set -= RIGHTS;
    }
    Ok(rustix::thread::set_capabilities(None, rights)?)
}

/// In the namespaces the person is called root, which programs would take for the machine's; here they get their number back.
/// Root is root already.
fn take_own_name() -> io::Result<()> {
    let numbers = |name: &str| fs::read_to_string(format!("/proc/self/{name}"));
    let outside = |map: &str| map.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let (person, group) = (outside(&numbers("uid_map")?), outside(&numbers("gid_map")?));
    if person == "0" {
        return Ok(());
    }
    nix::sched::unshare(CloneFlags::CLONE_NEWUSER)?;
    fs::write("/proc/self/uid_map", format!("{person} 0 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} 0 1"))
}
