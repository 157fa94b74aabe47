//! Where each system looks for skills, and which of several of one name it takes: a row each. A further system is a
//! further row.

use std::path::Path;

use skills_schema::dialect::Dialect;

use super::source::Source;

/// How one system finds skills.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) dialect: Dialect,
    /// Whose skill counts among several of one name, the best first; others come after them.
    pub(super) precedence: &'static [Source],
    /// Which of several counts that are otherwise equal.
    pub(super) same_name: SameName,
    /// Which folders are a project.
    pub(super) project: Reach,
    /// Its folders, the best first.
    pub(super) folders: &'static [Folder],
    /// Folders below those that it does not enter.
    pub(super) skips: &'static [&'static str],
    /// It enters folders whose names begin with a dot.
    pub(super) hidden: bool,
    /// The files whose patterns it passes over.
    pub(super) ignores: Ignores,
    /// It follows symbolic links.
    pub(super) links: bool,
    /// `skill.md` in other letters is a skill too.
    pub(super) any_case: bool,
    /// It knows plugins, and skills that its maker's service put into the home.
    pub(super) plugins: bool,
    /// The most entries below one folder of skills that it looks at, where it says so.
    pub(super) max_entries: Option<usize>,
    /// What else decides whether a skill is loaded: trust that it asks for, and switches of its own.
    pub(super) notes: &'static [&'static str],
}

/// Which of several skills of one name counts that are otherwise equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SameName {
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

/// The files of patterns that a system heeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignores {
    /// None.
    None,
    /// `.gitignore` of the project and below.
    Repository,
    /// Those in the folder of skills itself and below.
    Inside(&'static [&'static str]),
}

/// Which folders around an opened one a system takes for the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
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
pub(super) struct Folder {
    /// Below what it lies.
    pub(super) below: &'static [Source],
    /// Its path there, with `/`.
    pub(super) path: &'static str,
    pub(super) holds: Holds,
    /// It is looked for beside the files that are opened, too.
    pub(super) nested: bool,
}

/// How skills lie in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// `NAME/SKILL.md`, `depth` folders deep at most, and `NAME.md`.
    Skills { depth: usize, flat: Flat },
    /// `NAME.md`, `FOLDER/NAME.md` and `NAME/SKILL.md`: what were commands before there were skills.
    Commands,
}

/// Which plain Markdown files are skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flat {
    None,
    /// Those directly in the folder.
    Direct,
    /// Those in folders of it, outside of skills.
    Below,
    /// Those at any depth outside of skills.
    Deep,
}

const MANAGED: &[Source] = &[Source::Managed, Source::Project, Source::User];
const BOTH: &[Source] = &[Source::Project, Source::User];
const PROJECT: &[Source] = &[Source::Project];
const USER: &[Source] = &[Source::User];

/// Directly in the folder, as Claude Code and Wolffish look.
const DIRECT: Holds = Holds::Skills {
    depth: 1,
    flat: Flat::None,
};
/// Collections too, down to the depth of thndrs.
const COLLECTIONS: Holds = Holds::Skills {
    depth: 8,
    flat: Flat::None,
};
/// As deep as folders go in practice.
const DEEP: Holds = Holds::Skills {
    depth: 64,
    flat: Flat::None,
};
/// As pi looks in its own folders.
const LOOSE: Holds = Holds::Skills {
    depth: 64,
    flat: Flat::Direct,
};
/// As pi looks in those of others.
const LOOSE_BELOW: Holds = Holds::Skills {
    depth: 64,
    flat: Flat::Below,
};
/// As Codex looks.
const SIX_DEEP: Holds = Holds::Skills {
    depth: 6,
    flat: Flat::None,
};
/// As OpenHands looks.
const MICROAGENTS: Holds = Holds::Skills {
    depth: 1,
    flat: Flat::Deep,
};

const fn folder(below: &'static [Source], path: &'static str, holds: Holds) -> Folder {
    Folder {
        below,
        path,
        holds,
        nested: false,
    }
}

