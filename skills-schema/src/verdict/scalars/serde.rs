//! YAML 1.2 as serde_yaml reads it where a field takes any value.

use super::{CORE, boolean, decimal, is_null, only, sign, special_float};
use crate::verdict::value::Atom;

/// What a scalar means. A tag that does not fit is only an error where somebody asks what it means; one exception is
/// null, about which every field asks.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Result<Atom, String> {
    Ok(match tag {
        None if plain => implicit(text),
        None => Atom::Text,
        Some(tag) => match tag.strip_prefix(CORE) {
            Some("bool") => boolean(text).map_or(Atom::Foreign, Atom::Bool),
            Some("int") => integer(text).unwrap_or(Atom::Foreign),
            Some("float") => float(text).unwrap_or(Atom::Foreign),
            Some("null") if !text.is_empty() && is_null(text) => Atom::Null,
            Some("null") => return Err(format!("invalid value: string {text:?}, expected null")),
            Some(_) => Atom::Text,
            None => Atom::Foreign,
        },
    })
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
    let (negative, rest) = sign(text);
    let bases: [(&str, u32); 3] = [("0x", 16), ("0o", 8), ("0b", 2)];
    for (prefix, radix) in bases {
        if let Some(digits) = rest.strip_prefix(prefix)
            && only(digits, |byte| char::from(byte).is_digit(radix))
        {
            return decimal(negative, digits, radix).map(Atom::Integer);
        }
    }
    let leading_zero = rest.len() > 1 && rest.starts_with('0');
    let fits = only(rest, |byte| byte.is_ascii_digit()) && !leading_zero;
    fits.then(|| decimal(negative, rest, 10)).flatten().map(Atom::Integer)
}

fn float(text: &str) -> Option<Atom> {
    if let Some(value) = special_float(text) {
        return Some(Atom::Float(value));
    }
    let digits = sign(text).1;
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && only(digits, |byte| byte.is_ascii_digit());
    let value = Some(text).filter(|_| !leading_zero)?.parse::<f64>().ok()?;
    value.is_finite().then_some(Atom::Float(value))
}
