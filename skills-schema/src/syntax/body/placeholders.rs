//! What is replaced when the skill is invoked: `$…` as Claude Code 2.1.210 reads it, in code and comments too.

use std::{cmp::Reverse, collections::HashMap};

use super::{Placeholder, PlaceholderKind};
use crate::syntax::{
    SkillFile,
    declared::{self, Argument},
    lines::range_of,
};

/// The placeholders of the body.
pub(super) fn find(file: &SkillFile) -> Vec<Placeholder> {
    let body = file.body.range;
    let text = file.slice(body);
    if !text.contains('$') {
        return Vec::new();
    }
    let (declared, inputs) = (declared::declared(file), declared::inputs(file));
    let names = Names::of(&declared);
    let base = usize::from(body.start());
    let mut found = Vec::new();
    let mut after = 0;
    for (at, _) in text.match_indices('$') {
        if at < after {
            continue;
        }
        let Some((length, kind)) = placeholder(&text[at + 1..], &names, &inputs) else {
            continue;
        };
        let before = &text.as_bytes()[after..at];
        let backslashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
        let can_escape = !matches!(kind, PlaceholderKind::Variable | PlaceholderKind::Input(_));
        after = at + 1 + length;
        found.push(Placeholder {
            range: range_of(base + at, base + after),
            kind,
            is_escaped: can_escape && backslashes % 2 == 1,
        });
    }
    found
}

/// The declared names by the word that each starts with: only few of them can stand behind a `$`.
struct Names<'a> {
    declared: &'a [Argument],
    by_word: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    fn of(declared: &'a [Argument]) -> Names<'a> {
        let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, argument) in declared.iter().enumerate().filter(|(_, it)| !it.name.is_empty()) {
            by_word.entry(first_word(&argument.name)).or_default().push(index);
        }
        // The longest declared name wins: `$a-b` is not `$a` where both are declared. Of two with one name the first counts.
        for all in by_word.values_mut() {
            all.sort_by_key(|&index| Reverse(declared[index].name.len()));
        }
        Names { declared, by_word }
    }

    /// The one that a text starts with, and its length.
    fn find(&self, after: &str) -> Option<(usize, usize)> {
        let all = self.by_word.get(first_word(after))?;
        all.iter().find_map(|&index| {
            let name = self.declared[index].name.as_str();
            let rest = after.strip_prefix(name)?;
            (!rest.starts_with('[') && ends_here(rest)).then_some((index, name.len()))
        })
    }
}

fn first_word(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_word).len()]
}

/// The length and the meaning of what stands behind a `$`.
fn placeholder(after: &str, names: &Names<'_>, inputs: &[Argument]) -> Option<(usize, PlaceholderKind)> {
    if let Some(braced) = after.strip_prefix('{') {
        let name = &braced[..word_length(braced)];
        if !braced[name.len()..].starts_with('}') {
            return None;
        }
        let kind = match inputs.iter().position(|it| it.name == name) {
            Some(index) => PlaceholderKind::Input(index),
            None if name.starts_with("CLAUDE_") || name == "SKILL_ROOT" => PlaceholderKind::Variable,
            None => return None,
        };
        return Some((name.len() + 2, kind));
    }
    if let Some((index, length)) = names.find(after) {
        return Some((length, PlaceholderKind::Named(index)));
    }
    let all = "ARGUMENTS";
    if let Some(rest) = after.strip_prefix(all) {
        let digits = rest.strip_prefix('[').map_or("", digits);
        if !digits.is_empty() && rest[1 + digits.len()..].starts_with(']') {
            return Some((all.len() + 2 + digits.len(), PlaceholderKind::Index(number(digits))));
        }
        return ends_here(rest).then_some((all.len(), PlaceholderKind::Arguments));
    }
    let digits = digits(after);
    if !digits.is_empty() {
        return ends_here(&after[digits.len()..]).then(|| (digits.len(), PlaceholderKind::Index(number(digits))));
    }
    let length = word_length(after);
    (length > 0 && !names.declared.is_empty()).then_some((length, PlaceholderKind::Undeclared))
}

fn digits(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    &text[..text.len() - rest.len()]
}

/// A number that does not fit is the index of no argument either.
fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}

/// The length of the word that a text starts with.
fn word_length(text: &str) -> usize {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = text.trim_start_matches(is_word);
    if starts { text.len() - rest.len() } else { 0 }
}

/// Whether a name that stands before this text ends there.
fn ends_here(rest: &str) -> bool {
    !rest.starts_with(is_word)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
