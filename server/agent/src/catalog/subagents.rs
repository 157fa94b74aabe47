//! The agents that skills with `context: fork` call for, in the folders `.claude/agents`.

use std::path::{Path, PathBuf};

use skills_schema::subagent::Subagent;
use skills_schema::syntax::SkillFile;

use super::Discovery;
use super::read;
use super::repository::repository;

/// Where the agents lie below a base.
const FOLDER: &str = ".claude/agents";
/// How many files of a folder are read at most.
const MAX_FILES: usize = 500;

/// The places of agents: an administrator's, the projects' from the opened folder up to the repository's, the person's
/// own. Claude Code 2.1 looks there in this order.
#[derive(Debug, Clone, Default)]
pub struct Subagents {
    places: Vec<AgentFolder>,
}

#[derive(Debug, Clone)]
struct AgentFolder {
    folder: PathBuf,
    /// What links must not lead out of.
    fence: Option<PathBuf>,
}

impl Subagents {
    pub(super) fn of(discovery: &Discovery) -> Self {
        let place = |base: &Path, is_fenced: bool| AgentFolder {
            folder: base.join(FOLDER),
            fence: is_fenced.then(|| base.to_owned()),
        };
        let projects = discovery.folders.iter().flat_map(|folder| {
            let root = repository(folder).unwrap_or(folder);
            folder.ancestors().take_while(move |base| base.starts_with(root))
        });
        let managed = discovery.managed.iter().map(|base| place(base, false));
        let projects = projects.map(|base| place(base, !discovery.trusts(base)));
        let own = discovery.home.iter().map(|base| place(base, false));
        Self {
            places: managed.chain(projects).chain(own).collect(),
        }
    }

    /// The agent of a name, as its file is now: the first that calls itself so. Reads the disk.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Subagent> {
        self.places.iter().find_map(|place| place.find(name))
    }
}

impl AgentFolder {
    fn find(&self, name: &str) -> Option<Subagent> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&self.folder)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        files.sort();
        files.truncate(MAX_FILES);
        files.iter().filter(|file| self.holds(file)).find_map(|file| {
            let text = read::read(file).ok()?.text;
            let agent = Subagent::of(&SkillFile::parse(text));
            // Without a name of its own it is called by its file.
            let stem = file.file_stem().map(|stem| stem.to_string_lossy());
            let is_meant = agent.name.as_deref().or(stem.as_deref()) == Some(name);
            is_meant.then_some(agent)
        })
    }

    fn holds(&self, file: &Path) -> bool {
        let inside = |fence: &PathBuf| {
            let (Ok(fence), Ok(file)) = (fence.canonicalize(), file.canonicalize()) else {
                return false;
            };
            file.starts_with(fence)
        };
        self.fence.as_ref().is_none_or(inside)
    }
}
