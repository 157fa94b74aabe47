//! YAML 1.1's numbers among YAML 1.2, as js-yaml 3 reads them.

use std::sync::LazyLock;

use regex::Regex;

use super::javascript;
use crate::verdict::value::Atom;

/// Integers with `_` between their digits, in base two, eight, ten, sixteen and sixty; and fractions of these.
#[allow(clippy::unwrap_used, reason = "the pattern is written here, and a test runs it")]
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let integer = r"0|0b[01_]*[01]|0x[0-9a-fA-F_]*[0-9a-fA-F]|0[0-7_]*[0-7]|[1-9]|[1-9][0-9_]*[0-9]";
    let sixty = r"(?:[1-9]|[1-9][0-9_]*[0-9])(?::[0-5]?[0-9])+";
    let float = r"(?:0|[1-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*";
    let point = r"\.[0-9_]+(?:[eE][-+]?[0-9]+)?";
    Regex::new(&format!("^(?:[-+]?(?:{integer}|{sixty}|{float})|{point})$")).unwrap()
});

/// What a text without quotes means.
pub(super) fn implicit(text: &str) -> Atom {
    match javascript::implicit(text) {
        // It never shows a number as text, so that its value does not matter.
        Atom::Text | Atom::Integer(_) | Atom::Float(_) if is_number(text) => Atom::Integer(text.to_owned()),
        Atom::Integer(_) | Atom::Float(_) => Atom::Text,
        other => other,
    }
}

fn is_number(text: &str) -> bool {
    let special = ["inf", "Inf", "INF", "nan", "NaN", "NAN"];
    let is_special = text
        .trim_start_matches(['-', '+'])
        .strip_prefix('.')
        .is_some_and(|word| special.contains(&word));
    is_special || !text.ends_with('_') && NUMBER.is_match(text)
}
