//! The core schema of YAML 1.2, as yaml 2 for JavaScript reads it: what no tag of its own means is text.

use super::{CORE, binary, boolean, date, implicit, integer_in, is_null, only, sign, special_float};
use crate::verdict::value::Atom;

/// What a scalar means.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Atom {
    let Some(tag) = tag else {
        return if plain {
            implicit(text, integer, float)
        } else {
            Atom::Text
        };
    };
    let known = match tag.strip_prefix(CORE) {
        Some("null") => is_null(text).then_some(Atom::Null),
        Some("bool") => boolean(text).map(Atom::Bool),
        Some("int") => integer(text),
        Some("float") => float(text),
        Some("binary") => binary::javascript(text).map(Atom::Bytes),
        Some("timestamp") => date(text).map(|_| Atom::Date(text.to_owned())),
        _ => None,
    };
    known.unwrap_or(Atom::Text)
}

fn integer(text: &str) -> Option<Atom> {
    let is_signed = text.starts_with(['+', '-']);
    integer_in(text, if is_signed { &[] } else { &[("0o", 8), ("0x", 16)] })
}

fn float(text: &str) -> Option<Atom> {
    if let Some(value) = special_float(text) {
        return Some(Atom::Float(value));
    }
    let shaped = only(sign(text).1, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
    });
    let value = Some(text).filter(|_| shaped)?.parse::<f64>().ok()?;
    value.is_finite().then_some(Atom::Float(value))
}
