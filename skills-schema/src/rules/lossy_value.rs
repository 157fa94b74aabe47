//! `lossy-value`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Fix, quote},
    rules::{Report, Rule, field},
    syntax::{Scalar, SkillFile, Style},
};

/// A value that is another text behind a YAML reader.
pub(super) const RULE: Rule = Rule {
    code: "lossy-value",
    summary: "a value keeps its text for every reader",
    outcome: |policy| policy.scalar_for_text.min(Outcome::Tolerates),
    documentation: include_str!("lossy_value.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let version = field(file, facts, "version").map(|entry| (&entry.key.value, &entry.value));
    let metadata = field(file, facts, "metadata").map_or(&[][..], |entry| entry.value.entries());
    let metadata = metadata.iter().map(|entry| (&entry.key.value, &entry.value));
    for (key, node) in version.into_iter().chain(metadata) {
        let Some(scalar) = node.as_scalar().filter(|it| it.style == Style::Plain) else {
            continue;
        };
        if let Some(reading) = reading(scalar) {
            let message = format!("some readers see {reading} here and lose the text of `{key}`; quote it");
            report
                .add(scalar.range, message)
                .fix(Fix::safe("Quote the value", quote(&file.text, scalar.range)));
        }
    }
}

/// What a reader of YAML may make of a text that is none to it.
fn reading(scalar: &Scalar) -> Option<&'static str> {
    let value = scalar.value.as_str();
    let digits = value.trim_start_matches(['+', '-']);
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    if matches!(value, "yes" | "no" | "on" | "off" | "Yes" | "No" | "On" | "Off") {
        return Some("a boolean");
    }
    if let Some((whole, fraction)) = digits.split_once('.')
        && is_digits(whole)
        && is_digits(fraction)
        && fraction.len() > 1
        && fraction.ends_with('0')
    {
        return Some("a shorter number");
    }
    let is_octal = digits.len() > 1 && digits.starts_with('0') && is_digits(digits) && !digits.contains(['8', '9']);
    let is_prefixed = ["0x", "0o", "0b"].iter().any(|it| digits.starts_with(it));
    let is_exponent = digits
        .split_once(['e', 'E'])
        .is_some_and(|(a, b)| is_digits(&a.replace('.', "")) && is_digits(b.trim_start_matches(['+', '-'])));
    if is_octal || is_prefixed || is_exponent || (digits.contains('_') && is_digits(&digits.replace('_', ""))) {
        return Some("another number");
    }
    let parts: Vec<&str> = digits.split(':').collect();
    let is_sixties =
        parts.len() > 1 && !digits.starts_with('0') && parts.iter().all(|it| is_digits(it) && it.len() <= 2);
    is_sixties.then_some("a number of sixties")
}
