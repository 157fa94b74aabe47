//! `reserved-name`

use crate::{
    dialect::{Dialect, Outcome},
    facts::{Facts, FileKind, Folder},
    rules::{Look, Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// A name that belongs to somebody else.
pub(super) const RULE: Rule = Rule {
    code: "reserved-name",
    summary: "the name of a built-in command",
    outcome: |reader| where_read(reader, "name", Outcome::Tolerates),
    documentation: include_str!("reserved_name.md"),
    look: Some(Look::Folder(check)),
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, folder: &Folder, report: &mut Report) {
    let Some(scalar) = field(file, facts, "name")
        .filter(|_| facts.kind == FileKind::Skill)
        .and_then(|entry| entry.value.as_scalar())
    else {
        return;
    };
    let name = scalar.value.trim();
    // A plugin's skill is `/plugin:init`. One in a folder that a reader owns is no plugin's.
    let is_in_reader =
        Dialect::of_path(facts.path) != Dialect::Unified || !Dialect::readers_of_path(facts.path).is_empty();
    let is_packaged = folder.is_packaged && !is_in_reader;
    let takes = |reader: &Dialect| facts.is_read_by(*reader) && reader.reader().built_in.contains(&name);
    if Dialect::ALL.iter().any(takes) && !is_packaged {
        report.add(
            scalar.range,
            format!("`/{name}` is a built-in command; choose another name"),
        );
    }
}
