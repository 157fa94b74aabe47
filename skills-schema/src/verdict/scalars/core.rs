//! The core schema of YAML 1.2, as yaml 2 for JavaScript reads it: what no tag of its own means is text.

use super::{CORE, binary, boolean, date, decimal, is_null, only, sign, special_float};
use crate::verdict::value::Atom;

/// What a scalar means.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Atom {
    let Some(tag) = tag else {
        return if plain { implicit(text) } else { Atom::Text };
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

fn implicit(text: &str) -> Atom {
    if is_null(text) {
        return Atom::Null;
    }
    boolean(text)
        .map(Atom::Bool)
        .or_else(|| integer(text))
        .or_else(|| float(text))
        .unwrap_or(Atom::Text)
}

fn integer(text: &str) -> Option<Atom> {
    let bases: [(&str, u32); 2] = [("0o", 8), ("0x", 16)];
    for (prefix, radix) in bases {
        if let Some(digits) = text.strip_prefix(prefix) {
            let fits = only(digits, |byte| char::from(byte).is_digit(radix));
            return fits.then(|| decimal(false, digits, radix)).flatten().map(Atom::Integer);
        }
    }
    let (negative, digits) = sign(text);
    let fits = only(digits, |byte| byte.is_ascii_digit());
    fits.then(|| decimal(negative, digits, 10)).flatten().map(Atom::Integer)
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
