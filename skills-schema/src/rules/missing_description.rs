//! `missing-description`

use crate::{
    facts::{Facts, FileKind},
    fixes::{Edit, Fix, scalar},
    rules::{Report, Rule, fill, indentation, unknown_field::has_misspelt},
    shown::one_line,
    syntax::SkillFile,
};

/// A skill without a description, or with an empty one.
pub(super) const RULE: Rule = Rule {
    code: "missing-description",
    summary: "no description, so the model can't choose the skill",
    outcome: |reader| reader.policy().no_description,
    lacks: Some("description"),
    documentation: include_str!("missing_description.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(frontmatter) = file.frontmatter.as_ref().filter(|_| facts.kind == FileKind::Skill) else {
        return;
    };
    let entry = file.entry("description");
    if entry.is_some_and(|entry| !entry.value.is_blank()) {
        return;
    }
    let words = file.body.first_paragraph(&file.text).map(|range| file.slice(range));
    let text: String = one_line(words.unwrap_or("What it does. Use when …"))
        .chars()
        .take(200)
        .collect();
    let text = scalar(text.trim_end());
    let (range, message, edit) = match entry {
        Some(entry) if entry.colon.is_none() => return,
        Some(entry) => (entry.range, "`description` is empty", Some(fill(entry, &text))),
        None => {
            let name = file.entry("name");
            let blanks = name.or(file.entries().first());
            let edit = blanks
                .map_or(Some(""), |entry| indentation(&file.text, entry))
                .filter(|_| !has_misspelt(file, "description"))
                .map(|it| match name {
                    Some(name) => Edit::insert(name.range.end(), format!("\n{it}description: {text}")),
                    None => Edit::insert(frontmatter.content.start(), format!("{it}description: {text}\n")),
                });
            (frontmatter.open, "missing `description`", edit)
        }
    };
    let finding = report.add(range, message);
    finding.dropped(facts, |reader| reader.policy().no_description);
    let fix = |edit| Fix::unsafe_("Describe the skill by its first paragraph", vec![edit]);
    finding.fixes.extend(edit.map(fix));
}