const fn nested(below: &'static [Source], path: &'static str, holds: Holds) -> Folder {
    Folder {
        below,
        path,
        holds,
        nested: true,
    }
}

/// Our own reading: every folder of the others, each as its owner reads it.
pub(super) static UNIFIED: Reader = Reader {
    dialect: Dialect::Unified,
    precedence: &[
        Source::Managed,
        Source::Project,
        Source::User,
        Source::Configured,
        Source::Plugin,
        Source::Bundled,
        Source::Mcp,
        Source::Synced,
    ],
    same_name: SameName::First,
    project: Reach::UpToRepository,
    folders: &[
        nested(
            BOTH,
            ".agents/skills",
            Holds::Skills {
                depth: 8,
                flat: Flat::Direct,
            },
        ),
        nested(MANAGED, ".claude/skills", DIRECT),
        folder(MANAGED, ".claude/commands", Holds::Commands),
        folder(BOTH, ".openhands/skills", MICROAGENTS),
        folder(BOTH, ".openhands/microagents", MICROAGENTS),
        folder(BOTH, ".thndrs/skills", COLLECTIONS),
        folder(BOTH, ".codex/skills", COLLECTIONS),
        folder(BOTH, ".pi/skills", COLLECTIONS),
        folder(BOTH, ".pi/agent/skills", COLLECTIONS),
        folder(&[Source::Project], "brain/cerebellum", DIRECT),
        folder(&[Source::User], ".wolffish/workspace/brain/cerebellum", DIRECT),
    ],
    skips: &["node_modules"],
    hidden: false,
    ignores: Ignores::Repository,
    links: true,
    any_case: true,
    plugins: true,
    max_entries: None,
    notes: &[],
};

