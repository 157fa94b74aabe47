//! What scalars and tags mean to each YAML library.

use std::rc::Rc;

use super::{
    document::Node,
    messages,
    trouble::{Trouble, trouble},
    value::{Atom, Scalar, Value, ValueKind},
};
use crate::{reader::stages::Spelling, syntax::Style};

mod binary;
mod core;
mod javascript;
mod javascript3;
mod serde;
mod yaml11;

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// Every scalar is text: strictyaml.
    Text,
    /// YAML 1.1 as PyYAML's safe loader reads it: `on` is a boolean, `010` is eight, `2024-01-02` is a date.
    Yaml11,
    /// YAML 1.2 with dates: js-yaml 4.
    JavaScript,
    /// The same with numbers as YAML 1.1 writes them: `1:30`, `1_000`, `010`. js-yaml 3.
    JavaScript3,
    /// YAML 1.2 without dates: serde_yaml.
    Serde,
    /// The same, and a tag of somebody's own says nothing: serde_yaml, where it becomes JSON.
    SerdeValue,
    /// The core schema of YAML 1.2 and nothing else: yaml 2 for JavaScript.
    Core,
}

/// What a text without quotes is to a library that does not take it for text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Boolean,
    Number,
    Date,
}

impl Sort {
    /// In a sentence: `a number`.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Sort::Boolean => "a boolean",
            Sort::Number => "a number",
            Sort::Date => "a date",
        }
    }
}

/// What the libraries make of a text without quotes, and how the programs above them write that again. None for what is
/// text, or nothing, to all.
pub(crate) fn sorts(text: &str) -> impl Iterator<Item = (Sort, String)> {
    let programs = [
        (Schema::Yaml11, Spelling::Python),
        (Schema::JavaScript, Spelling::JavaScript),
        (Schema::Serde, Spelling::Source),
    ];
    programs.into_iter().filter_map(move |(schema, spelling)| {
        let atom = schema.scalar(None, text, Style::Plain).ok()?;
        let sort = match atom {
            Atom::Bool(_) => Sort::Boolean,
            Atom::Integer(_) | Atom::Float(_) => Sort::Number,
            Atom::Date(_) => Sort::Date,
            Atom::Null | Atom::Text | Atom::Bytes(_) | Atom::Foreign => return None,
        };
        let text = text.to_owned();
        Some((sort, Scalar { text, atom }.spelled(spelling)))
    })
}

/// The prefix of the types of YAML itself.
const CORE: &str = "tag:yaml.org,2002:";

impl Schema {
    /// What a scalar means; why it is refused.
    pub(super) fn scalar(self, tag: Option<&str>, text: &str, style: Style) -> Result<Atom, String> {
        let plain = style == Style::Plain;
        match self {
            // These two keep the meaning that YAML 1.1 gives them, which is none.
            Schema::Text if plain && matches!(text, "=" | "<<") => Ok(Atom::Foreign),
            Schema::Text => Ok(Atom::Text),
            Schema::Yaml11 => yaml11::scalar(tag, text, plain),
            Schema::JavaScript => javascript::scalar(tag, text, plain),
            Schema::JavaScript3 if tag.is_none() && plain => Ok(javascript3::implicit(text)),
            Schema::JavaScript3 => javascript::scalar(tag, text, plain),
            Schema::SerdeValue if tag.is_some_and(|tag| tag.starts_with('!')) => serde::scalar(None, text, plain),
            Schema::Serde | Schema::SerdeValue => serde::scalar(tag, text, plain),
            Schema::Core => Ok(core::scalar(tag, text, plain)),
        }
    }

    /// What a sequence means.
    pub(super) fn sequence(self, node: &Node, items: Vec<Value>) -> Result<ValueKind, Trouble> {
        let list = ValueKind::List(Rc::new(items));
        match (self, yaml_type(node)) {
            (Schema::Text | Schema::Serde | Schema::SerdeValue | Schema::Core, _) | (_, None | Some("seq")) => Ok(list),
            (Schema::Yaml11, Some("omap" | "pairs")) => pairs(node, list, ValueKind::Other),
            // js-yaml checks the pairs, and keeps the list.
            (Schema::JavaScript | Schema::JavaScript3, Some("omap")) => pairs(node, list.clone(), list),
            (Schema::JavaScript | Schema::JavaScript3, Some("pairs")) => pairs(node, list.clone(), list),
            (_, Some(_)) => Err(unknown_tag(node)),
        }
    }

    /// What a mapping means.
    pub(super) fn mapping(self, node: &Node, entries: Vec<(Value, Value)>) -> Result<ValueKind, Trouble> {
        let map = ValueKind::Map(Rc::new(entries));
        match (self, yaml_type(node)) {
            (Schema::Text | Schema::Serde | Schema::SerdeValue | Schema::Core, _) | (_, None | Some("map")) => Ok(map),
            (Schema::Yaml11, Some("set")) => Ok(ValueKind::Other),
            (Schema::JavaScript | Schema::JavaScript3, Some("set")) => Ok(map),
            (_, Some(_)) => Err(unknown_tag(node)),
        }
    }
}

/// What a text without quotes means in YAML 1.2, whose numbers each library writes in its way.
fn implicit(text: &str, integer: fn(&str) -> Option<Atom>, float: fn(&str) -> Option<Atom>) -> Atom {
    let known = is_null(text).then_some(Atom::Null);
    let known = known.or_else(|| boolean(text).map(Atom::Bool));
    let known = known.or_else(|| integer(text)).or_else(|| float(text));
    known.unwrap_or(Atom::Text)
}

