//! `large-folder`

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind, Folder},
    rules::{Look, Report, Rule},
    syntax::SkillFile,
};

/// What may be uploaded, in bytes: 30 MB.
const MAX_BYTES: u64 = 30_000_000;

/// A skill whose files are too many bytes to be uploaded.
pub(super) const RULE: Rule = Rule {
    code: "large-folder",
    summary: "a skill's folder over 30 MB",
    outcome: |_| Outcome::Doubts,
    kinds: &[FileKind::Skill],
    documentation: include_str!("large_folder.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let inside = || folder.iter().filter(|(path, _)| !path.starts_with("../"));
    let bytes: u64 = inside().map(|(_, entry)| entry.bytes).sum();
    if bytes <= MAX_BYTES {
        return;
    }
    let largest = inside()
        .max_by_key(|(_, entry)| entry.bytes)
        .map_or("", |(path, _)| path);
    let message = format!(
        "folder over size limit ({} of 30 MB); largest: `{largest}`",
        bytes / 1_000_000
    );
    report.add(super::head(file), message);
}
