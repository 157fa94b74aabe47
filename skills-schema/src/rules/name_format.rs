//! `name-format`

use crate::{
    dialect::{Alphabet, Dialect, Outcome},
    facts::{Facts, FileKind},
    fixes::{Edit, Fix},
    rules::{Report, Rule, Severity, nested_skill::is_material},
    syntax::{Scalar, SkillFile},
};

/// A name with characters that some reader does not take.
pub(super) const RULE: Rule = Rule {
    code: "name-format",
    summary: "a name with anything but lower-case letters, digits and single hyphens",
    outcome: |reader| reader.policy().name_format,
    documentation: include_str!("name_format.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let Some(entry) = file.entry("name").filter(|_| facts.kind == FileKind::Skill) else {
        return;
    };
    let Some(scalar) = entry
        .value
        .as_scalar()
        .filter(|it| !it.is_null() && !it.value.trim().is_empty())
    else {
        return;
    };
    let name = scalar.value.trim();
    let start = scalar.value.len() - scalar.value.trim_start().len();
    reserved(name, start, file, scalar, facts, report);
    let outcome = |reader: Dialect| {
        if fault(name, reader.policy().alphabet).is_some() {
            reader.policy().name_format
        } else {
            Outcome::Fine
        }
    };
    let severity = facts.severity(outcome);
    // A template's name is told where its own reader drops it.
    let is_told = |it: &Severity| *it == Severity::Error || !is_material(facts.path);
    let Some(severity) = severity.filter(is_told) else {
        return;
    };
    // The strictest alphabet names the fault that all readers see.
    let Some(fault) = fault(name, Alphabet::Unicode).or_else(|| fault(name, Alphabet::Ascii)) else {
        return;
    };
    let at = start + fault.at;
    let message = format!("`name` may have {}", fault.wanted);
    let finding = report.add_at(severity, scalar.part(&file.text, at..at + fault.length), message);
    finding.dropped(facts, outcome);
    let better = kebab(name);
    if !better.is_empty() && better != name {
        finding.fix(Fix::unsafe_(
            format!("Rename to `{better}`"),
            vec![Edit::replace(scalar.range, better)],
        ));
    }
}

/// A word in the name, which starts at `start` of the value, that a reader keeps for itself.
fn reserved(name: &str, start: usize, file: &SkillFile, scalar: &Scalar, facts: &Facts<'_>, report: &mut Report) {
    let word = |reader: Dialect| {
        let mut words = reader.policy().reserved_words.iter();
        words.find_map(|word| Some((name.find(word)?, word.len())))
    };
    let outcome = |reader| word(reader).map_or(Outcome::Fine, |_| Outcome::Drops);
    let Some(severity) = facts.severity(outcome) else {
        return;
    };
    if let Some((at, length)) = Dialect::ALL.into_iter().find_map(word) {
        let range = scalar.part(&file.text, start + at..start + at + length);
        let message = format!("`name` may not contain `{}`", &name[at..at + length]);
        report.add_at(severity, range, message).dropped(facts, outcome);
    }
}

/// What is wrong with a name: the first character that is, and what is wanted.
struct Fault {
    at: usize,
    length: usize,
    wanted: &'static str,
}

fn fault(name: &str, alphabet: Alphabet) -> Option<Fault> {
    let is_allowed = |c: char| match alphabet {
        Alphabet::Any => true,
        Alphabet::Ascii => c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-',
        Alphabet::Unicode => (c.is_alphanumeric() && !c.is_uppercase()) || c == '-',
        Alphabet::AnyCase => c.is_ascii_alphanumeric() || c == '-',
        Alphabet::Label => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | ' '),
    };
    let wrong = |wanted| {
        move |(at, part): (usize, &str)| Fault {
            at,
            length: part.len(),
            wanted,
        }
    };
    if alphabet == Alphabet::Any {
        return None;
    }
    let character = name.char_indices().find(|&(_, c)| !is_allowed(c));
    if let Some((at, _)) = character {
        let length: usize = name[at..]
            .chars()
            .take_while(|&c| !is_allowed(c))
            .map(char::len_utf8)
            .sum();
        let wanted = match alphabet {
            Alphabet::Ascii => "only `a`-`z`, `0`-`9` and hyphens in some readers",
            _ => "only lower-case letters, digits and hyphens",
        };
        return Some(Fault { at, length, wanted });
    }
    let edge = "no hyphen at its start or end";
    if alphabet == Alphabet::Label {
        let is_start = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        return (!is_start).then(|| wrong(edge)((0, &name[..1])));
    }
    let double = name.match_indices("--").next().map(wrong("no two hyphens in a row"));
    let start = name.starts_with('-').then(|| wrong(edge)((0, "-")));
    let end = name.ends_with('-').then(|| wrong(edge)((name.len() - 1, "-")));
    start.or(double).or(end)
}

/// A name that every reader takes.
pub(super) fn kebab(name: &str) -> String {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words.join("-")
}
