//! What the configuration of a system turns off: its skills are found there, and not loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use skills_schema::dialect::Dialect;

use super::Discovery;
use super::read;
use super::skill::Skill;

/// Where a system keeps what is turned off. As documented for, or recorded from, the versions that its row of policies
/// names.
struct Switch {
    dialect: Dialect,
    /// Its files below the opened folder, and below the home.
    project: &'static [&'static str],
    home: &'static [&'static str],
    /// What one of them turns off.
    read: fn(&str) -> Vec<Off>,
}

/// What is turned off.
#[derive(Debug, PartialEq, Eq)]
enum Off {
    /// The skills of a name; `*` stands for any characters.
    Name(String),
    /// The skills of a name, in any case.
    AnyCase(String),
    /// The skill of a file.
    File(PathBuf),
    /// All of them.
    All,
}

static SWITCHES: &[Switch] = &[
    Switch {
        dialect: Dialect::Codex,
        project: &[],
        home: &[".codex/config.toml"],
        read: codex,
    },
    Switch {
        dialect: Dialect::Copilot,
        project: &[],
        home: &[".copilot/config.json", ".copilot/settings.json"],
        read: |text| names(text, "/disabledSkills", Off::Name),
    },
    Switch {
        dialect: Dialect::Gemini,
        project: &[".gemini/settings.json"],
        home: &[".gemini/settings.json"],
        read: gemini,
    },
    Switch {
        dialect: Dialect::Crush,
        project: &["crush.json", ".crush.json"],
        home: &[".config/crush/crush.json"],
        read: |text| names(text, "/options/disabled_skills", Off::Name),
    },
    Switch {
        dialect: Dialect::OpenCode,
        project: &["opencode.json", ".opencode/opencode.json"],
        home: &[".config/opencode/opencode.json"],
        read: open_code,
    },
];

/// Turns off what the system's own configuration turns off. Reads the disk.
pub(super) fn turn_off(discovery: &Discovery, dialect: Dialect, skills: &mut [Arc<Skill>]) {
    for switch in SWITCHES.iter().filter(|switch| switch.dialect == dialect) {
        let of_project = discovery
            .folders
            .iter()
            .flat_map(|folder| below(folder, switch.project));
        let of_home = discovery.home.iter().flat_map(|home| below(home, switch.home));
        for file in of_project.chain(of_home).filter(|file| file.is_file()) {
            // What can't be read turns nothing off; the system says so itself.
            let Ok(content) = read::read(&file) else { continue };
            let off = (switch.read)(&content.text);
            for skill in skills.iter_mut().filter(|skill| off.iter().any(|off| off.means(skill))) {
                let reason = format!("turned off in {}", file.display());
                Arc::make_mut(skill).turn_off(reason);
            }
        }
    }
}

fn below(folder: &Path, files: &'static [&'static str]) -> impl Iterator<Item = PathBuf> {
    let folder = folder.to_owned();
    files.iter().map(move |file| folder.join(file))
}

impl Off {
    fn means(&self, skill: &Skill) -> bool {
        match self {
            Self::All => true,
            Self::Name(pattern) => match pattern.split_once('*') {
                Some((start, end)) => {
                    let rest = skill.name.strip_prefix(start);
                    rest.is_some_and(|rest| end.is_empty() || rest.ends_with(end))
                }
                None => skill.name == *pattern,
            },
            Self::AnyCase(name) => skill.name.to_lowercase() == name.to_lowercase(),
            Self::File(path) => skill.is_at(path),
        }
    }
}

fn names(text: &str, pointer: &str, off: fn(String) -> Off) -> Vec<Off> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let items = value.pointer(pointer).and_then(Value::as_array);
    let names = items.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| off(name.to_owned())).collect()
}

fn gemini(text: &str) -> Vec<Off> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    if value.pointer("/skills/enabled") == Some(&Value::Bool(false)) {
        return vec![Off::All];
    }
    names(text, "/skills/disabled", Off::AnyCase)
}

fn open_code(text: &str) -> Vec<Off> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    match value.pointer("/permission/skill") {
        Some(Value::String(word)) if word == "deny" => vec![Off::All],
        Some(Value::Object(rules)) => {
            let denied = rules.iter().filter(|(_, word)| *word == "deny");
            denied.map(|(name, _)| Off::Name(name.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The entries `[[skills.config]]` with exactly one of `name` and `path`; of several that mean the same, the last counts.
fn codex(text: &str) -> Vec<Off> {
    let config: toml::Table = text.parse().unwrap_or_default();
    let entries = config.get("skills").and_then(|skills| skills.get("config")?.as_array());
    let mut off: Vec<Off> = Vec::new();
    for entry in entries.into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let meant = match (text("name"), text("path")) {
            (Some(name), None) => Off::Name(name),
            (None, Some(path)) => Off::File(PathBuf::from(path)),
            _ => continue,
        };
        off.retain(|other| *other != meant);
        if entry.get("enabled").and_then(toml::Value::as_bool) == Some(false) {
            off.push(meant);
        }
    }
    off
}
