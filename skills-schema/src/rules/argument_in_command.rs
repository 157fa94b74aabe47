//! `argument-in-command`

use crate::{
    facts::Facts,
    rules::{Report, Rule},
    syntax::{PlaceholderKind, SkillFile},
};

/// An argument that becomes part of a command.
pub(super) const RULE: Rule = Rule {
    code: "argument-in-command",
    summary: "an argument that becomes part of a shell command",
    outcome: |reader| reader.policy().argument_in_command,
    documentation: include_str!("argument_in_command.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range).as_bytes();
    let has = |needle: &str| memchr::memmem::find(body, needle.as_bytes()).is_some();
    if !has("$") || !(has("!`") || has("```!")) {
        return;
    }
    let tree = file.markdown();
    for command in tree.commands.iter().filter(|it| facts.dialect.runs(it)) {
        let placeholders = &tree.placeholders;
        let first = placeholders.partition_point(|it| it.range.start() < command.text.start());
        let inside = placeholders[first..]
            .iter()
            .take_while(|it| it.range.end() <= command.text.end());
        for placeholder in inside.filter(|it| !it.is_escaped) {
            use PlaceholderKind::{Arguments, Index, Named};
            if matches!(placeholder.kind, Arguments | Index(_) | Named(_)) {
                let message = "user input runs as shell code here; have the model run the command";
                report.add(placeholder.range, message);
            }
        }
    }
}
