//! Codex CLI 0.169.0.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Codex,
    name: "codex",
    title: "Codex",
    about: "Codex CLI.",
    recorded: "Codex CLI 0.169.0",
    command: "${name}",
    hides_otherwise: "set `policy.allow_implicit_invocation` to false in `agents/openai.yaml` beside the file",
    hiding_file: Some(HidingFile {
        path: "agents/openai.yaml",
        keys: ["policy", "allow_implicit_invocation"],
        value: "false",
    }),
    plugin_renames: true,
    folders: &[".codex"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    switch: Some(Switch {
        project: &[],
        home: &[".codex/config.toml"],
        read: off,
    }),
    stages: Some(STAGES),
    runtime: RUNTIME,
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    reads("name", "`$name`; at most 64 characters").otherwise("the folder's name"),
    required("description", "shown to the model, its first 1,024 characters"),
    reads("metadata.short-description", "shown in menus; at most 1,024 characters"),
    reads("metadata", "`short-description` is shown in menus"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Drops,
    unquoted_colon: Fine,
    no_name: Fine,
    limits: &[limit("name", 64, Unit::Characters, Drops)],
    ..Policy::USUAL
};

/// Codex CLI 0.169.0. It keeps skills of one name, all of them; here the first counts.
const SEARCH: Search = Search {
    max_entries: Some(20_000),
    notes: &[
        "a folder needs no trust: its skills are listed and used",
        "off: an entry of `[[skills.config]]` with `name` or `path` and `enabled = false` in config.toml of the \
             person; that of a project does not count",
        "it looks at 2,000 folders and 20,000 entries below each folder of skills, six folders deep",
    ],
    precedence: BOTH,
    project: Reach::UpToRepository,
    folders: &[
        folder(BOTH, ".codex/skills", skills(6, Flat::None)),
        folder(BOTH, ".agents/skills", skills(6, Flat::None)),
    ],
    any_case: false,
    takes_root: true,
    below_skills: true,
    linked_files: false,
    keeps_all: true,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    not_utf8: Some("failed to read file: invalid utf-8 sequence of 1 bytes from index {index}"),
    splitter: Splitter::Lines(Allowed::Nothing),
    unopened: Without::Refused(NO_FRONTMATTER),
    unclosed: Without::Refused(NO_FRONTMATTER),
    yaml: Yaml::Repairing(Library::SerdeStruct, Repair::Quotes),
    unreadable: Without::Refused("invalid YAML: {error}"),
    no_mapping: Without::Refused("invalid YAML: it is no mapping"),
    fields: Fields::OpenStruct(
        "invalid YAML: {error}",
        &[
            ("name", StructType::Text),
            ("description", StructType::Text),
            ("metadata", StructType::Map),
        ],
    ),
    rules: &[
        FieldRule {
            form: TextForm::Collapsed,
            tests: &[(
                Characters(64),
                "invalid name: exceeds maximum length of 64 characters",
                Done,
            )],
            ..rule(&["name"])
        },
        FieldRule {
            missing: Missing::Broken(NO_DESCRIPTION),
            nullable: true,
            form: TextForm::Collapsed,
            tests: &[(NotEmpty, NO_DESCRIPTION, Done)],
            ..rule(&["description"])
        },
    ],
    name: Seen {
        takes: Takes::Filled,
        form: TextForm::Collapsed,
        otherwise: Otherwise::Folder,
    },
    description: Seen {
        takes: Takes::NotNull,
        form: TextForm::Collapsed,
        otherwise: Otherwise::Nothing,
    },
    ..Stages::USUAL
};

/// Codex CLI 0.169.0.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Codex,
    listing: Some(&LISTING),
    room: Some(Room {
        size: Size::Window {
            hundredths: 2,
            unknown: 8_000,
        },
        beyond: Beyond::AllDescriptions,
    }),
    ..Runtime::USUAL
};

const NO_FRONTMATTER: &str = "missing YAML frontmatter delimited by ---";
const NO_DESCRIPTION: &str = "missing field `description`";

/// The entries `[[skills.config]]` with exactly one of `name` and `path`; of several that mean the same, the last counts.
fn off(config: &Value) -> Vec<Off> {
    let entries = config.pointer("/skills/config").and_then(Value::as_array);
    let mut off: Vec<Off> = Vec::new();
    for entry in entries.into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let meant = match (text("name"), text("path")) {
            (Some(name), None) => Off::Name(name),
            (None, Some(path)) => Off::File(PathBuf::from(path)),
            _ => continue,
        };
        off.retain(|other| *other != meant);
        if entry.get("enabled") == Some(&Value::Bool(false)) {
            off.push(meant);
        }
    }
    off
}

/// Codex CLI 0.169.0: entries below a table of the folders that they lie in.
const LISTING: ListingForm = ListingForm {
    order: |a, b| (a.source != "project", a.name, a.location).cmp(&(b.source != "project", b.name, b.location)),
    description: |it, most| cut_line(it.description, most.min(1_024)),
    entry,
    before: "<skills_instructions>\n## Skills\nA skill is a set of local instructions to follow that is stored in a \
             `SKILL.md` file. Below is the list of skills that can be used. Each entry includes a name, description, \
             and a short path that can be expanded into an absolute path using the skill roots table.\n### Skill roots\n",
    after: "\n</skills_instructions>",
    frame,
    ..ListingForm::USUAL
};

fn entry(it: &ListingEntry<'_>, description: &str, folders: &[&str]) -> String {
    let (folder, rest) = folder_of(it.location);
    let colon = if description.is_empty() { "" } else { ": " };
    let number = folders.iter().position(|it| *it == folder).unwrap_or_default();
    format!("- {}{colon}{description} (file: r{number}/{rest})", one_line(it.name))
}

fn frame(form: &ListingForm, told: &Told<'_>) -> String {
    let table = told.folders.iter().enumerate();
    let table: String = table
        .map(|(number, folder)| format!("- `r{number}` = `{folder}`\n"))
        .collect();
    let body = told.lines.join("\n");
    format!("{}{table}### Available skills\n{body}{}", form.before, form.after)
}
