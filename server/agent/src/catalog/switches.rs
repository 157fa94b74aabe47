//! What the configuration of a system turns off: its skills are found there, and not loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use skills_schema::dialect::Dialect;
use skills_schema::reader::Off;

use super::Discovery;
use super::read;
use super::skill::Skill;

/// Turns off what the system's own configuration turns off. Reads the disk.
pub(super) fn turn_off(discovery: &Discovery, dialect: Dialect, skills: &mut [Arc<Skill>]) {
    let Some(switch) = &dialect.reader().switch else {
        return;
    };
    let of_project = discovery
        .folders
        .iter()
        .flat_map(|folder| below(folder, switch.project));
    let of_home = discovery.home.iter().flat_map(|home| below(home, switch.home));
    for file in of_project.chain(of_home).filter(|file| file.is_file()) {
        // What can't be read turns nothing off; the system says so itself.
        let Ok(content) = read::read(&file) else { continue };
        let off = (switch.read)(&config(&file, &content.text));
        for skill in skills
            .iter_mut()
            .filter(|skill| off.iter().any(|off| means(off, skill)))
        {
            let reason = format!("turned off in {}", file.display());
            Arc::make_mut(skill).turn_off(reason);
        }
    }
}

fn below(folder: &Path, files: &'static [&'static str]) -> impl Iterator<Item = PathBuf> {
    let folder = folder.to_owned();
    files.iter().map(move |file| folder.join(file))
}

/// Whether a skill is meant.
fn means(off: &Off, skill: &Skill) -> bool {
    match off {
        Off::All => true,
        Off::Name(pattern) => match pattern.split_once('*') {
            Some((start, end)) => {
                let rest = skill.name.strip_prefix(start);
                rest.is_some_and(|rest| end.is_empty() || rest.ends_with(end))
            }
            None => skill.name == *pattern,
        },
        Off::AnyCase(name) => skill.name.to_lowercase() == name.to_lowercase(),
        Off::File(path) => skill.is_at(path),
    }
}

/// A configuration as data; empty where it can't be read.
fn config(file: &Path, text: &str) -> Value {
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let value = if is_toml {
        toml::from_str(text).ok()
    } else {
        serde_json::from_str(text).ok()
    };
    value.unwrap_or_default()
}
