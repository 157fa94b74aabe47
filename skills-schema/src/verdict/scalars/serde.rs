//! YAML 1.2 as serde_yaml reads it where a field takes any value.

use super::{BASES, CORE, boolean, implicit, integer_in, is_null, only, sign, special_float};
use crate::verdict::value::Atom;

/// What a scalar means. A tag that does not fit is only an error where somebody asks what it means; one exception is
/// null, about which every field asks.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Result<Atom, String> {
    Ok(match tag {
        None if plain => implicit(text, integer, float),
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

fn integer(text: &str) -> Option<Atom> {
    integer_in(text, BASES).filter(|_| !has_leading_zero(text))
}

fn float(text: &str) -> Option<Atom> {
    if let Some(value) = special_float(text) {
        return Some(Atom::Float(value));
    }
    let value = Some(text).filter(|_| !has_leading_zero(text))?.parse::<f64>().ok()?;
    value.is_finite().then_some(Atom::Float(value))
}

fn has_leading_zero(text: &str) -> bool {
    let digits = sign(text).1;
    digits.len() > 1 && digits.starts_with('0') && only(digits, |byte| byte.is_ascii_digit())
}
