//! `permission-syntax`

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    permission_rule::{self, Listed, Problem, ProblemKind},
    rules::{Report, Rule, field, where_read},
    syntax::SkillFile,
};

/// An entry of a list of tools that can't be read.
pub(super) const RULE: Rule = Rule {
    code: "permission-syntax",
    summary: "an entry of `allowed-tools` reads `Tool` or `Tool(what)`",
    outcome: |policy| where_read(policy, "allowed-tools", Outcome::Recovers),
    documentation: include_str!("permission_syntax.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    for name in ["allowed-tools", "disallowed-tools"] {
        let Some(entry) = field(file, facts, name) else {
            continue;
        };
        for listed in permission_rule::listed(file, &entry.value) {
            let Err(problem) = permission_rule::parse(listed.text) else {
                continue;
            };
            let range = listed.part(file, problem.range.clone());
            let finding = report.add(range, message(problem.kind));
            finding.fixes.extend(fix(file, &listed, &problem, range));
        }
    }
}

fn message(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Unclosed => "nothing closes this `(`, so the entry allows nothing; add `)`",
        ProblemKind::Unopened => "nothing opens this `)`; remove it",
        ProblemKind::NoTool => "no tool stands before the parentheses; write `Bash(…)`",
        ProblemKind::Blank => "the blank ends the entry, which then covers every use of the tool; remove it",
        ProblemKind::Empty => "nothing stands between the parentheses; name what is meant, or remove them",
        ProblemKind::TextAfter => "text behind the `)`; separate entries by commas or blanks",
        ProblemKind::PrefixInside => "`:*` counts only at the end; write `*` for any text",
    }
}

fn fix(file: &SkillFile, listed: &Listed<'_>, problem: &Problem, range: TextRange) -> Option<Fix> {
    // Nobody knows where a value is to be changed that is not written as it reads.
    let is_exact = file.slice(range) == &listed.text[problem.range.clone()];
    let (title, edit) = match problem.kind {
        _ if !is_exact => return None,
        ProblemKind::Unclosed => {
            let end = range.start() + TextSize::of(listed.text.split(',').next()?)
                - TextSize::try_from(problem.range.start).ok()?;
            ("Close it", Edit::insert(end.max(range.end()), ")"))
        }
        ProblemKind::Unopened => ("Remove it", Edit::delete(range)),
        ProblemKind::Blank => ("Remove the blank", Edit::delete(range)),
        ProblemKind::Empty => ("Remove the parentheses", Edit::delete(range)),
        ProblemKind::PrefixInside => ("Write `*`", Edit::replace(range, " *")),
        ProblemKind::NoTool | ProblemKind::TextAfter => return None,
    };
    Some(Fix::unsafe_(title, vec![edit]))
}
