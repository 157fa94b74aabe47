//! `missing-name`

use text_size::TextRange;

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule, Severity, fill, indentation, refused_by_reader, unknown_field::has_misspelt},
    syntax::SkillFile,
};

/// A skill without a name.
pub(super) const RULE: Rule = Rule {
    code: "missing-name",
    summary: "no name",
    outcome: |reader| reader.policy().no_name,
    lacks: Some("name"),
    kinds: &[FileKind::Skill],
    documentation: include_str!("missing_name.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(frontmatter) = &file.frontmatter else { return };
    let entry = file.entry("name");
    if entry.is_some_and(|entry| !entry.value.is_blank()) {
        return;
    }
    // One takes spaces for a name.
    let is_taken = entry.is_some() && refused_by_reader::is_taken(file, facts);
    let name = scalar(facts.folder.unwrap_or("my-skill"));
    let (range, message, edit) = match entry {
        Some(entry) if entry.colon.is_none() => return,
        Some(entry) => (entry.range, "`name` is empty", Some(fill(entry, &name))),
        None => {
            let mut entries = file.entries().iter();
            // Behind what stands on the first entry's line there is no place for another.
            let blanks = entries.next().map_or(Some(""), |first| indentation(&file.text, first));
            let blanks = blanks.filter(|_| !has_misspelt(file, "name"));
            let edit = blanks.map(|it| Edit::insert(frontmatter.content.start(), format!("{it}name: {name}\n")));
            (frontmatter.open, "missing `name`", edit)
        }
    };
    let title = "Name the skill after its folder";
    let severity = match report.severity {
        Severity::Error if is_taken => Severity::Warning,
        severity => severity,
    };
    let finding = report.add_at(severity, range, message);
    finding.dropped(facts, |reader| match is_taken && reader == facts.dialect {
        true => Outcome::Fine,
        false => reader.policy().no_name,
    });
    // A tag belongs to what follows, and a line with a tab is blank to some only.
    let start = frontmatter.content.start();
    let first = file
        .entries()
        .first()
        .map_or(frontmatter.content.end(), |first| first.range.start());
    let before = file.slice(TextRange::new(start, first.max(start)));
    let is_blank = |line: &str| line.starts_with('#') || line.bytes().all(|byte| byte == b' ');
    let has_more = entry.is_none() && !before.lines().all(is_blank);
    // Who knows where the entries of a broken file start and end?
    let is_doubtful = has_more || !file.errors().is_empty() || frontmatter.close.is_none();
    finding.fixes.extend(edit.map(|edit| match facts.folder {
        Some(_) if is_doubtful => Fix::unsafe_(title, vec![edit]),
        Some(_) => Fix::safe(title, vec![edit]),
        None => Fix::unsafe_("Add a name", vec![edit]),
    }));
}
