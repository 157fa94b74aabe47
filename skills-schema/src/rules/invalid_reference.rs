//! `invalid-reference`

use crate::{
    dialect::Dialect,
    facts::{Facts, FileKind, Folder, Found, ReferenceKind, normal},
    reader::runtime::References,
    rules::{Fate, Look, Report, Rule, Severity},
    syntax::{Node, NodeKind, SkillFile},
};

/// An entry of `references` that a reader refuses, or does not load.
pub(super) const RULE: Rule = Rule {
    code: "invalid-reference",
    summary: "an entry of `references` that can't be loaded",
    outcome: |reader| reader.policy().invalid_reference,
    kinds: &[FileKind::Skill],
    documentation: include_str!("invalid_reference.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let Some(entry) = file.entry("references") else {
        return;
    };
    let NodeKind::Sequence(items) = &entry.value.kind else {
        // Another type than a list is reported as such.
        return;
    };
    if items.is_empty() {
        report.add(entry.value.range, "`references` is empty; list files or remove it");
    }
    for item in items {
        if let Some(problem) = refused(item) {
            report.add(item.range, problem);
        }
    }
    // Who reads them at all loads as many.
    let Some(most) = Dialect::Unified.runtime().references else {
        return;
    };
    let (mut files, mut bytes) = (0, 0);
    for reference in report
        .references(file)
        .iter()
        .filter(|it| it.kind == ReferenceKind::Entry)
    {
        if reference.leads_out() {
            continue;
        }
        match folder.find(&reference.path) {
            Found::Here(_) => {}
            // The skill loads without it.
            _ => super::broken_link::check_path(file, folder, reference, Severity::Warning, report),
        }
        let below = format!("{}/", reference.path);
        let loaded = folder
            .iter()
            .filter(|(path, _)| *path == reference.path || path.starts_with(&below));
        for (_, entry) in loaded.filter(|(_, entry)| entry.bytes > 0) {
            files += 1;
            bytes += entry.bytes.min(most.max_file_bytes as u64);
        }
        if files > most.max_files || bytes > most.max_bytes as u64 {
            let References {
                max_files, max_bytes, ..
            } = most;
            let message = format!("references over {max_files} files or {max_bytes} bytes; list fewer");
            let finding = report.add_at(Severity::Warning, reference.range, message);
            let why = "from here on, nothing or only a part is loaded";
            for reader in Dialect::ALL
                .into_iter()
                .filter(|it| it.reader().is_program && it.runtime().references.is_some())
            {
                finding.affects(facts, reader, Fate::Cut, Some(why));
            }
            return;
        }
    }
}

/// Why a reader refuses the skill for an entry.
fn refused(item: &Node) -> Option<&'static str> {
    let Some(path) = item.as_scalar().map(|scalar| scalar.value.trim()) else {
        return Some("an entry of `references` must be a path");
    };
    if path.is_empty() {
        Some("an entry of `references` must not be empty")
    } else if path.starts_with('/') || path.starts_with('~') {
        Some("an entry of `references` must be relative to the skill's folder")
    } else if normal(path).starts_with("..") || path.split('/').any(|part| part == "..") {
        Some("an entry of `references` must be inside the skill's folder")
    } else {
        None
    }
}
