//! What people build on, recorded: messages, commands, settings, what `--json` and SARIF print, and the state folder.
//!
//! A difference is a change that people notice. Where it is wanted (more keys are, fewer are not), record it anew with
//! `INSTA_UPDATE=always cargo test -p skills-ls --test golden`, and write a line in CHANGELOG.md.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use skills_agent::activation::usage::UseCounts;
use skills_agent::conversation::entry::{Entry, Happened, Record};
use skills_agent::permission::{Grants, Rule, Scope, TrustStore};
use skills_ls::protocol::METHODS;

#[allow(dead_code, reason = "each group of tests uses a part of it")]
#[path = "server/place.rs"]
mod place;
#[allow(dead_code, reason = "each group of tests uses a part of it")]
#[path = "server/recording.rs"]
mod recording;

use place::{Place, Ran};

const PROTOCOL: &str = include_str!("../protocol.md");
const VSCODE: &str = include_str!("../../../editors/vscode/package.json");

/// One of each: a finding with repairs, a skill of a path, one that nobody loads, one that another hides.
const FILES: &[(&str, &str)] = &[
    (
        ".claude/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Ships: the service.\nmodle: opus\n---\nShip $ARGUMENTS.\n\n!`ls`\n\n@notes.txt\n",
    ),
    (
        ".claude/skills/refunds/SKILL.md",
        "---\nname: refunds\ndescription: Checks refunds. Use when a refund changes.\npaths: src/**/*.ts\n---\nLook.\n",
    ),
    (".claude/skills/broken/SKILL.md", "Look.\n"),
    (
        ".agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Ships the service. Use when a release is due.\n---\nShip.\n",
    ),
    ("AGENTS.md", "Be kind.\n"),
    ("notes.txt", "one\n"),
];

/// Every path of a document, with what stands there: the words of a vocabulary as they are, all else by its type.
#[derive(Default)]
struct Shape(BTreeMap<String, BTreeSet<String>>);

impl Shape {
    fn of(value: &Value) -> Self {
        let mut shape = Self::default();
        shape.add("", value);
        shape
    }

    fn add(&mut self, path: &str, value: &Value) {
        let leaf = match value {
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    self.add(&format!("{path}.{key}"), value);
                }
                return;
            }
            Value::Array(values) if !values.is_empty() => {
                for value in values {
                    self.add(&format!("{path}[]"), value);
                }
                return;
            }
            Value::Object(_) => "{}".to_owned(),
            Value::Array(_) => "[]".to_owned(),
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Number(_) => "number".to_owned(),
            Value::String(text) if is_word(text) && !is_prose(path) => format!("{text:?}"),
            Value::String(_) => "text".to_owned(),
        };
        self.0.entry(path.to_owned()).or_default().insert(leaf);
    }

    fn text(&self) -> String {
        let line = |(path, leaves): (&String, &BTreeSet<String>)| {
            let leaves: Vec<_> = leaves.iter().map(String::as_str).collect();
            format!("{path}: {}\n", leaves.join(" | "))
        };
        self.0.iter().map(line).collect()
    }
}

/// Whether a text is a word of a vocabulary, not a path, a sentence or a random identifier.
fn is_word(text: &str) -> bool {
    let is_short = (1..=30).contains(&text.len()) && text.starts_with(|first: char| first.is_ascii_alphabetic());
    is_short
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Whether what stands at a path may be any text.
fn is_prose(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or_default();
    [
        "name",
        "title",
        "description",
        "message",
        "text",
        "newText",
        "new_string",
        "old_string",
    ]
    .contains(&key)
}

/// Compares with the file of that name in `golden`.
fn assert_golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Runs with a recorded model that edits a file and says a last word, in a folder that the person trusts.
fn run(place: &Place, arguments: &[&str]) -> Ran {
    fs::write(place.folder.path().join("recording.sse"), recording::edit()).unwrap();
    TrustStore::new(&place.folder.path().join("state/skills-ls"))
        .set(&place.root, true)
        .unwrap();
    let mut command = place.command(arguments);
    command
        .env("SKILLS_LS_MODEL_PROVIDER", "replay")
        .env("SKILLS_LS_MODEL_NAME", place.folder.path().join("recording.sse"));
    let ran = Ran::of(command.stdin(Stdio::null()).output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

#[test]
fn messages_keep_their_names_senders_and_shapes() {
    let mut text = String::new();
    for (method, senders) in METHODS {
        text += &format!("# {method}: {senders}\n");
        let section = PROTOCOL.split(&format!("\n### `{method}`\n")).nth(1).unwrap();
        let section = section.split("\n##").next().unwrap();
        for block in section.split("```json\n").skip(1) {
            let example: Value = serde_json::from_str(block.split("```").next().unwrap()).unwrap();
            text += &Shape::of(example.get("params").unwrap_or(&example)).text();
            text.push('\n');
        }
    }
    assert_golden("messages", &text);
}

#[test]
fn commands_keep_their_ids_arguments_and_answers() {
    let section = PROTOCOL.split("\n## Commands\n").nth(1).unwrap();
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `skills.server."));
    let text: String = rows
        .map(|row| {
            let cells: Vec<_> = row.split(" |").collect();
            format!(
                "skills.server.{}({}): {}\n",
                cells[0].trim_end_matches('`'),
                cells[1].trim(),
                cells[2].trim()
            )
        })
        .collect();
    assert_golden("commands", &text);
}

