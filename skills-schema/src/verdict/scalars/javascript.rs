//! YAML 1.2 with dates, as js-yaml 4 reads it.

use super::{BASES, CORE, binary, boolean, date, integer_in, is_null, only, sign, special_float};
use crate::verdict::{messages, value::Atom};

/// What a scalar means; why the loader fails on it.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Result<Atom, String> {
    match tag {
        None if plain => Ok(implicit(text)),
        None | Some("!") => Ok(Atom::Text),
        Some(tag) => {
            let known = match tag.strip_prefix(CORE) {
                Some("str") => Some(Atom::Text),
                Some("null") => is_null(text).then_some(Atom::Null),
                Some("bool") => boolean(text).map(Atom::Bool),
                Some("int") => integer(text),
                Some("float") => float(text),
                // An absent value is nothing, and not no bytes.
                Some("binary") if plain && text.is_empty() => None,
                Some("binary") => binary::javascript(text).map(Atom::Bytes),
                Some("timestamp") => is_date(text).then(|| Atom::Date(text.to_owned())),
                _ => None,
            };
            known.ok_or_else(|| messages::unknown_tag(tag))
        }
    }
}

pub(super) fn implicit(text: &str) -> Atom {
    match super::implicit(text, integer, float) {
        Atom::Text if is_date(text) => Atom::Date(text.to_owned()),
        found => found,
    }
}

fn integer(text: &str) -> Option<Atom> {
    integer_in(text, BASES)
}

fn float(text: &str) -> Option<Atom> {
    if let Some(value) = special_float(text) {
        return Some(Atom::Float(value));
    }
    let (signed, rest) = (text.starts_with(['-', '+']), sign(text).1);
    let shaped = only(rest, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
    });
    let starts = rest.starts_with(|c: char| c.is_ascii_digit())
        || (!signed && rest.len() > 1 && rest.starts_with('.') && rest.as_bytes()[1].is_ascii_digit());
    let value = Some(rest).filter(|_| shaped && starts)?.parse::<f64>().ok()?;
    let value = if text.starts_with('-') { -value } else { value };
    value.is_finite().then_some(Atom::Float(value))
}

/// A date alone has two digits for month and day; one with a time may have one.
fn is_date(text: &str) -> bool {
    date(text).is_some()
}
