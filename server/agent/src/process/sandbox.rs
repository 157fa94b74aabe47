//! Keeps a command's writes to some folders, by the kernel.

use std::io;
use std::path::PathBuf;

use tokio::process::{Child, Command};

/// Files that any program may write.
#[cfg(target_os = "linux")]
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Where a command may write; reading and running stay as they are, and so does the network.
#[derive(Debug, Clone)]
pub(crate) struct Sandbox {
    /// The folders, with what is below them.
    pub(crate) writable: Vec<PathBuf>,
}

impl Sandbox {
    /// The folders of the workspace, others that the person named, and those for temporary files.
    pub(crate) fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let temporary = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
        let mut writable: Vec<PathBuf> = folders.into_iter().chain(temporary).collect();
        writable.sort();
        writable.dedup();
        Self { writable }
    }

    /// Exactly these folders.
    pub(crate) fn of(folders: &[PathBuf]) -> Self {
        Self {
            writable: folders.to_vec(),
        }
    }

    /// Whether this machine's kernel can do it.
    pub(crate) fn is_available() -> bool {
        #[cfg(target_os = "linux")]
        {
            use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
            let ruleset = Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessFs::from_all(ABI::V1));
            ruleset.and_then(Ruleset::create).is_ok()
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Starts a command inside.
    ///
    /// # Errors
    /// Where the kernel has no sandbox, or the command can't be started.
    #[cfg(target_os = "linux")]
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        // Landlock restricts a thread and what it starts: one thread for one command, and ours stay free.
        let runtime = tokio::runtime::Handle::current();
        std::thread::scope(|scope| {
            let starting = scope.spawn(|| {
                let _entered = runtime.enter();
                self.restrict().map_err(io::Error::other)?;
                command.spawn()
            });
            starting
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the sandbox could not be set up")))
        })
    }

    /// Starts a command inside.
    ///
    /// # Errors
    /// Always: there is no sandbox here.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn spawn(&self, _: &mut Command) -> io::Result<Child> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(target_os = "linux")]
    fn restrict(&self) -> Result<(), landlock::RulesetError> {
        use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules};
        // The newest that knows of truncation and renames; later ones concern devices, which stay free.
        let abi = ABI::V3;
        Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(abi)))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::from_all(abi)))?
            .add_rules(path_beneath_rules(&self.writable, AccessFs::from_all(abi)))?
            .restrict_self()?;
        Ok(())
    }
}
