//! `unused-argument`

use crate::{
    arguments::{declared, too_many},
    facts::Facts,
    rules::{Report, Rule, Tag, unusable_argument},
    syntax::{PlaceholderKind, SkillFile},
};

/// A declared argument that the body never takes.
pub(super) const RULE: Rule = Rule {
    code: "unused-argument",
    summary: "an argument that is declared and not used",
    outcome: |reader| reader.policy().argument_mismatch,
    documentation: include_str!("unused_argument.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, _: &Facts<'_>, report: &mut Report) {
    let names = declared(file);
    if names.is_empty() || too_many(file).is_some() {
        return;
    }
    let mut used = vec![false; names.len()];
    let mut takes_any = false;
    for placeholder in file.markdown().placeholders.iter().filter(|it| !it.is_escaped) {
        match placeholder.kind {
            PlaceholderKind::Arguments => return,
            PlaceholderKind::Named(index) | PlaceholderKind::Index(index) => {
                takes_any = true;
                used.get_mut(index).into_iter().for_each(|used| *used = true);
            }
            _ => {}
        }
    }
    // A body without placeholders gets all that was typed at its end.
    if !takes_any {
        return;
    }
    let is_usable = |index: usize| unusable_argument::fault(&names[index], &names[..index]).is_none();
    let unused = names.iter().enumerate().filter(|(index, _)| !used[*index]);
    for (_, name) in unused.filter(|(index, _)| is_usable(*index)) {
        let message = format!("unused argument `{0}`; write `${0}` where it belongs", name.name);
        let finding = report.add(name.range, message);
        finding.tags.push(Tag::Unnecessary);
    }
}