#[test]
fn settings_keep_their_names_types_and_defaults() {
    let manifest: Value = serde_json::from_str(VSCODE).unwrap();
    let contributes = &manifest["contributes"];
    let mut text = String::new();
    for (key, setting) in contributes["configuration"]["properties"].as_object().unwrap() {
        text += &format!("{key}:");
        for part in ["type", "items", "additionalProperties", "enum", "default", "scope"] {
            if let Some(value) = setting.get(part) {
                let mut value = value.clone();
                without_prose(&mut value);
                text += &format!(" {part} {value}");
            }
        }
        text.push('\n');
    }
    for command in contributes["commands"].as_array().unwrap() {
        text += &format!("command {}\n", command["command"].as_str().unwrap());
    }
    assert_golden("settings", &text);
}

fn without_prose(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !key.ends_with("escription") && !key.ends_with("escriptions"));
            map.values_mut().for_each(without_prose);
        }
        Value::Array(values) => values.iter_mut().for_each(without_prose),
        _ => {}
    }
}

#[test]
fn what_json_prints_keeps_its_shape() {
    let place = Place::new(FILES);
    let cases: &[(&str, &[&str])] = &[
        ("check", &["check", "--json"]),
        ("readers", &["readers", ".claude/skills/deploy/SKILL.md", "--json"]),
        ("list", &["list", "--for", "src/pay.ts", "--why", "--json"]),
        ("render", &["render", ".claude/skills/deploy/SKILL.md", "--json", "now"]),
        ("doctor", &["doctor", "--json"]),
        ("sarif", &["check", "--format", "sarif"]),
    ];
    for (name, arguments) in cases {
        let mut report = place.run(arguments).json();
        // Every rule is there, with its whole page.
        if let Some(run) = report.pointer_mut("/runs/0") {
            run["tool"]["driver"]["rules"].as_array_mut().unwrap().truncate(1);
        }
        assert_golden(name, &Shape::of(&report).text());
    }
}

#[test]
fn what_a_turn_tells_keeps_its_shape() {
    let ran = run(&Place::new(FILES), &["run", "deploy", "--json"]);
    let mut kinds: BTreeMap<String, Shape> = BTreeMap::new();
    for line in ran.out.lines() {
        let params: Value = serde_json::from_str(line).unwrap();
        let kind = params["update"]["sessionUpdate"].as_str().unwrap().to_owned();
        kinds.entry(kind).or_default().add("", &params);
    }
    let text: String = kinds.values().map(|shape| shape.text() + "\n").collect();
    assert_golden("updates", &text);
}

#[test]
fn the_state_folder_keeps_its_files_and_their_shapes() {
    let place = Place::new(FILES);
    run(&place, &["run", "deploy"]);
    let state = place.folder.path().join("state/skills-ls");
    let grants = Grants::new(&state);
    let rules = [Rule::parse("Shell(git status)").unwrap()];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for scope in [Scope::User, Scope::Workspace] {
        runtime.block_on(grants.keep(scope, &place.root, &rules)).unwrap();
    }
    let mut found = BTreeMap::new();
    files(&state, "", &place, &mut found);
    let text: String = found
        .iter()
        .map(|(name, shape)| format!("# {name}\n{}\n", shape.text()))
        .collect();
    assert_golden("state", &text);
}

/// The files below a folder, with the shapes of those that are JSON.
fn files(folder: &Path, within: &str, place: &Place, found: &mut BTreeMap<String, Shape>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let (stem, end) = name.split_once('.').unwrap_or((&name, ""));
        let is_random = stem.len() > 10 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = format!(
            "{within}{}",
            if is_random { format!("<id>.{end}") } else { name.clone() }
        );
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &format!("{path}/"), place, found);
            continue;
        }
        let shape = found.entry(path).or_default();
        if !end.starts_with("json") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let text = text.replace(place.root.to_str().unwrap(), "<workspace>");
        if let Ok(whole) = serde_json::from_str(&text) {
            shape.add("", &whole);
            continue;
        }
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let kind = format!("{} {}", line["type"], line["event"]).replace('"', "");
            shape.add(kind.trim_end_matches(" null"), &line);
        }
    }
}

/// A record of each kind, as version 0.1 wrote it.
#[test]
fn records_of_earlier_versions_are_read() {
    let state = tempfile::tempdir().unwrap();
    let folder = state
        .path()
        .join("folder")
        .canonicalize()
        .unwrap_or(state.path().join("folder"));
    let write = |name: &str, value: Value| fs::write(state.path().join(name), value.to_string()).unwrap();
    write(
        "trust.json",
        json!({"version": 1, "folders": {folder.to_str().unwrap(): true}}),
    );
    assert_eq!(TrustStore::new(state.path()).get(&folder), Some(true));
    write(
        "permissions.json",
        json!({"version": 1, "user": ["Shell(git status)"], "workspaces": {folder.to_str().unwrap(): ["Shell(cargo test)"]}}),
    );
    let rules = Grants::new(state.path()).of(&folder);
    let rules: Vec<_> = rules.iter().map(Rule::text).collect();
    assert_eq!(rules, ["Shell(cargo test)", "Shell(git status)"]);
    write("usage.json", json!({"deploy": {"count": 3, "last": 1_790_000_000}}));
    let used = UseCounts::new(state.path()).read()["deploy"];
    assert_eq!(used.count, 3);
    assert_eq!(
        used.days(SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_086_400)),
        1.0
    );
}

#[test]
fn a_session_of_an_earlier_version_is_read_and_written_alike() {
    for line in include_str!("golden/session.jsonl").lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        let is_unknown = match &record.entry {
            Entry::Unknown => true,
            Entry::Turn { happened, .. } => *happened == Happened::Unknown,
            _ => false,
        };
        assert!(!is_unknown, "{line}");
        let written = serde_json::to_value(&record).unwrap();
        assert_eq!(written, serde_json::from_str::<Value>(line).unwrap());
    }
}
