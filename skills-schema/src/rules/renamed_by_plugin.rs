//! `renamed-by-plugin`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Folder},
    rules::{Fate, Look, Report, Rule, head},
    syntax::SkillFile,
};

/// A skill in a folder of skills that a manifest of a plugin above gives another name.
pub(super) const RULE: Rule = Rule {
    code: "renamed-by-plugin",
    summary: "a skill that a plugin manifest above it renames",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("renamed_by_plugin.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let plugin = folder.plugin.as_ref();
    let renames = |reader: &Dialect| reader.reader().plugin_renames && facts.is_read_by(*reader);
    let readers: Vec<Dialect> = Dialect::ALL.into_iter().filter(renames).collect();
    let Some(plugin) = plugin.filter(|_| !readers.is_empty()) else {
        return;
    };
    let name = file
        .entry("name")
        .and_then(|entry| entry.value.as_str())
        .or(facts.folder);
    let name = format!("`{}:{}`", plugin.name, name.unwrap_or_default());
    let finding = report.add(head(file), format!("the plugin above renames this skill to {name}"));
    for reader in readers {
        finding.affects(facts, reader, Fate::Altered, Some(&format!("the name becomes {name}")));
    }
    finding.relate_file(plugin.manifest.clone(), "the plugin's manifest");
}
