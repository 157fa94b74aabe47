//! `fork-without-task`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// A fork without instructions.
pub(super) struct ForkWithoutTask;

impl Rule for ForkWithoutTask {
    fn code(&self) -> &'static str {
        "fork-without-task"
    }

    fn summary(&self) -> &'static str {
        "a skill that runs on its own says what to do"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        where_read(policy, "context", Outcome::Recovers)
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let fork = field(file, facts, "context").filter(|entry| entry.value.as_str() == Some("fork"));
        let is_closed = file.frontmatter.as_ref().is_some_and(|it| it.close.is_some());
        if let Some(fork) = fork.filter(|_| is_closed && file.slice(file.body.range).trim().is_empty()) {
            let message =
                "the agent in the fork is given nothing but the body, and that is empty; write what it is to do";
            report.add(severity, fork.value.range, message);
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("fork_without_task.md")
    }
}
