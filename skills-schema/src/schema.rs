//! JSON Schemas of the frontmatter, written from the table of fields.

use serde_json::{Map, Value, json};

use crate::{
    dialect::{Alphabet, Dialect, Outcome, Unit},
    fields::{FIELDS, Field, Others, Type},
    verdict,
};

/// The schema of one dialect's frontmatter (JSON Schema, draft 2020-12); that of our own reading takes what any system
/// reads.
///
/// It refuses what the rules call a warning or worse, and values for which the reader refuses the file, as far as JSON
/// Schema can say it: not folders, bytes or keys that stand twice.
pub fn json_schema(dialect: Dialect) -> Value {
    let fields: Vec<_> = FIELDS.iter().filter(|field| field.is_read_by(dialect)).collect();
    let required: Vec<_> = fields
        .iter()
        .map(|field| field.name)
        .filter(|name| is_required(name, dialect))
        .collect();
    let mut schema = object(&fields, dialect);
    // At its top, where the limits of names and descriptions hold.
    for field in fields {
        let property = schema.get_mut("properties").and_then(|all| all.get_mut(field.name));
        if let Some(Value::Object(property)) = property {
            property.extend(limits(field.name, dialect));
        }
    }
    for demand in verdict::demands(dialect) {
        let rule = match demand.unless {
            None => json!({"properties": {demand.field: demand.schema}}),
            Some(other) => json!({
                "if": {"not": {"required": [other]}},
                "then": {"properties": {demand.field: demand.schema}},
            }),
        };
        if let Value::Array(all) = schema.entry("allOf").or_insert_with(|| json!([])) {
            all.push(rule);
        }
    }
    let draft = "https://json-schema.org/draft/2020-12/schema";
    schema.insert("$schema".to_owned(), json!(draft));
    schema.insert(
        "title".to_owned(),
        json!(format!("Frontmatter of a SKILL.md for {}", dialect.title())),
    );
    schema.insert("required".to_owned(), json!(required));
    if matters(dialect.policy().unknown_field) {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(schema)
}

/// Whether a reader loads the file otherwise than its text says, or not at all.
fn matters(outcome: Outcome) -> bool {
    outcome >= Outcome::Recovers
}

fn is_required(name: &str, reader: Dialect) -> bool {
    match name {
        "name" => matters(reader.policy().no_name),
        "description" => matters(reader.policy().no_description),
        _ => false,
    }
}

/// What is demanded of the text of a field beside its type.
fn limits(name: &str, reader: Dialect) -> Map<String, Value> {
    let mut limits = Map::new();
    let longest = reader.policy().limits_of(name).filter(|limit| matters(limit.beyond));
    // Without the other field of a pair nobody in particular has that limit.
    let longest = longest.filter(|limit| limit.with.is_none() || reader != Dialect::Unified);
    // What has too many characters has too many bytes too.
    if let Some(limit) = longest.max_by_key(|limit| limit.unit == Unit::Characters) {
        limits.insert("maxLength".to_owned(), json!(limit.max));
    }
    if name == "name" && matters(reader.policy().name_format) {
        let words = |character: &str| format!("^{character}+(-{character}+)*$");
        let pattern = match reader.policy().alphabet {
            Alphabet::Any => words("."),
            Alphabet::Ascii => words("[a-z0-9]"),
            Alphabet::AnyCase => words("[A-Za-z0-9]"),
            Alphabet::Unicode => words(r"[\p{Ll}\p{Lm}\p{Lo}\p{N}]"),
            Alphabet::Label => "^[A-Za-z0-9][A-Za-z0-9_.: -]*$".to_owned(),
        };
        limits.insert("pattern".to_owned(), json!(pattern));
    } else if name == "description" && matters(reader.policy().angle_bracket) {
        limits.insert("pattern".to_owned(), json!(r"^[^<>]*[^<>\s][^<>]*$"));
    } else if is_required(name, reader) {
        limits.insert("pattern".to_owned(), json!(r"\S"));
    }
    let mut forbidden = Vec::new();
    if is_required(name, reader) {
        forbidden.push(json!({"type": "null"}));
    }
    let words = reader.policy().reserved_words;
    if name == "name" && !words.is_empty() {
        forbidden.push(json!({"type": "string", "pattern": words.join("|")}));
    }
    let not = match forbidden.len() {
        0 | 1 => forbidden.pop(),
        _ => Some(json!({"anyOf": forbidden})),
    };
    limits.extend(not.map(|it| ("not".to_owned(), it)));
    limits
}

fn object(fields: &[&'static Field], reader: Dialect) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = any_of(field.types, reader);
        schema.insert("description".to_owned(), json!(field.documentation));
        if field.deprecated.is_some() {
            schema.insert("deprecated".to_owned(), json!(true));
        }
        if let Some(default) = field.default_in(reader) {
            let value = default.parse::<bool>().map_or_else(|_| json!(default), Value::Bool);
            schema.insert("default".to_owned(), value);
        }
        properties.insert(field.name.to_owned(), Value::Object(schema.clone()));
        for spelling in field.spellings().filter(|it| field.is_spelt(it, reader)) {
            properties.insert(spelling.to_owned(), Value::Object(schema.clone()));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

/// Any of some types, or nothing: a field without a value is as good as none.
fn any_of(types: &'static [Type], reader: Dialect) -> Map<String, Value> {
    if types.iter().any(|it| matches!(it, Type::Any)) {
        return Map::new();
    }
    let mut schemas: Vec<_> = types.iter().map(|it| one(it, reader)).collect();
    schemas.push(typed(json!("null")));
    let simple = |schema: &Map<String, Value>| schema.keys().all(|key| key == "type");
    let (simple, mut schemas): (Vec<_>, Vec<_>) = schemas.into_iter().partition(simple);
    let mut names: Vec<Value> = Vec::new();
    for name in simple.iter().filter_map(|schema| schema.get("type")) {
        match name {
            Value::Array(several) => names.extend(several.iter().cloned()),
            one => names.push(one.clone()),
        }
    }
    names.dedup();
    let simple = typed(json!(names));
    if schemas.is_empty() {
        return simple;
    }
    schemas.push(simple);
    Map::from_iter([("anyOf".to_owned(), json!(schemas))])
}

/// Also the words that YAML 1.1 takes for one.
fn boolean() -> Map<String, Value> {
    let words = json!({"type": "string", "pattern": "^(true|false|yes|no|on|off)$"});
    Map::from_iter([("anyOf".to_owned(), json!([{"type": "boolean"}, words]))])
}

fn typed(name: Value) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), name)])
}

fn one(it: &'static Type, reader: Dialect) -> Map<String, Value> {
    match it {
        Type::Text if matters(reader.policy().scalar_for_text) => typed(json!("string")),
        Type::Text => typed(json!(["string", "number", "boolean"])),
        Type::Boolean => boolean(),
        Type::Integer => typed(json!("integer")),
        Type::Null => typed(json!("null")),
        Type::BracketedText => typed(json!("array")),
        Type::Any => Map::new(),
        Type::Choice(choices) => {
            let words: Vec<&str> = choices.iter().map(|choice| choice.value).collect();
            Map::from_iter([("enum".to_owned(), json!(words))])
        }
        Type::List(items) => {
            let mut schema = typed(json!("array"));
            schema.insert("items".to_owned(), Value::Object(any_of(items, reader)));
            schema
        }
        Type::Mapping(fields, others) => {
            let mut schema = object(&fields.iter().collect::<Vec<_>>(), reader);
            if let Others::Hold(types) = others {
                schema.insert("additionalProperties".to_owned(), Value::Object(any_of(types, reader)));
            }
            schema
        }
    }
}
