//! YAML 1.1 as PyYAML's safe loader reads it.

use super::{CORE, Date, binary, boolean, date, decimal, is_null, only, sign, special_float};
use crate::verdict::{messages, value::Atom};

/// What a scalar means; why the loader fails on it.
pub(super) fn scalar(tag: Option<&str>, text: &str, plain: bool) -> Result<Atom, String> {
    let failed = || messages::no_value(tag.unwrap_or_default(), text);
    match tag {
        None if plain => implicit(text).unwrap_or(Ok(Atom::Text)),
        None | Some("!") => Ok(Atom::Text),
        Some(tag) => match tag.strip_prefix(CORE) {
            Some("str") => Ok(Atom::Text),
            Some("null") => Ok(Atom::Null),
            Some("bool") => truth(&text.to_lowercase()).map(Atom::Bool).ok_or_else(failed),
            Some("int") => integer(text).ok_or_else(failed),
            Some("float") => float(text).ok_or_else(failed),
            Some("binary") if text.is_ascii() => binary::python(text).map(Atom::Bytes),
            Some("timestamp") => date(text).ok_or_else(failed).and_then(|date| spelled(&date)),
            _ => Err(messages::no_constructor(tag)),
        },
    }
}

/// The first type whose pattern the text matches; `None` for plain text.
fn implicit(text: &str) -> Option<Result<Atom, String>> {
    let first = text.bytes().next().unwrap_or(b' ');
    if is_null(text) {
        return Some(Ok(Atom::Null));
    }
    match text {
        "=" => return Some(Err(messages::no_constructor("tag:yaml.org,2002:value"))),
        "<<" => return Some(Err(messages::no_constructor("tag:yaml.org,2002:merge"))),
        _ => {}
    }
    if first.is_ascii_alphabetic() {
        let lower = text.to_ascii_lowercase();
        let cased = text == lower || *text == text.to_ascii_uppercase() || is_capitalized(text);
        return truth(&lower).filter(|_| cased).map(|value| Ok(Atom::Bool(value)));
    }
    if !first.is_ascii_digit() && !matches!(first, b'-' | b'+' | b'.') {
        return None;
    }
    if is_float(text) {
        return float(text).map(Ok);
    }
    if is_integer(text) {
        return Some(integer(text).ok_or_else(|| messages::no_value("tag:yaml.org,2002:int", text)));
    }
    date(text).map(|date| spelled(&date))
}

fn is_capitalized(text: &str) -> bool {
    text[..1].bytes().all(|byte| byte.is_ascii_uppercase()) && text[1..].bytes().all(|byte| byte.is_ascii_lowercase())
}

fn truth(lower: &str) -> Option<bool> {
    match lower {
        "yes" | "on" => Some(true),
        "no" | "off" => Some(false),
        _ => boolean(lower),
    }
}

fn is_integer(text: &str) -> bool {
    let rest = sign(text).1;
    let digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    if let Some(binary) = rest.strip_prefix("0b") {
        return only(binary, |byte| matches!(byte, b'0' | b'1' | b'_'));
    }
    if let Some(hexadecimal) = rest.strip_prefix("0x") {
        return only(hexadecimal, |byte| byte.is_ascii_hexdigit() || byte == b'_');
    }
    if let Some(octal) = rest.strip_prefix('0') {
        return octal.bytes().all(|byte| matches!(byte, b'0'..=b'7' | b'_'));
    }
    let mut parts = rest.split(':');
    let head = parts.next().unwrap_or_default();
    only(head, digit) && head.starts_with(|c: char| c.is_ascii_digit()) && parts.all(is_sixtieth)
}

/// A part of a number in base sixty.
fn is_sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => matches!(tens, b'0'..=b'5') && digit.is_ascii_digit(),
        _ => false,
    }
}

