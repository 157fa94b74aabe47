//! `odd-version`

use crate::{
    dialect::Outcome,
    facts::Facts,
    fixes::{Edit, Fix},
    rules::{Report, Rule, field},
    syntax::{Node, Scalar, SkillFile},
};

/// A version that is not three numbers.
pub(super) const RULE: Rule = Rule {
    code: "odd-version",
    summary: "a version that is not semantic, such as `1.2`",
    outcome: |_| Outcome::Tolerates,
    default_off: true,
    documentation: include_str!("odd_version.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let own = field(file, facts, "version").map(|entry| &entry.value);
    let metadata = field(file, facts, "metadata").map(|entry| entry.value.entries());
    let nested = metadata.into_iter().flatten();
    let nested = nested
        .filter(|entry| entry.key.value == "version")
        .map(|entry| &entry.value);
    for scalar in own.into_iter().chain(nested).filter_map(Node::as_scalar) {
        let text = scalar.value.trim();
        if scalar.is_null() || text.is_empty() || is_version(text) {
            continue;
        }
        let finding = report.add(scalar.range, format!("`{text}` is not `MAJOR.MINOR.PATCH`"));
        if let Some(meant) = meant(scalar) {
            let edit = Edit::replace(scalar.inner(), meant.as_str());
            finding.fix(Fix::unsafe_(format!("Change to `{meant}`"), vec![edit]));
        }
    }
}

/// Whether a text is a version of semver 2.0.
fn is_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').unwrap_or((text, "0"));
    let (core, pre) = text.split_once('-').unwrap_or((text, "0"));
    let is_number = |part: &str| is_digits(part) && (part == "0" || !part.starts_with('0'));
    let are_words = |words: &str| {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
        words.split('.').all(is_word)
    };
    core.split('.').count() == 3 && core.split('.').all(is_number) && are_words(pre) && are_words(build)
}

/// One or two numbers, with or without a `v`, as three.
fn meant(scalar: &Scalar) -> Option<String> {
    let text = scalar.value.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let parts: Vec<&str> = text.split('.').collect();
    let padded = format!("{text}{}", ".0".repeat(3usize.checked_sub(parts.len())?));
    (parts.into_iter().all(is_digits) && is_version(&padded)).then_some(padded)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}