static READERS: &[Reader] = &[
    // The client guide of the Agent Skills specification.
    Reader {
        dialect: Dialect::AgentSkills,
        precedence: &[Source::Project, Source::User, Source::Configured],
        folders: &[
            folder(
                BOTH,
                ".agents/skills",
                Holds::Skills {
                    depth: 6,
                    flat: Flat::None,
                },
            ),
            folder(
                BOTH,
                ".claude/skills",
                Holds::Skills {
                    depth: 6,
                    flat: Flat::None,
                },
            ),
        ],
        skips: &["node_modules"],
        project: Reach::Opened,
        ..COMMON
    },
    // Claude Code 2.1.240.
    Reader {
        dialect: Dialect::Claude,
        precedence: &[Source::Managed, Source::User, Source::Project],
        project: Reach::UpToRepository,
        folders: &[
            nested(MANAGED, ".claude/skills", DIRECT),
            folder(MANAGED, ".claude/commands", Holds::Commands),
        ],
        any_case: false,
        plugins: true,
        ..COMMON
    },
    // OpenHands SDK 1.58.
    Reader {
        dialect: Dialect::OpenHands,
        precedence: &[Source::Configured, Source::Project, Source::User],
        project: Reach::OpenedAndRepository,
        folders: &[
            folder(BOTH, ".agents/skills", MICROAGENTS),
            folder(BOTH, ".openhands/skills", MICROAGENTS),
            folder(BOTH, ".openhands/microagents", MICROAGENTS),
        ],
        hidden: true,
        ..COMMON
    },
    // thndrs 0.1.0.
    Reader {
        dialect: Dialect::Thndrs,
        precedence: &[Source::User, Source::Project, Source::Configured],
        project: Reach::Repository,
        folders: &[
            folder(BOTH, ".thndrs/skills", COLLECTIONS),
            folder(BOTH, ".agents/skills", COLLECTIONS),
            folder(BOTH, ".claude/skills", COLLECTIONS),
            folder(BOTH, ".codex/skills", COLLECTIONS),
            folder(BOTH, ".pi/skills", COLLECTIONS),
            folder(BOTH, ".pi/agent/skills", COLLECTIONS),
        ],
        skips: &["node_modules", "target", "dist", "build"],
        any_case: false,
        ..COMMON
    },
    // Wolffish 1.0.263.
    Reader {
        dialect: Dialect::Wolffish,
        precedence: &[Source::Project, Source::User],
        same_name: SameName::Last,
        project: Reach::Opened,
        folders: &[
            folder(&[Source::Project], "brain/cerebellum", DIRECT),
            folder(&[Source::User], ".wolffish/workspace/brain/cerebellum", DIRECT),
        ],
        hidden: true,
        links: false,
        any_case: false,
        ..COMMON
    },
    // Codex CLI 0.169.0. It keeps skills of one name, all of them; here the first counts.
    Reader {
        dialect: Dialect::Codex,
        max_entries: Some(20_000),
        notes: &[
            "a folder needs no trust: its skills are listed and used",
            "off: an entry of `[[skills.config]]` with `name` or `path` and `enabled = false` in config.toml of the \
             person; that of a project is not heeded",
            "it looks at 2,000 folders and 20,000 entries below each folder of skills, six folders deep",
        ],
        precedence: BOTH,
        project: Reach::UpToRepository,
        folders: &[
            folder(BOTH, ".codex/skills", SIX_DEEP),
            folder(BOTH, ".agents/skills", SIX_DEEP),
        ],
        any_case: false,
        ..COMMON
    },
    // GitHub Copilot CLI 1.0.102. It left `.claude` of the home folder in 1.0.36.
    Reader {
        dialect: Dialect::Copilot,
        notes: &[
            "a folder must be trusted before a session loads its skills",
            "off: `copilot skill disable NAME`, or the setting `disabledSkills`",
        ],
        precedence: BOTH,
        project: Reach::UpToRepository,
        folders: &[
            folder(PROJECT, ".github/skills", DEEP),
            folder(USER, ".copilot/skills", DEEP),
            folder(BOTH, ".agents/skills", DEEP),
            folder(PROJECT, ".claude/skills", DEEP),
        ],
        any_case: false,
        ..COMMON
    },
    // Visual Studio Code 1.139.1.
    Reader {
        dialect: Dialect::VsCode,
        notes: &[
            "the settings that name folders are not heeded in a workspace that is not trusted",
            "off: `chat.useAgentSkills`, or a single file in the list of skills",
        ],
        precedence: BOTH,
        folders: &[
            folder(BOTH, ".agents/skills", DIRECT),
            folder(PROJECT, ".github/skills", DIRECT),
            folder(USER, ".copilot/skills", DIRECT),
            folder(BOTH, ".claude/skills", DIRECT),
        ],
        hidden: true,
        any_case: false,
        ..COMMON
    },
    // opencode 1.18.33. Which of several skills of one name it takes can change from run to run.
    Reader {
        dialect: Dialect::OpenCode,
        same_name: SameName::Any,
        notes: &[
            "a folder needs no trust",
            "off: `permission.skill` with `deny`; OPENCODE_DISABLE_EXTERNAL_SKILLS passes over `.agents` and `.claude`, \
             OPENCODE_DISABLE_CLAUDE_CODE_SKILLS over `.claude`",
        ],
        precedence: BOTH,
        project: Reach::UpToRepository,
        folders: &[
            folder(PROJECT, ".opencode/skills", DEEP),
            folder(PROJECT, ".opencode/skill", DEEP),
            folder(BOTH, ".agents/skills", DEEP),
            folder(BOTH, ".claude/skills", DEEP),
            folder(USER, ".config/opencode/skills", DEEP),
            folder(USER, ".config/opencode/skill", DEEP),
            folder(USER, ".opencode/skills", DEEP),
        ],
        hidden: true,
        any_case: false,
        ..COMMON
    },
    // pi 1.5.2.
    Reader {
        dialect: Dialect::Pi,
        ignores: Ignores::Inside(&[".gitignore", ".ignore", ".fdignore"]),
        notes: &[
            "a project must be trusted; the skills of the person need no trust",
            "off: `--no-skills`, or a pattern with `!` or `-` in the setting `skills`",
        ],
        precedence: BOTH,
        project: Reach::UpToRepository,
        folders: &[
            folder(PROJECT, ".pi/skills", LOOSE),
            folder(USER, ".pi/agent/skills", LOOSE),
            folder(BOTH, ".agents/skills", LOOSE_BELOW),
        ],
        skips: &["node_modules"],
        any_case: false,
        ..COMMON
    },
    // Gemini CLI 0.61.0.
    Reader {
        dialect: Dialect::Gemini,
        notes: &[
            "the skills of a workspace are loaded where its folder is trusted",
            "off: `skills.disabled` (names in any case) or `skills.enabled` in the settings, `/skills disable`",
        ],
        precedence: BOTH,
        folders: &[
            folder(BOTH, ".agents/skills", DIRECT),
            folder(BOTH, ".gemini/skills", DIRECT),
        ],
        skips: &["node_modules"],
        any_case: false,
        ..COMMON
    },
    // goose 1.52.0.
    Reader {
        dialect: Dialect::Goose,
        notes: &["a folder needs no trust"],
        precedence: BOTH,
        folders: &[
            folder(BOTH, ".agents/skills", DEEP),
            folder(PROJECT, ".goose/skills", DEEP),
            folder(USER, ".config/goose/skills", DEEP),
            folder(BOTH, ".claude/skills", DEEP),
            folder(USER, ".config/agents/skills", DEEP),
        ],
        hidden: true,
        any_case: false,
        ..COMMON
    },
    // Crush, its source of 2026-08-21.
    Reader {
        dialect: Dialect::Crush,
        same_name: SameName::LastPath,
        notes: &["off: name a skill under `options.disabled_skills` of crush.json"],
        project: Reach::OpenedAndRepository,
        folders: &[
            folder(BOTH, ".agents/skills", DEEP),
            folder(BOTH, ".claude/skills", DEEP),
            folder(PROJECT, ".crush/skills", DEEP),
            folder(PROJECT, ".cursor/skills", DEEP),
            folder(USER, ".config/agents/skills", DEEP),
            folder(USER, ".config/crush/skills", DEEP),
        ],
        hidden: true,
        any_case: false,
        ..COMMON
    },
    // The documents of Cursor, mid 2026. Precedence, links and limits are not stated.
    Reader {
        dialect: Dialect::Cursor,
        same_name: SameName::Unstated,
        precedence: BOTH,
        folders: &[
            nested(BOTH, ".agents/skills", DEEP),
            nested(BOTH, ".cursor/skills", DEEP),
            folder(BOTH, ".claude/skills", DEEP),
            folder(BOTH, ".codex/skills", DEEP),
        ],
        any_case: false,
        ..COMMON
    },
];

