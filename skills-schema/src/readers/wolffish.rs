//! Wolffish 1.0.263.

use super::prelude::*;

pub(super) const READER: Reader = Reader {
    dialect: Dialect::Wolffish,
    name: "wolffish",
    title: "Wolffish",
    about: "Wolffish.",
    recorded: "Wolffish 1.0.263",
    folders: &["brain/cerebellum"],
    fields: FIELDS,
    policy: POLICY,
    search: SEARCH,
    stages: Some(STAGES),
    runtime: RUNTIME,
    accounts: &[WOLFFISH_2026_07, WOLFFISH_CURRENT],
    ..Reader::USUAL
};

const FIELDS: &[Reads] = &[
    required("name", "identity, whatever the folder"),
    reads("description", "shown in the index of capabilities"),
    reads("triggers", "each found anywhere in the message; `\"*\"` means always"),
    reads(
        "requires",
        "resolved when a tool of the skill is called, three steps deep at most",
    ),
    reads(
        "tools",
        "definitions for the model; of two tools with one name the later wins",
    ),
    reads("danger_patterns", "blocks the call"),
    reads("confirm_patterns", "asks before the call"),
    reads("packages", "installs what is missing, after asking"),
    reads("version", "decides which of two copies is newer"),
    reads("author", "shown as a badge"),
];

const POLICY: Policy = Policy {
    invalid_utf8: Doubts,
    no_description: Recovers,
    wrong_type: Recovers,
    scalar_for_text: Tolerates,
    unmet_requirement: Recovers,
    ..Policy::USUAL
};

const SEARCH: Search = Search {
    precedence: &[Source::Project, Source::User],
    same_name: SameName::Last,
    folders: &[
        folder(&[Source::Project], "brain/cerebellum", DIRECT),
        folder(&[Source::User], ".wolffish/workspace/brain/cerebellum", DIRECT),
    ],
    hidden: true,
    links: false,
    any_case: false,
    ..Search::USUAL
};

const STAGES: Stages = Stages {
    splitter: Splitter::Prefix,
    unopened: Without::Refused(NO_NAME),
    unclosed: Without::Refused(NO_NAME),
    yaml: Yaml::Library(Library::JsYaml),
    unreadable: Without::Refused(NO_NAME),
    empty: Without::Refused(NO_NAME),
    no_mapping: Without::Refused(NO_NAME),
    rules: &[
        FieldRule {
            missing: Missing::Broken(NO_NAME),
            tests: &[(Truthy, NO_NAME, Done)],
            ..rule(&["name"])
        },
        FieldRule {
            tests: &[(NoNullItems, "danger_patterns can't be iterated", Done)],
            ..rule(&["danger_patterns"])
        },
        FieldRule {
            tests: &[(NoNullItems, "confirm_patterns can't be iterated", Done)],
            ..rule(&["confirm_patterns"])
        },
    ],
    name: seen(TextForm::Spelled(Spelling::JavaScript), Otherwise::Nothing),
    description: seen(TextForm::Spelled(Spelling::JavaScript), Otherwise::Empty),
    ..Stages::USUAL
};

/// The documentation of Wolffish.
const RUNTIME: Runtime = Runtime {
    dialect: Dialect::Wolffish,
    triggers: Some(WOLFFISH_TRIGGERS),
    names_tools: true,
    listing: Some(&LISTING),
    ..Runtime::USUAL
};

const WOLFFISH_TRIGGERS: Triggers = Triggers {
    matcher: Matcher::Substring,
    star_is_always: true,
    limit: Some(3),
    is_once: false,
    filter: Filter::PureBeforeLimit,
    reads_mapping: false,
    reads_regex: false,
    beside_paths: true,
};

/// The last version with keywords: skills with tools take the places of others.
const WOLFFISH_2026_07: Runtime = Runtime {
    profile: Profile::Version("2026-07"),
    triggers: Some(Triggers {
        filter: Filter::PureAfterLimit,
        ..WOLFFISH_TRIGGERS
    }),
    ..RUNTIME
};

/// Wolffish 1.0.263: the model searches for skills itself.
const WOLFFISH_CURRENT: Runtime = Runtime {
    profile: Profile::Current,
    triggers: None,
    ..RUNTIME
};

/// Wolffish says this of every file whose frontmatter it can't use.
const NO_NAME: &str = "SKILL.md in {folder}/ missing required frontmatter (name)";

/// An index of Wolffish 1.0.263.
const LISTING: ListingForm = ListingForm {
    description: |it, _| cut_line(it.description, 90),
    entry,
    frame,
    texts_follow: true,
    ..ListingForm::USUAL
};

/// The most lines of an index.
const MAX_LINES: usize = 60;

fn entry(it: &ListingEntry<'_>, description: &str, _: &[&str]) -> String {
    let tools = match it.tools {
        0 => "guide".to_owned(),
        1 => "1 tool".to_owned(),
        tools => format!("{tools} tools"),
    };
    let dash = if description.is_empty() { "" } else { " — " };
    format!("- {} ({tools}){dash}{description}", one_line(it.name))
}

fn frame(_: &ListingForm, told: &Told<'_>) -> String {
    let mut text = told.lines[..told.lines.len().min(MAX_LINES)].join("\n");
    let rest = told.entries.get(MAX_LINES..).unwrap_or_default();
    if !rest.is_empty() {
        let tools: usize = rest.iter().map(|it| it.tools).sum();
        text += &format!(
            "\n- …plus {} more capabilities ({tools} tools) — tool_search finds any of them",
            rest.len()
        );
    }
    text
}
