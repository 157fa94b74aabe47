//! Keeps a command to what it may touch, by the kernel (Linux).
//!
//! A program that serves runs itself again for each command: a *supervisor* outside of the sandbox, which ends all that the
//! command started, and inside a process that closes the sandbox around itself and then becomes the command. In between lie
//! the namespaces that a *keeper* holds for all commands of a server. [`enter`] turns a process into one of these.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod children;
#[cfg(target_os = "linux")]
mod devices;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod holding;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod mount_table;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod ruleset;
#[cfg(target_os = "linux")]
pub(in crate::process) mod spec;
#[cfg(target_os = "linux")]
mod supervisor;
mod writable;

#[cfg(target_os = "linux")]
pub(in crate::process) use keeper::Keeper;
#[cfg(target_os = "linux")]
pub(in crate::process) use ruleset::is_available as has_landlock;
#[cfg(target_os = "linux")]
pub(in crate::process) use supervisor::ARGUMENT as SUPERVISE;

/// What a command may touch. Reading and running elsewhere stay as they are.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    /// The folders that it may write to, with what is below them; without links.
    pub writable: Vec<PathBuf>,
    /// Files and folders that it can't look into.
    pub hidden: Vec<Held>,
    /// Files and folders that it can't change, wherever they are.
    pub read_only: Vec<Held>,
    /// Folders that it can neither rename nor move others out of.
    pub fixed: Vec<PathBuf>,
    /// Whether it has the machine's network; without, it has a loopback interface that only other commands share.
    pub network: bool,
}

/// A file or a folder that is kept from a command.
#[derive(Debug, Clone)]
pub struct Held {
    /// Where it is.
    pub path: PathBuf,
    /// What it is, so that no other one is held in its place; `None` where it need not be there.
    pub number: Option<Number>,
}

/// What a file is, whatever it is called: its device, and its number there.
pub type Number = (u64, u64);

impl Held {
    /// What is there now. A link is held by nobody, because its target would be.
    pub(super) fn now(path: PathBuf) -> Self {
        // Nothing has this number.
        const GONE: Number = (0, 0);
        let number = match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => None,
            Ok(metadata) => number(&metadata),
            Err(_) => Some(GONE),
        };
        Self { path, number }
    }
}

/// What a file is, where the system has such numbers.
fn number(metadata: &std::fs::Metadata) -> Option<Number> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// A file or a folder moved while a command started, so that it could not be held.
#[derive(Debug, thiserror::Error)]
#[error("{} keeps moving, or what is in it; stop what moves it and try again", .0.display())]
pub(super) struct Moved(pub(super) PathBuf);

impl From<Moved> for std::io::Error {
    fn from(moved: Moved) -> Self {
        Self::other(moved)
    }
}

impl Sandbox {
    /// The folders of the workspace, others that the person named, and those for temporary files.
    pub(crate) fn new(folders: impl IntoIterator<Item = PathBuf>, hidden: Vec<PathBuf>) -> Self {
        let hidden = hidden.into_iter().map(|path| Held { path, number: None }).collect();
        let temporary = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
        let writable: Vec<PathBuf> = folders.into_iter().chain(temporary).collect();
        Self {
            writable: writable::resolved(&writable),
            hidden,
            ..Self::default()
        }
    }
}

/// What this process is to be where a server started it for a command; `None` where it is a program of its own. Called
/// first in `main`, before any thread starts: a process with threads can enter no namespace.
pub fn enter() -> Option<std::process::ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let mut arguments = std::env::args_os().skip(1);
        let role = arguments.next()?;
        if arguments.next().is_some() {
            return None;
        }
        let run = match role.to_str()? {
            supervisor::ARGUMENT => supervisor::run,
            init::ARGUMENT => init::run,
            keeper::ARGUMENT => keeper::run,
            _ => return None,
        };
        close_inherited();
        Some(run())
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// This program once more, for a role: without the server's environment, which may hold keys.
#[cfg(target_os = "linux")]
pub(in crate::process) fn own_program(program: &std::path::Path, role: &str) -> std::process::Command {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(program);
    command.arg0("skills-ls").arg(role).env_clear().current_dir("/");
    command
}

/// Closes what this process was given beside its standard streams. Whoever started the server may have left sockets and files
/// open, by which a command would reach what it can't open itself. Called before this process opens anything.
#[cfg(target_os = "linux")]
fn close_inherited() {
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2).collect::<Vec<_>>() {
        // The one by which they were listed is closed already.
        let _ = nix::unistd::close(number);
    }
}

/// An error, with the part of the sandbox that it kept from being set up.
#[cfg(target_os = "linux")]
fn failed(part: &str, error: &dyn std::error::Error) -> std::io::Error {
    std::io::Error::other(format!("the sandbox could not be set up: {part}: {error}"))
}