fn integer(text: &str) -> Option<Atom> {
    let text = text.replace('_', "");
    let (negative, digits) = sign(&text);
    if digits.is_empty() {
        return None;
    }
    let digits = if let Some(binary) = digits.strip_prefix("0b") {
        decimal(
            negative,
            Some(binary).filter(|it| only(it, |byte| matches!(byte, b'0' | b'1')))?,
            2,
        )
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        let digits = Some(hexadecimal).filter(|it| only(it, |byte| byte.is_ascii_hexdigit()))?;
        decimal(negative, digits, 16)
    } else if digits != "0" && digits.starts_with('0') {
        let digits = Some(digits).filter(|it| only(it, |byte| matches!(byte, b'0'..=b'7')))?;
        decimal(negative, digits, 8)
    } else if digits.contains(':') {
        let value = digits.split(':').try_fold(0u128, |value, part| {
            value.checked_mul(60)?.checked_add(part.parse::<u128>().ok()?)
        });
        decimal(negative, &value?.to_string(), 10)
    } else {
        let digits = Some(digits).filter(|it| only(it, |byte| byte.is_ascii_digit()))?;
        decimal(negative, digits, 10)
    };
    digits.map(Atom::Integer)
}

/// `[-+]?\d[\d_]*\.[\d_]*([eE][-+]\d+)?` and its relatives.
fn is_float(text: &str) -> bool {
    if special_float(text).is_some() {
        return true;
    }
    let (signed, rest) = (text.starts_with(['-', '+']), sign(text).1);
    let digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let Some((whole, fraction)) = rest.split_once('.') else {
        return false;
    };
    let (fraction, exponent) = match fraction.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (fraction, None),
    };
    let exponent_fits = exponent.is_none_or(|it| {
        it.strip_prefix(['-', '+'])
            .is_some_and(|digits| only(digits, |byte| byte.is_ascii_digit()))
    });
    let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !fraction.bytes().all(digit) || !exponent_fits {
        return false;
    }
    if whole.is_empty() {
        return !signed && starts(fraction);
    }
    let mut parts = whole.split(':');
    let head = parts.next().unwrap_or_default();
    let sixtieths: Vec<&str> = parts.collect();
    let heads = starts(head) && head.bytes().all(digit);
    heads && sixtieths.iter().all(|part| is_sixtieth(part)) && (sixtieths.is_empty() || exponent.is_none())
}

fn float(text: &str) -> Option<Atom> {
    if let Some(value) = special_float(text) {
        return Some(Atom::Float(value));
    }
    let text = text.replace('_', "").to_lowercase();
    let (negative, magnitude) = sign(&text);
    let value = magnitude
        .split(':')
        .try_fold(0.0, |value, part| Some(value * 60.0 + part.parse::<f64>().ok()?))?;
    Some(Atom::Float(if negative { -value } else { value }))
}

/// As `str()` writes a date. One that no calendar has makes the loader fail.
fn spelled(date: &Date) -> Result<Atom, String> {
    let (year, month, day) = date.day;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if year == 0 || !(1..=12).contains(&month) || !(1..=days).contains(&day) {
        return Err(messages::NO_DATE.to_owned());
    }
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if let Some(time) = &date.time {
        let (hour, minute, second) = time.clock;
        let zone = time.zone.flatten();
        if hour > 23
            || minute > 59
            || second > 59
            || zone.is_some_and(|(_, hours, minutes)| hours * 60 + minutes >= 1440)
        {
            return Err(messages::NO_DATE.to_owned());
        }
        text += &format!(" {hour:02}:{minute:02}:{second:02}");
        let fraction = format!("{:0<6.6}", time.fraction);
        if fraction != "000000" {
            text += &format!(".{fraction}");
        }
        if time.zone.is_some() {
            let (negative, hours, minutes) = zone.unwrap_or((false, 0, 0));
            let sign = if negative && hours + minutes > 0 { '-' } else { '+' };
            text += &format!("{sign}{hours:02}:{minutes:02}");
        }
    }
    Ok(Atom::Date(text))
}
