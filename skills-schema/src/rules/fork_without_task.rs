//! `fork-without-task`

use crate::{
    dialect::Outcome,
    facts::Facts,
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// A fork without instructions.
pub(super) const RULE: Rule = Rule {
    code: "fork-without-task",
    summary: "`context: fork` in a skill that gives the subagent no task",
    outcome: |reader| where_read(reader, "context", Outcome::Recovers),
    documentation: include_str!("fork_without_task.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let fork = field(file, facts, "context").filter(|entry| entry.value.as_str() == Some("fork"));
    let is_closed = file.frontmatter.as_ref().is_some_and(|it| it.close.is_some());
    if let Some(fork) = fork.filter(|_| is_closed && file.slice(file.body.range).trim().is_empty()) {
        let message = "the forked agent gets only the body, which is empty; write its task";
        report.add(fork.value.range, message);
    }
}
