//! `command-in-code`

use crate::{
    dialect::{Dialect, Outcome, Policy},
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule},
    syntax::{Command, CommandForm, Guard, SkillFile},
};

/// A command that is meant as an example and run.
pub(super) struct CommandInCode;

impl Rule for CommandInCode {
    fn code(&self) -> &'static str {
        "command-in-code"
    }

    fn summary(&self) -> &'static str {
        "a command in code or in a comment is run all the same"
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        policy.command_in_code
    }

    fn check(&self, file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
        let Some(severity) = facts.severity(|policy| self.outcome(policy)) else {
            return;
        };
        // The tree of the body is made only where there may be a command.
        if !["!`", "```!"].iter().any(|it| file.slice(file.body.range).contains(it)) {
            return;
        }
        for command in &file.markdown().commands {
            if let Some(guard) = command.guard.filter(|_| command.runs_in(facts.dialect)) {
                let finding = report.add(severity, command.range, message(command, guard, facts.dialect));
                if let Some(escape) = facts.dialect.policy().command_escape {
                    let edit = Edit::insert(command.range.start(), escape);
                    finding.fix(Fix::unsafe_("Put a backslash before it", vec![edit]));
                }
            }
        }
    }

    fn documentation(&self) -> &'static str {
        include_str!("command_in_code.md")
    }
}

fn message(command: &Command, guard: Guard, dialect: Dialect) -> String {
    // Those that run commands at all: the others keep none from it.
    let protected: Vec<&str> = Dialect::ALL
        .into_iter()
        .filter(|it| {
            (it.policy().command_in_code != Outcome::Fine || it.policy().command_escape.is_some())
                && !command.runs_in(*it)
        })
        .map(Dialect::title)
        .collect();
    let way_out = match (dialect.policy().command_escape, command.form) {
        (Some(escape), _) => &format!("write `{escape}!`"),
        (None, CommandForm::Block) => "put something before the `!`",
        (None, CommandForm::Inline) => "let no blank stand before the `!`",
    };
    format!(
        "{} runs this whenever the skill is invoked; {} keeps only {} from it. If it is an example, {way_out}",
        dialect.title(),
        guard.title(),
        protected.join(" and "),
    )
}