/// The prefixes of integers in other bases than ten.
const BASES: &[(&str, u32)] = &[("0b", 2), ("0o", 8), ("0x", 16)];

/// An integer, perhaps with a sign, in base ten or behind the prefix of another one.
fn integer_in(text: &str, bases: &[(&str, u32)]) -> Option<Atom> {
    let (negative, rest) = sign(text);
    let mut based = bases
        .iter()
        .filter_map(|(prefix, radix)| Some((rest.strip_prefix(prefix)?, *radix)));
    let (digits, radix) = based.next().unwrap_or((rest, 10));
    let fits = only(digits, |byte| char::from(byte).is_digit(radix));
    fits.then(|| decimal(negative, digits, radix))
        .flatten()
        .map(Atom::Integer)
}

/// The YAML type that a tag names; the tag itself where it names none, and `None` for `!`.
fn yaml_type(node: &Node) -> Option<&str> {
    let tag = node.tag.as_deref().filter(|tag| *tag != "!")?;
    Some(tag.strip_prefix(CORE).unwrap_or(tag))
}

fn unknown_tag(node: &Node) -> Trouble {
    trouble(
        messages::unknown_tag(node.tag.as_deref().unwrap_or_default()),
        Some(node.range),
    )
}

/// `kind`, if the list holds mappings of one entry each.
fn pairs(node: &Node, list: ValueKind, kind: ValueKind) -> Result<ValueKind, Trouble> {
    let ValueKind::List(items) = list else { return Ok(kind) };
    let single = |item: &Value| matches!(&item.kind, ValueKind::Map(entries) if entries.len() == 1);
    if items.iter().all(single) {
        Ok(kind)
    } else {
        Err(unknown_tag(node))
    }
}

/// Splits off `+` or `-`; true for `-`.
fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Not empty, and only bytes that `allowed` accepts.
fn only(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

/// Digits of a base in decimal, with a sign.
fn decimal(negative: bool, digits: &str, radix: u32) -> Option<String> {
    let value = u128::from_str_radix(digits, radix).ok();
    // Longer numbers only matter by being numbers.
    let text = value.map_or_else(|| digits.to_owned(), |value| value.to_string());
    let digits = text.trim_start_matches('0');
    Some(match (negative, digits) {
        (_, "") => "0".to_owned(),
        (true, digits) => format!("-{digits}"),
        (false, digits) => digits.to_owned(),
    })
}

/// `.inf` and `.nan` as both YAML versions write them.
fn special_float(text: &str) -> Option<f64> {
    let (negative, magnitude) = sign(text);
    match (magnitude, text) {
        (".inf" | ".Inf" | ".INF", _) => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        (_, ".nan" | ".NaN" | ".NAN") => Some(f64::NAN),
        _ => None,
    }
}

/// `null` as both YAML versions write it.
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// `true` and `false` as both YAML versions write them.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The parts of `YYYY-MM-DD`, perhaps with a time. `None` for anything else.
fn date(text: &str) -> Option<Date> {
    let day = |text: &str| -> Option<(u32, u32, u32)> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = |text: &str, most: usize| text.len() <= most && only(text, |byte| byte.is_ascii_digit());
        let fits = digits(year, 4) && year.len() == 4 && digits(month, 2) && digits(day, 2) && parts.next().is_none();
        fits.then(|| (year.parse().ok(), month.parse().ok(), day.parse().ok()))
            .and_then(|(year, month, day)| Some((year?, month?, day?)))
    };
    if text.len() == 10
        && let Some(day) = day(text)
    {
        return Some(Date { day, time: None });
    }
    let at = text.find(['T', 't', ' ', '\t'])?;
    let day = day(&text[..at])?;
    let rest = &text[at..];
    let rest = rest
        .strip_prefix(['T', 't'])
        .unwrap_or_else(|| rest.trim_start_matches([' ', '\t']));
    Some(Date {
        day,
        time: Some(time(rest)?),
    })
}

/// A point in time as it is written.
struct Date {
    day: (u32, u32, u32),
    time: Option<Time>,
}

struct Time {
    clock: (u32, u32, u32),
    fraction: String,
    /// `Z`, or signed hours and minutes.
    zone: Option<Option<(bool, u32, u32)>>,
}

/// `h:mm:ss`, perhaps with a fraction and a zone.
fn time(text: &str) -> Option<Time> {
    let clock_end = text
        .find(|c: char| !c.is_ascii_digit() && c != ':')
        .unwrap_or(text.len());
    let (clock, mut rest) = text.split_at(clock_end);
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = matches!(hour.len(), 1 | 2) && minute.len() == 2 && second.len() == 2 && parts.next().is_none();
    let mut fraction = String::new();
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        fraction = after[..end].to_owned();
        rest = &after[end..];
    }
    let rest = rest.trim_start_matches([' ', '\t']);
    let zone = match rest {
        "" => None,
        "Z" => Some(None),
        _ => {
            let negative = rest.starts_with('-');
            let rest = rest.strip_prefix(['+', '-'])?;
            let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
            let digits = |text: &str| only(text, |byte| byte.is_ascii_digit());
            let fits = matches!(hours.len(), 1 | 2) && minutes.len() == 2 && digits(hours) && digits(minutes);
            if !fits {
                return None;
            }
            Some(Some((negative, hours.parse().ok()?, minutes.parse().ok()?)))
        }
    };
    let clock = (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    fits.then_some(Time { clock, fraction, zone })
}
