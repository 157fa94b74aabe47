//! `unguarded-action`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, field, head, indentation, where_read},
    syntax::SkillFile,
};

/// A skill that ships or deletes, and that a model may start.
pub(super) const RULE: Rule = Rule {
    code: "unguarded-action",
    summary: "an action with outside effects that the model may start on its own",
    outcome: |reader| where_read(reader, "disable-model-invocation", Outcome::Doubts),
    default_off: true,
    documentation: include_str!("unguarded_action.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let own = file
        .entry("name")
        .and_then(|entry| entry.value.as_str())
        .or(facts.folder);
    let name = own.unwrap_or_default();
    let Some(action) = name.split('-').find(|word| ACTIONS.contains(word)) else {
        return;
    };
    if field(file, facts, "disable-model-invocation").is_some() || file.frontmatter.is_none() {
        return;
    }
    let message = format!("the model may {action} on its own; set `disable-model-invocation: true`");
    let finding = report.add(head(file), message);
    let name = file.entry("name");
    if let Some((entry, blanks)) = name.and_then(|entry| Some((entry, indentation(&file.text, entry)?))) {
        let field = format!("\n{blanks}disable-model-invocation: true");
        let edits = vec![Edit::insert(entry.range.end(), field)];
        finding.fix(Fix::unsafe_("Keep the skill from the model", edits));
    }
}

/// Words in names of skills that have effects outside of the workspace, or that nobody takes back.
const ACTIONS: &[&str] = &[
    "deploy", "ship", "publish", "delete", "release", "push", "commit", "send",
];
