//! Where a system looks for skills, and which of several of one name it takes.

use std::path::Path;

/// How one system finds skills.
#[derive(Debug)]
pub struct Search {
    /// Whose skill counts among several of one name, the best first; others come after them.
    pub precedence: &'static [Source],
    /// Which of several counts that are otherwise equal.
    pub same_name: SameName,
    /// Of several skills of one name it keeps all.
    pub keeps_all: bool,
    /// Which folders are a project.
    pub project: Reach,
    /// Its folders, the best first.
    pub folders: &'static [SkillsFolder],
    /// A `SKILL.md` directly in the folder is a skill.
    pub takes_root: bool,
    /// It goes on below a skill.
    pub below_skills: bool,
    /// Folders below those that it does not enter.
    pub skips: &'static [&'static str],
    /// It enters folders whose names begin with a dot.
    pub hidden: bool,
    /// The files whose patterns it passes over.
    pub ignores: Ignores,
    /// It follows symbolic links to folders.
    pub links: bool,
    /// It takes a `SKILL.md` that is a symbolic link.
    pub linked_files: bool,
    /// `skill.md` in other letters is a skill too.
    pub any_case: bool,
    /// It knows plugins, and skills that its maker's service put into the home.
    pub plugins: bool,
    /// It brings skills along, which we have too.
    pub bundles: bool,
    /// The most entries below one folder of skills that it looks at, where it says so.
    pub max_entries: Option<usize>,
    /// What else decides whether a skill is loaded: trust that it asks for, and switches of its own.
    pub notes: &'static [&'static str],
}

/// Where a skill comes from; the order is the precedence between dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A folder that an administrator manages.
    Managed,
    /// A folder of the workspace, or above it up to the root of the repository.
    Project,
    /// The person's home.
    User,
    /// A folder of the configuration.
    Configured,
    /// A plugin.
    Plugin,
    /// Compiled in.
    Bundled,
    /// A server of the Model Context Protocol.
    Mcp,
    /// What a service put into the person's home: nothing in it runs.
    Synced,
}

/// Which of several skills of one name counts that are otherwise equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameName {
    /// The first that is found.
    First,
    /// The last that is found.
    Last,
    /// Wherever they are, the one whose folder is last by its path in small letters.
    LastPath,
    /// Whichever is read last: it may change from run to run.
    Any,
    /// Its documents don't say.
    Unstated,
}

/// The files of patterns that a system uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignores {
    /// None.
    None,
    /// `.gitignore` of the project and below.
    Repository,
    /// Those in the folder of skills itself and below.
    Inside(&'static [&'static str]),
}

/// Which folders around an opened one a system takes for the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The opened one.
    Opened,
    /// The opened one and all above it, up to the root of the repository.
    UpToRepository,
    /// The opened one and the root of the repository.
    OpenedAndRepository,
    /// The root of the repository.
    Repository,
}

/// A folder that holds skills, below a project, a home or the managed folder.
#[derive(Debug)]
pub struct SkillsFolder {
    /// Below what it lies.
    pub below: &'static [Source],
    /// Its path there, with `/`.
    pub path: &'static str,
    /// How they lie there.
    pub holds: Holds,
    /// It is looked for beside the files that are opened, too.
    pub nested: bool,
}

/// How skills lie in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// `NAME/SKILL.md`, `depth` folders deep at most, and `NAME.md`.
    Skills {
        /// How deep.
        depth: usize,
        /// Which plain files.
        flat: Flat,
    },
    /// `NAME.md`, `FOLDER/NAME.md` and `NAME/SKILL.md`: what were commands before there were skills.
    Commands,
}

/// Which plain Markdown files are skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flat {
    /// None.
    None,
    /// Those directly in the folder.
    Direct,
    /// Those in folders of it, outside of skills.
    Below,
    /// Those at any depth outside of skills.
    Deep,
}

impl Source {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Project => "project",
            Self::User => "user",
            Self::Configured => "configured",
            Self::Plugin => "plugin",
            Self::Bundled => "bundled",
            Self::Mcp => "mcp",
            Self::Synced => "synced",
        }
    }
}

impl Search {
    /// What most systems do.
    pub(crate) const USUAL: Search = Search {
        precedence: &[],
        same_name: SameName::First,
        keeps_all: false,
        project: Reach::Opened,
        folders: &[],
        takes_root: false,
        below_skills: false,
        skips: &[],
        hidden: false,
        ignores: Ignores::None,
        links: true,
        linked_files: true,
        any_case: true,
        plugins: false,
        bundles: false,
        max_entries: None,
        notes: &[],
    };

    /// Whether what packages bring is found too: it looks into `node_modules`. Where documents don't say which of several
    /// skills counts, they don't say this either.
    pub fn enters_packages(&self) -> bool {
        let is_deep = |folder: &SkillsFolder| matches!(folder.holds, Holds::Skills { depth, .. } if depth > 1);
        let is_stated = self.same_name != SameName::Unstated;
        is_stated && self.folders.iter().any(is_deep) && !self.skips.contains(&"node_modules")
    }

    /// The place of a source in the precedence; less is better.
    pub fn rank(&self, source: Source) -> usize {
        let position = self.precedence.iter().position(|other| *other == source);
        position.unwrap_or(self.precedence.len() + source as usize)
    }
}

impl Reach {
    /// The folders that are the project of an opened one, itself first; `repository` is the root that it lies in.
    pub fn of<'a>(self, opened: &'a Path, repository: Option<&'a Path>) -> Vec<&'a Path> {
        let root = repository.unwrap_or(opened);
        match self {
            Self::Opened => vec![opened],
            Self::Repository => vec![root],
            Self::OpenedAndRepository if root == opened => vec![opened],
            Self::OpenedAndRepository => vec![opened, root],
            Self::UpToRepository => opened
                .ancestors()
                .take_while(|folder| folder.starts_with(root))
                .collect(),
        }
    }
}

pub(crate) const MANAGED: &[Source] = &[Source::Managed, Source::Project, Source::User];
pub(crate) const BOTH: &[Source] = &[Source::Project, Source::User];
pub(crate) const PROJECT: &[Source] = &[Source::Project];
pub(crate) const USER: &[Source] = &[Source::User];

/// Directly in the folder.
pub(crate) const DIRECT: Holds = skills(1, Flat::None);
/// Collections too, down to the depth of thndrs.
pub(crate) const COLLECTIONS: Holds = skills(8, Flat::None);
/// As deep as folders go in practice.
pub(crate) const DEEP: Holds = skills(64, Flat::None);
/// As OpenHands looks.
pub(crate) const MICROAGENTS: Holds = skills(1, Flat::Deep);

pub(crate) const fn skills(depth: usize, flat: Flat) -> Holds {
    Holds::Skills { depth, flat }
}

pub(crate) const fn folder(below: &'static [Source], path: &'static str, holds: Holds) -> SkillsFolder {
    SkillsFolder {
        below,
        path,
        holds,
        nested: false,
    }
}

/// A folder that is looked for beside the files that are opened, too.
pub(crate) const fn nested(below: &'static [Source], path: &'static str, holds: Holds) -> SkillsFolder {
    SkillsFolder {
        nested: true,
        ..folder(below, path, holds)
    }
}
