//! Which fields a reader takes.

use text_size::TextRange;

use super::{
    trouble::{Trouble, trouble},
    value::{Atom, Value, ValueKind},
};
use crate::reader::stages::{Fields, StructType};

/// Fields that the reader can't take at all, met while it reads them.
pub(super) fn check(wanted_fields: Fields, map: &Value) -> Result<(), Trouble> {
    let ValueKind::Map(entries) = &map.kind else {
        return Ok(());
    };
    match wanted_fields {
        Fields::Any | Fields::Only(..) => Ok(()),
        Fields::Arguments(taken) => {
            let names = entries.iter().map(|(key, _)| (key.as_text(), key.range));
            let mut broken = names.filter_map(|(name, range)| match name {
                None => Some(("keywords must be strings".to_owned(), range)),
                Some(name) if taken.contains(&name) => {
                    Some((format!("got multiple values for argument '{name}'"), range))
                }
                Some(_) => None,
            });
            broken
                .next()
                .map_or(Ok(()), |(message, range)| Err(trouble(message, Some(range))))
        }
        Fields::Struct(template, fields) | Fields::OpenStruct(template, fields) => {
            let failed = |message: String, range| trouble(template.replace("{error}", &message), Some(range));
            let mut met: Vec<&str> = Vec::new();
            let mut left = 100_000;
            for (key, value) in entries.iter() {
                let name = key.scalar().map_or("", |scalar| scalar.text.as_str());
                let Some((name, wanted)) = fields
                    .iter()
                    .find(|(field, _)| *field == name && key.scalar().is_some())
                else {
                    if matches!(wanted_fields, Fields::OpenStruct(..)) {
                        continue;
                    }
                    let all: Vec<String> = fields.iter().map(|(field, _)| format!("`{field}`")).collect();
                    let message = format!("unknown field `{name}`, expected one of {}", all.join(", "));
                    return Err(failed(message, key.range));
                };
                if met.contains(name) {
                    return Err(failed(format!("duplicate field `{name}`"), key.range));
                }
                met.push(name);
                if !fits(value, *wanted, &mut left) {
                    return Err(Trouble {
                        culprit: culprit(value, *wanted),
                        ..failed(format!("{name}: invalid type"), value.range)
                    });
                }
            }
            Ok(())
        }
    }
}

/// The entry or item of a value that is not what it must be.
fn culprit(value: &Value, wanted: StructType) -> Option<TextRange> {
    let is_bad = |it: &Value| match wanted {
        StructType::MapOfScalars => it.scalar().is_none(),
        StructType::TextOrTexts => it.as_text().is_none(),
        StructType::Json => !fits(it, wanted, &mut 10_000),
        _ => false,
    };
    let whole = |(key, value): &(Value, Value)| is_bad(value).then(|| key.range.cover(value.range));
    let found = match &value.kind {
        ValueKind::Map(entries) => entries.iter().find_map(whole),
        ValueKind::List(items) => items.iter().find(|item| is_bad(item)).map(|item| item.range),
        _ => None,
    };
    found.filter(|range| value.range.is_empty() || !range.is_empty())
}

/// Fields that the reader does not know, told together.
pub(super) fn unknown(fields: Fields, map: &Value) -> Option<Trouble> {
    let (Fields::Only(known, template), ValueKind::Map(entries)) = (fields, &map.kind) else {
        return None;
    };
    let unknown = entries.iter().filter_map(|(key, _)| {
        let name = key.scalar()?.text.as_str();
        (!known.contains(&name)).then_some((name, key.range))
    });
    let mut unknown: Vec<(&str, TextRange)> = unknown.collect();
    let range = unknown.first()?.1;
    unknown.sort_unstable_by_key(|(name, _)| *name);
    let names: Vec<&str> = unknown.iter().map(|(name, _)| *name).collect();
    Some(trouble(template.replace("{fields}", &names.join(", ")), Some(range)))
}

/// Whether serde takes the value for that type. It gives up after so many values, since aliases repeat them.
fn fits(value: &Value, wanted: StructType, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let text = |value: &Value| value.as_text().is_some() && !value.foreign;
    match (wanted, &value.kind) {
        (StructType::Any, _) => true,
        (StructType::Text, kind) => matches!(kind, ValueKind::Scalar(_)),
        (StructType::Map, kind) => matches!(kind, ValueKind::Map(_)) || value.is_null(),
        (StructType::MapOfScalars, ValueKind::Map(entries)) => entries.iter().all(|(_, it)| it.scalar().is_some()),
        (StructType::MapOfScalars, _) => value.is_null(),
        (StructType::Boolean, _) => value.scalar().is_some_and(|scalar| match &scalar.atom {
            Atom::Bool(_) | Atom::Null => true,
            Atom::Text => matches!(
                scalar.text.to_ascii_lowercase().as_str(),
                "y" | "yes" | "on" | "n" | "no" | "off"
            ),
            _ => false,
        }),
        (StructType::TextOrTexts, ValueKind::List(items)) => !value.foreign && items.iter().all(text),
        (StructType::TextOrTexts, _) => value.is_null() || text(value),
        (StructType::Json, ValueKind::Scalar(scalar)) => match &scalar.atom {
            // Longer ones are read as floating point numbers.
            Atom::Integer(digits) => {
                let is_wide = digits.parse::<u128>().is_ok() || digits.parse::<i128>().is_ok();
                is_json_integer(digits) || !is_wide
            }
            atom => *atom != Atom::Foreign,
        },
        (StructType::Json, ValueKind::List(items)) => {
            !value.foreign && items.iter().all(|item| fits(item, wanted, left))
        }
        (StructType::Json, ValueKind::Map(entries)) => {
            let fit = |(key, value): &(Value, Value)| key.scalar().is_some() && fits(value, wanted, left);
            !value.foreign && entries.iter().all(fit)
        }
        (StructType::Json, _) => false,
    }
}

fn is_json_integer(digits: &str) -> bool {
    digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok()
}
