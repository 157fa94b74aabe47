//! `empty-field`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fields::{FIELDS, Field, Type},
    fixes::{Edit, Fix},
    rules::{Report, Rule, Tag, duplicate_key::whole_lines},
    syntax::SkillFile,
};

/// An optional field without a value.
pub(super) const RULE: Rule = Rule {
    code: "empty-field",
    summary: "a field without a value",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("empty_field.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for entry in file.entries().iter().filter(|entry| entry.colon.is_some()) {
        let key = entry.key.value.as_str();
        let takes_nothing = |field: &Field| field.types.iter().any(|it| matches!(it, Type::Null));
        let is_known =
            Field::find(FIELDS, key).is_some_and(|field| field.is_read_by(facts.dialect) && !takes_nothing(field));
        if !is_known || !entry.value.is_blank() || OTHERS.contains(&key) {
            continue;
        }
        let message = format!("`{key}` is empty and has no effect; set it or remove it");
        let finding = report.add(entry.key.range, message);
        finding.tags.push(Tag::Unnecessary);
        finding.fix(Fix::unsafe_(
            "Remove the field",
            vec![Edit::delete(whole_lines(file, entry.range))],
        ));
    }
}

/// Fields whose emptiness is a finding of its own.
const OTHERS: &[&str] = &["name", "description", "paths"];