/// What most readers do.
const COMMON: Reader = Reader {
    dialect: Dialect::Unified,
    precedence: &[],
    same_name: SameName::First,
    project: Reach::Opened,
    folders: &[],
    skips: &[],
    hidden: false,
    ignores: Ignores::None,
    links: true,
    any_case: true,
    plugins: false,
    max_entries: None,
    notes: &[],
};

/// How a system finds skills; ours for one that has no row.
pub(super) fn reader(dialect: Dialect) -> &'static Reader {
    let row = READERS.iter().find(|reader| reader.dialect == dialect);
    row.unwrap_or(&UNIFIED)
}

/// What decides, beside places and names, whether a system loads a skill: the trust that it asks for and the switches
/// that it has; sentences for a person.
pub fn notes(dialect: Dialect) -> &'static [&'static str] {
    reader(dialect).notes
}

/// Every system that has a row.
pub(super) fn readers() -> impl Iterator<Item = &'static Reader> {
    READERS.iter()
}

impl Reader {
    /// The place of a source in the precedence; less is better.
    pub(super) fn rank(&self, source: Source) -> usize {
        let position = self.precedence.iter().position(|other| *other == source);
        position.unwrap_or(self.precedence.len() + source as usize)
    }
}

impl Reach {
    /// The folders that are the project of an opened one, itself first; `repository` is the root that it lies in.
    pub(super) fn of<'a>(self, opened: &'a Path, repository: Option<&'a Path>) -> Vec<&'a Path> {
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
