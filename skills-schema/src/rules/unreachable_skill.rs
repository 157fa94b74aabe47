//! `unreachable-skill`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field, where_read},
    syntax::{Entry, SkillFile},
};

/// A skill that nobody can use.
pub(super) const RULE: Rule = Rule {
    code: "unreachable-skill",
    summary: "a skill that neither people nor the model can start",
    outcome: |reader| where_read(reader, "user-invocable", Outcome::Recovers),
    documentation: include_str!("unreachable_skill.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let is = |entry: &&Entry, wanted| entry.value.as_bool() == Some(wanted);
    let hidden = field(file, facts, "user-invocable").filter(|it| is(it, false));
    let disabled = field(file, facts, "disable-model-invocation").filter(|it| is(it, true));
    // A trigger of another reader still brings it in.
    let is_triggered = ["triggers", "trigger"].iter().any(|name| file.entry(name).is_some());
    if let (Some(hidden), Some(disabled), false) = (hidden, disabled, is_triggered) {
        let message = "neither people nor the model can run this skill; remove one of the two";
        let finding = report.add(hidden.range, message);
        finding.relate(disabled.range, "the model can't run it");
    }
}
