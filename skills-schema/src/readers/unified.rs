//! Our own reading. What makes another reader of the folder drop the file is a warning: see `Facts::readers`.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Unified,
    name: "unified",
    title: "skills-ls",
    about: "All of them, as skills-ls reads them.",
    recorded: "this version",
    command: "/{name}",
    built_in: &["bg", "clear", "exit", "help", "model", "quit", "skills"],
    has_commands: true,
    has_subagents: true,
    has_flat_skills: true,
    command_scan: CommandScan::Markdown,
    is_program: false,
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[reads("metadata.dialect", "overrides the dialect that the folder says")];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    leading_blank_line: Recovers,
    duplicate_key: Recovers,
    no_name: Tolerates,
    name_unlike_folder: Tolerates,
    alphabet: Alphabet::Ascii,
    name_format: Tolerates,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    argument_mismatch: Recovers,
    file_name_case: Tolerates,
    invalid_reference: Recovers,
    unmet_requirement: Recovers,
    invalid_mcp: Doubts,
    listing_budget: Doubts,
    command_escape: Some("\\"),
    unusable_key: Tolerates,
    limits: &[
        limit("name", 64, Unit::Characters, Tolerates),
        // What has `when_to_use` is written for Claude Code, which cuts both off there.
        Limit {
            with: Some("when_to_use"),
            ..limit("description", 1536, Unit::Characters, Recovers)
        },
        limit("description", 1024, Unit::Characters, Tolerates),
        limit("compatibility", 500, Unit::Characters, Tolerates),
    ],
    multiline_description: Tolerates,
    ..Policy::USUAL
};

const SEARCH: Search = Search {
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
    project: Reach::UpToRepository,
    folders: &[
        nested(BOTH, ".agents/skills", skills(8, Flat::Direct)),
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
    ignores: Ignores::Repository,
    plugins: true,
    bundles: true,
    ..Search::USUAL
};

/// Our own reading: everything that can be read beside the rest.
const RUNTIME: Runtime = Runtime {
    paths: Some(Paths {
        flavour: Flavour::Claude,
        effect: OnMatch::List,
    }),
    triggers: Some(Triggers {
        star_is_always: true,
        beside_paths: true,
        ..super::open_hands::OPEN_HANDS_TRIGGERS
    }),
    is_always_on: true,
    names_tools: true,
    listing: Some(&super::claude::LISTING),
    room: Some(super::claude::HUNDREDTH),
    arguments: Arguments {
        are_replaced: true,
        inputs_are_replaced: true,
        ..Arguments::USUAL
    },
    commands: Some(super::claude::CLAUDE_COMMANDS),
    references: Some(References {
        with_frontmatter: false,
        ..super::thndrs::REFERENCES
    }),
    ..Runtime::USUAL
};
