//! Visual Studio Code 1.139.1. It refuses nothing; without a description a skill is only a command.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::VsCode,
    name: "vscode",
    title: "VS Code",
    about: "The chat of Visual Studio Code.",
    recorded: "Visual Studio Code 1.139.1",
    command: "/{name}",
    tool_references: TOOLS,
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "not used: the folder names the skill"),
    reads("description", "shown to the model, its first 1,024 characters").otherwise("only a command"),
    reads("argument-hint", "placeholder in the command menu"),
    reads("disable-model-invocation", "not listed; the command stays"),
    reads("user-invocable", "`false` hides `/name`"),
];

const POLICY: Policy = Policy {
    no_frontmatter: Misreads,
    leading_blank_line: Misreads,
    unclosed: Misreads,
    invalid_yaml: Recovers,
    unquoted_colon: Fine,
    duplicate_key: Recovers,
    no_name: Fine,
    no_description: Misreads,
    name_unlike_folder: Misreads,
    wrong_type: Recovers,
    yaml_features: Recovers,
    limits: &[limit("description", 1024, Unit::Characters, Recovers)],
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    notes: &[
        "settings that name folders do not count in an untrusted workspace",
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
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::MarkdownOrRest,
    unopened: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
    unclosed: Without::Loads("the file does not start with frontmatter, so all of it is instructions"),
    yaml: Yaml::Lines(LineFormat::Yaml),
    unreadable: Without::Loads("the frontmatter can't be read"),
    empty: Without::Loads("the frontmatter is empty"),
    no_mapping: Without::Loads("the frontmatter has no fields"),
    // A name unlike the folder gives way to it, so the field never counts.
    name: Seen {
        takes: Takes::Nothing,
        form: TextForm::WithoutTags,
        otherwise: Otherwise::Folder,
    },
    description: Seen {
        takes: Takes::NotNull,
        form: TextForm::WithoutTags,
        otherwise: Otherwise::Nothing,
    },
    shortens: Shortens::End(1024),
    hides: &[Hides::NoDescription, Hides::ModelInvocationDisabled],
    ..Stages::USUAL
};

/// Visual Studio Code 1.139.1.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::VsCode,
    listing: Some(&LISTING),
    // Where its tool for skills is on; else the list has no limit.
    room: Some(Room {
        size: Size::Characters(15_000),
        beyond: Beyond::LaterDescriptions,
    }),
    ..Runtime::USUAL
};

/// Visual Studio Code 1.139.1, whose chat reads the file, where no tool for skills is enabled.
const LISTING: ListingForm = ListingForm {
    entry,
    before: "<skills>\nHere is a list of skills that contain domain specific knowledge on a variety of topics.\nEach \
             skill comes with a description of the topic and a file path that contains the detailed \
             instructions.\nWhen a user asks you to perform a task that falls within the domain of a skill, use the \
             read_file tool to acquire the full instructions from the file URI.\n",
    after: "{named}\n</skills>",
    most_named: 5_000,
    ..ListingForm::USUAL
};

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let [name, description, location] = [it.name, description, it.location].map(apostrophes);
    format!("<skill>\n<name>{name}</name>\n<description>{description}</description>\n<file>{location}</file>\n</skill>")
}

/// The tools of the chat of Visual Studio Code, and the sets that hold them, as its documentation lists them in May 2026.
const TOOLS: &[&str] = &[
    "agent",
    "agent/runSubagent",
    "browser",
    "edit",
    "edit/createDirectory",
    "edit/createFile",
    "edit/editFiles",
    "edit/editNotebook",
    "execute",
    "execute/createAndRunTask",
    "execute/getTerminalOutput",
    "execute/runInTerminal",
    "execute/runNotebookCell",
    "execute/testFailure",
    "githubRepo",
    "githubTextSearch",
    "newWorkspace",
    "read",
    "read/getNotebookSummary",
    "read/problems",
    "read/readFile",
    "read/readNotebookCellOutput",
    "read/terminalLastCommand",
    "read/terminalSelection",
    "search",
    "search/changes",
    "search/codebase",
    "search/fileSearch",
    "search/listDirectory",
    "search/textSearch",
    "search/usages",
    "selection",
    "todos",
    "vscode/askQuestions",
    "vscode/extensions",
    "vscode/getProjectSetupInfo",
    "vscode/installExtension",
    "vscode/runCommand",
    "vscode/VSCodeAPI",
    "web",
    "web/fetch",
];
