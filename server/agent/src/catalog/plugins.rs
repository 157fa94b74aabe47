//! Plugins of Claude Code: folders with a manifest, whose skills are called `plugin:skill`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::read;

const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The name of the plugin that a folder is; `None` for a folder that is none.
pub(super) fn name(folder: &Path) -> Option<String> {
    let manifest = folder.join(MANIFEST);
    if !manifest.is_file() {
        return None;
    }
    let own = folder.file_name()?.to_string_lossy().into_owned();
    // A manifest that can't be read still makes the folder a plugin.
    let manifest = json(&manifest).unwrap_or_default();
    Some(manifest["name"].as_str().map_or(own, str::to_owned))
}

/// How deep plugins lie in a repository of several.
const MAX_DEPTH: usize = 3;

/// The plugins below a folder that is none itself, sorted.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(|entry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || !name.starts_with('.') && name != "node_modules"
        })
        .build();
    let folders = walk.filter_map(Result::ok).map(ignore::DirEntry::into_path);
    let mut plugins: Vec<PathBuf> = folders.filter(|path| path.join(MANIFEST).is_file()).collect();
    plugins.sort();
    plugins
}

/// The folders of the plugins that are installed in a home.
pub(super) fn installed(home: &Path) -> Vec<PathBuf> {
    let record = home.join(".claude/plugins/installed_plugins.json");
    let mut folders = Vec::new();
    if let Some(record) = json(&record) {
        collect(&record, &mut folders);
    }
    folders.sort();
    folders.dedup();
    folders
}

/// The record has had several shapes; a plugin's folder is an `installPath` in each.
fn collect(value: &Value, folders: &mut Vec<PathBuf>) {
    match value {
        Value::Object(members) => {
            let path = members.get("installPath").and_then(Value::as_str);
            folders.extend(path.map(PathBuf::from).filter(|path| path.is_absolute()));
            members.values().for_each(|value| collect(value, folders));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, folders)),
        _ => {}
    }
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(&read::read(path).ok()?.text).ok()
}
