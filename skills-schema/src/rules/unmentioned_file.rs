//! `unmentioned-file`

use crate::{
    dialect::Outcome,
    facts::{EntryKind, Facts, FileKind, Folder},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// The most files that are named.
const MAX_NAMES: usize = 5;

/// A bundled file that nothing leads to.
pub(super) const RULE: Rule = Rule {
    code: "unmentioned-file",
    summary: "a script or reference that the instructions don't mention",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    kinds: &[FileKind::Skill],
    documentation: include_str!("unmentioned_file.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let linked = |name: &str| {
        let outlines = folder.iter().filter_map(|(_, entry)| entry.outline.as_ref());
        let mut links = outlines.flat_map(|outline| &outline.links);
        links.any(|link| link.ends_with(name))
    };
    // Whoever names a folder names what is in it.
    let is_named = |path: &str| {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        file.text.contains(name) || file.text.contains(&format!("{parent}/")) || linked(name)
    };
    let is_looked_at = |path: &str| {
        ["scripts/", "references/"]
            .iter()
            .any(|folder| path.starts_with(folder))
    };
    let forgotten: Vec<&str> = folder
        .iter()
        .filter(|(path, entry)| entry.kind == EntryKind::File && is_looked_at(path) && !is_named(path))
        .map(|(path, _)| path)
        .collect();
    if forgotten.is_empty() {
        return;
    }
    let names: Vec<String> = forgotten
        .iter()
        .take(MAX_NAMES)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match forgotten.len().checked_sub(MAX_NAMES) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    let message = format!("unused {}{more}; mention or remove them", names.join(", "));
    report.add(super::head(file), message);
}
