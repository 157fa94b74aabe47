//! `argument-in-command`

use crate::{
    dialect::{Outcome, Policy},
    facts::Facts,
    rules::{Report, Rule},
    syntax::{PlaceholderKind, SkillFile},
};

/// An argument that becomes part of a command.
pub(super) struct ArgumentInCommand;

impl Rule for ArgumentInCommand {
    fn code(&self) -> &'static str {
        "argument-in-command"
    }

    fn summary(&self) -> &'static str {
        "what a person types is no part of a command"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.argument_in_command
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        let body = file.slice(file.body.range).as_bytes();
        let has = |needle: &str| memchr::memmem::find(body, needle.as_bytes()).is_some();
        if !has("$") || !(has("!`") || has("```!")) {
            return;
        }
        let tree = file.markdown();
        for command in tree.commands.iter().filter(|it| it.runs_in(facts.dialect)) {
            let placeholders = &tree.placeholders;
            let first = placeholders.partition_point(|it| it.range.start() < command.text.start());
            let inside = placeholders[first..]
                .iter()
                .take_while(|it| it.range.end() <= command.text.end());
            for placeholder in inside.filter(|it| !it.is_escaped) {
                use PlaceholderKind::{Arguments, Index, Named};
                if matches!(placeholder.kind, Arguments | Index(_) | Named(_)) {
                    let message = "what is typed here becomes part of the command, `;` and `$(…)` too; let the model run the \
                                   command instead";
                    report.add(severity, placeholder.range, message);
                }
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("argument_in_command.md")
    }
}
