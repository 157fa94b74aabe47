//! `paths-without-condition`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, Tag, duplicate_key::whole_lines, field, where_read},
    skill,
    syntax::SkillFile,
};

/// A condition that every file meets.
pub(super) const RULE: Rule = Rule {
    code: "paths-without-condition",
    summary: "`paths` that match every file or none",
    outcome: |reader| where_read(reader, "paths", Outcome::Doubts),
    documentation: include_str!("paths_without_condition.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(entry) = field(file, facts, "paths").filter(|entry| entry.colon.is_some()) else {
        return;
    };
    let patterns = skill::globs(file, &entry.value);
    let all = patterns.iter().find(|it| matches!(it.text, "**" | "**/*" | "**/**"));
    let message = match all {
        _ if !entry.value.is_null()
            && entry.value.as_scalar().is_none()
            && entry.value.items().is_empty()
            && !file.slice(entry.value.range).starts_with('[') =>
        {
            return;
        }
        Some(all) => format!("`{}` matches every file; remove it", all.text),
        None if patterns.is_empty() => "`paths` is empty; list files or remove it".to_owned(),
        None => return,
    };
    let range = all.map_or(entry.key.range, |it| it.range);
    let finding = report.add(range, message);
    finding.tags.push(Tag::Unnecessary);
    let edit = Edit::delete(whole_lines(file, entry.range));
    let title = "Remove `paths`";
    // OpenHands brings the skill in when a file is touched; without `paths` it only lists it.
    finding.fix(if all.is_some() {
        Fix::unsafe_(title, vec![edit])
    } else {
        Fix::safe(title, vec![edit])
    });
}
