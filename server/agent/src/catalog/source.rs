/// Where a skill comes from; the order is the precedence between dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
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
