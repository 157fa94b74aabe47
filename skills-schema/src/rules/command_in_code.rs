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
        match policy.dialect {
            Dialect::Claude | Dialect::OpenHands => Outcome::Recovers,
            _ => Outcome::Fine,
        }
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
                if facts.dialect == Dialect::OpenHands {
                    let edit = Edit::insert(command.range.start(), "\\");
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
    let readers = [Dialect::Claude, Dialect::OpenHands, Dialect::Unified].into_iter();
    let protected: Vec<&str> = readers.filter(|it| !command.runs_in(*it)).map(Dialect::title).collect();
    let way_out = match dialect {
        Dialect::OpenHands => "write `\\!`",
        _ if command.form == CommandForm::Block => "put something before the `!`",
        _ => "let no blank stand before the `!`",
    };
    format!(
        "{} runs this whenever the skill is invoked; {} keeps only {} from it. If it is an example, {way_out}",
        dialect.title(),
        guard.title(),
        protected.join(" and "),
    )
}
