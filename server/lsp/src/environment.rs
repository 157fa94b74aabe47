//! What the server takes from the process that it runs in: the home folder, the state folder, variables.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use skills_agent::activation::usage::UseCounts;
use skills_agent::permission::TrustStore;
use skills_agent::process::launcher::Launcher;
use skills_schema::listing::Budget;

use crate::refusal::Refusal;

/// Where administrators put what Claude Code must read.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode"
} else {
    "/etc/claude-code"
};

/// The surroundings of one server; tests make their own.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The person's home folder, with links resolved.
    pub home: Option<PathBuf>,
    /// The folder that an administrator manages for Claude Code.
    pub managed: Option<PathBuf>,
    /// Where the server keeps what outlives it; made on first use, closed to others.
    state: Option<PathBuf>,
    variables: HashMap<String, String>,
    /// Starts the agent's commands.
    launcher: Launcher,
}

impl Environment {
    /// The surroundings of this process. State is kept in `$XDG_STATE_HOME/skills-ls`, or in `.local/state/skills-ls`
    /// of the home folder.
    pub fn of_process() -> Self {
        let variables: HashMap<_, _> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let state = variables
            .get("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let state = state.or_else(|| Some(home.as_ref()?.join(".local/state")));
        // Claude Code 2.1 knows this variable.
        let wants_managed = variables
            .get("CLAUDE_CODE_DISABLE_POLICY_SKILLS")
            .is_none_or(|value| value != "1");
        Self {
            home,
            managed: Some(PathBuf::from(MANAGED)).filter(|_| wants_managed),
            state: state.map(|state| state.join("skills-ls")),
            variables,
            launcher: Launcher::default(),
        }
    }

    /// Surroundings with folders and variables of one's own.
    pub fn new(
        home: PathBuf,
        state: PathBuf,
        variables: impl IntoIterator<Item = (String, String)>,
        launcher: Launcher,
    ) -> Self {
        Self {
            home: Some(home),
            managed: None,
            state: Some(state),
            variables: variables.into_iter().collect(),
            launcher,
        }
    }

    /// What starts the agent's commands, with what it found out of this machine.
    pub fn launcher(&self) -> Launcher {
        self.launcher.clone()
    }

    /// Our own folders, with tokens and records in them: no command of an agent looks into them.
    pub fn private_folders(&self) -> Vec<PathBuf> {
        let folders = self.state.iter().cloned().chain(self.configuration_folder());
        // The kernel knows them without links.
        folders.map(|folder| folder.canonicalize().unwrap_or(folder)).collect()
    }

    /// The value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    /// Where the person's configuration lies: `$XDG_CONFIG_HOME/skills-ls`, or `.config/skills-ls` of the home folder.
    pub fn configuration_folder(&self) -> Option<PathBuf> {
        let folder = self.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_absolute());
        let folder = folder.or_else(|| Some(self.home.as_ref()?.join(".config")));
        folder.map(|folder| folder.join("skills-ls"))
    }

    /// How long the list of skills may be that a model with a context window of so many tokens is given. The variable
    /// `SLASH_COMMAND_TOOL_CHAR_BUDGET` sets the characters, as for Claude Code 2.1.
    pub fn listing_budget(&self, window: Option<u64>) -> Budget {
        let set = self.variables.get("SLASH_COMMAND_TOOL_CHAR_BUDGET");
        let set = set
            .and_then(|characters| characters.parse().ok())
            .filter(|set| *set > 0);
        set.map_or_else(|| Budget::Window(window), Budget::Characters)
    }

    /// How often the person used each skill; `None` where nothing can be kept. Makes no folder.
    pub fn usage(&self) -> Option<UseCounts> {
        self.state.as_deref().map(UseCounts::new)
    }

    /// Which folders the person trusts; `None` where nothing can be kept. Makes no folder.
    pub fn trust(&self) -> Option<TrustStore> {
        self.state.as_deref().map(TrustStore::new)
    }

    /// Those of these folders, and of the folders above them, that the person trusts.
    pub fn trusted(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let store = self.trust();
        let is_trusted = |folder: &&Path| store.as_ref().and_then(|store| store.get(folder)) == Some(true);
        let all: BTreeSet<&Path> = folders.iter().flat_map(|folder| folder.ancestors()).collect();
        all.into_iter().filter(is_trusted).map(Path::to_owned).collect()
    }

    /// The state folder; an error is for the person.
    pub fn state_folder(&self) -> Result<&Path, Refusal> {
        let folder = self
            .state
            .as_deref()
            .ok_or("there is no home folder to keep state in: set XDG_STATE_HOME")?;
        create_private(folder).map_err(|error| {
            let folder = folder.display();
            format!("{folder} can't be made ({error}): set XDG_STATE_HOME to a folder that you can write to")
        })?;
        Ok(folder)
    }
}

/// Makes a folder that only its owner can enter.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a new file that only its owner can read.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    io::Write::write_all(&mut options.open(path)?, bytes)
}

/// Opens a file for appending that only its owner can read.
pub fn append_private(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
