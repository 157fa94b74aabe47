//! `surprising-placeholder`

use crate::{
    arguments::{declared, hinted},
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule, Severity},
    syntax::{Placeholder, PlaceholderKind, SkillFile},
};

/// A `$` and a number that stand for an argument although they look like something else.
pub(super) const RULE: Rule = Rule {
    code: "surprising-placeholder",
    summary: "`$1` that expands where an amount or a shell variable is meant",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("surprising_placeholder.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let body = file.slice(file.body.range);
    let is_number = |at: usize| body.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
    if facts.kind == FileKind::AlwaysOn || !memchr::memchr_iter(b'$', body.as_bytes()).any(is_number) {
        return;
    }
    let all = &file.markdown().placeholders;
    let all: Vec<&Placeholder> = all.iter().filter(|it| !it.is_escaped).collect();
    let is_used = |wanted: fn(PlaceholderKind) -> bool| all.iter().any(|it| wanted(it.kind));
    let takes_arguments = file.entry("arguments").is_some()
        || file.entry("argument-hint").is_some()
        || is_used(|it| it == PlaceholderKind::Arguments)
        || all.iter().any(|it| file.slice(it.range).starts_with("$ARGUMENTS"));
    // Nobody types words behind the name of a skill that has no menu entry and takes none.
    let is_typed = file.entry("user-invocable").and_then(|it| it.value.as_bool()) != Some(false);
    if !takes_arguments && !is_typed {
        return;
    }
    // Nothing is replaced unless somebody types as many words.
    let (severity, most) = if takes_arguments {
        (report.severity, 99)
    } else {
        (Severity::Hint, 9)
    };
    let takes_first = |it| {
        use PlaceholderKind::{Arguments, Index, Named};
        matches!(it, Index(0) | Named(0) | Arguments)
    };
    let counts_from_zero = is_used(takes_first);
    let mut is_told = counts_from_zero;
    // Who counts from 1 takes one more.
    let last = last(file).map(|last| last + usize::from(!counts_from_zero));
    for placeholder in all {
        let PlaceholderKind::Index(index) = placeholder.kind else {
            continue;
        };
        let source = file.slice(placeholder.range);
        if source.starts_with("$ARGUMENTS") || index > most {
            continue;
        }
        let rest = file.text[usize::from(placeholder.range.end())..].as_bytes();
        let is_decimal = matches!(rest, [b',' | b'.', digit, ..] if digit.is_ascii_digit());
        let in_code = file.markdown().in_code(placeholder.range.start());
        let way_out = format!("escape it as `\\{source}`");
        let is_amount = index >= 10 || is_decimal;
        // What no argument stands for stays as it is written.
        if is_amount && last.is_none_or(|last| index > last) {
            continue;
        }
        let message = if is_amount {
            format!("this amount expands as argument {index}; {way_out}")
        } else if in_code && !is_shown(file, placeholder) && (!takes_arguments || is_field_of_awk(file, placeholder)) {
            format!("`{source}` expands as argument {index}, even in code; {way_out}")
        } else if index == 1 && !in_code && !is_told && takes_arguments {
            is_told = true;
            let message = "`$1` is the second argument; the first is `$0`";
            report.add_at(severity, placeholder.range, message);
            continue;
        } else if let Some(last) = last.filter(|last| counts_from_zero && !in_code && index == last + 1) {
            let message = format!("arguments count from 0; the last one declared is `${last}`");
            let edit = Edit::replace(placeholder.range, format!("${last}"));
            let finding = report.add_at(severity, placeholder.range, message);
            finding.fix(Fix::unsafe_(format!("Write `${last}`"), vec![edit]));
            continue;
        } else if last.is_some_and(|last| index > last) {
            format!("this expands as argument {index}, which is not declared; {way_out}")
        } else {
            continue;
        };
        let edit = Edit::insert(placeholder.range.start(), "\\");
        // One block is one finding, and its fix mends all of it.
        let block = file.markdown().code_block_at(placeholder.range.start());
        if let Some(known) = report.findings.last_mut()
            && known.code == RULE.code
            && block.is_some_and(|block| block.contains_range(known.range))
        {
            known.fixes.iter_mut().for_each(|fix| fix.edits.push(edit.clone()));
            continue;
        }
        let finding = report.add_at(severity, placeholder.range, message);
        finding.fix(Fix::unsafe_("Escape with a backslash", vec![edit]));
    }
}

/// The last argument that a skill names, counted from 0; `None` where it names none, or where that is not sure.
fn last(file: &SkillFile) -> Option<usize> {
    let declared = declared(file).len();
    if declared > 0 {
        return Some(declared - 1);
    }
    let hinted = hinted(file);
    hinted.names.len().checked_sub(1).filter(|_| hinted.is_whole)
}

/// Whether a placeholder is in a span of code that a sentence speaks of: nothing runs that as it stands.
fn is_shown(file: &SkillFile, placeholder: &Placeholder) -> bool {
    let tree = file.markdown();
    let at = placeholder.range.start();
    let is_command = tree.commands.iter().any(|it| it.range.contains(at));
    tree.code_block_at(at).is_none() && !is_command
}

/// Whether the line is a command of awk, which means a column of its input.
fn is_field_of_awk(file: &SkillFile, placeholder: &Placeholder) -> bool {
    let before = &file.text[..usize::from(placeholder.range.start())];
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    line.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| matches!(word, "awk" | "gawk" | "mawk"))
}
