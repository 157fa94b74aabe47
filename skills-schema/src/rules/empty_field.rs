//! `empty-field`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    fields::{FIELDS, Field, Type},
    fixes::{Edit, Fix},
    rules::{Report, Rule, Tag, duplicate_key::whole_lines},
    syntax::SkillFile,
};

/// An optional field without a value.
pub(super) struct EmptyField;

impl Rule for EmptyField {
    fn code(&self) -> &'static str {
        "empty-field"
    }

    fn summary(&self) -> &'static str {
        "a field that is there has a value"
    }

    fn outcome(&self, _: &Policy) -> Outcome {
        Outcome::Tolerates
    }

    fn default_off(&self) -> bool {
        true
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        for entry in file.entries().iter().filter(|entry| entry.colon.is_some()) {
            let key = entry.key.value.as_str();
            let takes_nothing = |field: &Field| field.types.iter().any(|it| matches!(it, Type::Null));
            let is_known =
                Field::find(FIELDS, key).is_some_and(|field| field.is_read_by(facts.dialect) && !takes_nothing(field));
            let is_empty = entry.value.is_null() || entry.value.as_str().is_some_and(|text| text.trim().is_empty());
            if !is_known || !is_empty || OTHERS.contains(&key) {
                continue;
            }
            let message = format!("`{key}` has no value, and so no effect; give it one, or take it out");
            let finding = report.add(severity, entry.key.range, message);
            finding.tags.push(Tag::Unnecessary);
            finding.fix(Fix::unsafe_(
                "Take the field out",
                vec![Edit::delete(whole_lines(file, entry.range))],
            ));
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("empty_field.md")
    }
}

/// Fields whose emptiness is a finding of its own.
const OTHERS: &[&str] = &["name", "description", "paths"];
