//! The Skills extension of the Model Context Protocol (SEP-2640, 2026-09-13): whether a server may serve the skill.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Mcp,
    name: "mcp",
    title: "the Skills extension of MCP",
    about: "A skill that a server of the Model Context Protocol serves.",
    recorded: "SEP-2640 of 2026-09-13",
    on_request: true,
    fields: FIELDS,
    policy: POLICY,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "the last segment of the skill's path"),
    required("description", "passed on to the host's model"),
];

/// A conforming host parses the frontmatter and compares it with the entry, so what makes it no YAML mapping, or gives a
/// field no single value, is never loaded. The naming rules are those of the Agent Skills specification.
const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    name_unlike_folder: Drops,
    alphabet: Alphabet::Ascii,
    name_format: Drops,
    scalar_for_text: Drops,
    limits: &[
        limit("name", 64, Unit::Characters, Drops),
        limit("description", 1024, Unit::Characters, Drops),
    ],
    ..Policy::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("a skill's text is UTF-8, for its digest is over these bytes"),
    splitter: Splitter::Tree,
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Library(Library::Yaml2),
    unreadable: Without::Refused("the frontmatter can't be given as JSON: {error}"),
    empty: Without::Refused(NO_FRONTMATTER),
    no_mapping: Without::Refused(NO_FRONTMATTER),
    rules: &[
        FieldRule {
            missing: Missing::Broken("a served skill has a `name`"),
            nullable: true,
            tests: &[
                (Filled, "`name` is text", Done),
                (AsciiLetters, NAME, Done),
                (NoHyphenAtEdge, NAME, Done),
                (NoDoubleHyphen, NAME, Done),
                (Characters(64), "`name` has at most 64 characters, not {length}", Done),
                (
                    Folder,
                    "the last segment of the skill's path, `{folder}`, is its `name`",
                    Done,
                ),
            ],
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken("a served skill has a `description`"),
            nullable: true,
            tests: &[
                (Filled, "`description` is text", Done),
                (
                    Characters(1024),
                    "`description` has at most 1,024 characters, not {length}",
                    Done,
                ),
            ],
            ..rule(&["description"])
        },
    ],
    tells: Tells::All,
    ..Stages::USUAL
};

/// What a host tells its model is its own matter.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Mcp,
    ..Runtime::USUAL
};

const NO_FRONTMATTER: &str = "a served skill starts with YAML frontmatter that is a mapping";
const NAME: &str = "`name` is lower-case letters and digits with single hyphens between";
