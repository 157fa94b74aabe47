//! JSON Schemas of the frontmatter, written from the table of fields.

use serde_json::{Value, json};

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
        for (key, limit) in limits(field.name, dialect) {
            schema["properties"][field.name][key] = limit;
        }
    }
    let mut demands = Vec::new();
    for demand in verdict::demands(dialect) {
        demands.push(match demand.unless {
            None => json!({"properties": {demand.field: demand.schema}}),
            Some(other) => json!({
                "if": {"not": {"required": [other]}},
                "then": {"properties": {demand.field: demand.schema}},
            }),
        });
    }
    if !demands.is_empty() {
        schema["allOf"] = json!(demands);
    }
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("Frontmatter of a SKILL.md for {}", dialect.title()));
    schema["required"] = json!(required);
    if matters(dialect.policy().unknown_field) {
        schema["additionalProperties"] = json!(false);
    }
    schema
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

/// What is demanded of the text of a field beside its type, by the words of JSON Schema.
fn limits(name: &str, reader: Dialect) -> Vec<(&'static str, Value)> {
    let mut limits = Vec::new();
    let longest = reader.policy().limits_of(name).filter(|limit| matters(limit.beyond));
    // Without the other field of a pair nobody in particular has that limit.
    let longest = longest.filter(|limit| limit.with.is_none() || reader != Dialect::Unified);
    // What has too many characters has too many bytes too.
    if let Some(limit) = longest.max_by_key(|limit| limit.unit == Unit::Characters) {
        limits.push(("maxLength", json!(limit.max)));
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
        limits.push(("pattern", json!(pattern)));
    } else if name == "description" && matters(reader.policy().angle_bracket) {
        limits.push(("pattern", json!(r"^[^<>]*[^<>\s][^<>]*$")));
    } else if is_required(name, reader) {
        limits.push(("pattern", json!(r"\S")));
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
    limits.extend(not.map(|it| ("not", it)));
    limits
}

fn object(fields: &[&'static Field], reader: Dialect) -> Value {
    let mut properties = json!({});
    for field in fields {
        let mut schema = any_of(field.types, reader);
        schema["description"] = json!(field.documentation);
        if field.deprecated.is_some() {
            schema["deprecated"] = json!(true);
        }
        if let Some(default) = field.default_in(reader) {
            schema["default"] = default.parse::<bool>().map_or_else(|_| json!(default), Value::Bool);
        }
        for spelling in field.spellings().filter(|it| field.is_spelt(it, reader)) {
            properties[spelling] = schema.clone();
        }
        properties[field.name] = schema;
    }
    json!({"type": "object", "properties": properties})
}

/// Any of some types, or nothing: a field without a value is as good as none.
fn any_of(types: &'static [Type], reader: Dialect) -> Value {
    if types.iter().any(|it| matches!(it, Type::Any)) {
        return json!({});
    }
    let mut schemas: Vec<Value> = types.iter().map(|it| one(it, reader)).collect();
    schemas.push(json!({"type": "null"}));
    let is_simple = |schema: &Value| {
        schema
            .as_object()
            .is_some_and(|all| all.keys().all(|key| key == "type"))
    };
    let (simple, mut schemas): (Vec<Value>, Vec<Value>) = schemas.into_iter().partition(is_simple);
    let mut names: Vec<Value> = Vec::new();
    for schema in simple {
        match &schema["type"] {
            Value::Array(several) => names.extend(several.iter().cloned()),
            one => names.push(one.clone()),
        }
    }
    names.dedup();
    let simple = json!({"type": names});
    if schemas.is_empty() {
        return simple;
    }
    schemas.push(simple);
    json!({"anyOf": schemas})
}

fn one(it: &'static Type, reader: Dialect) -> Value {
    match it {
        Type::Text if matters(reader.policy().scalar_for_text) => json!({"type": "string"}),
        Type::Text => json!({"type": ["string", "number", "boolean"]}),
        Type::Boolean => {
            // Also the words that YAML 1.1 takes for one.
            let words = json!({"type": "string", "pattern": "^(true|false|yes|no|on|off)$"});
            json!({"anyOf": [{"type": "boolean"}, words]})
        }
        Type::Integer => json!({"type": "integer"}),
        Type::Null => json!({"type": "null"}),
        Type::BracketedText => json!({"type": "array"}),
        Type::Any => json!({}),
        Type::Choice(choices) => {
            let words: Vec<&str> = choices.iter().map(|choice| choice.value).collect();
            json!({"enum": words})
        }
        Type::List(items) => json!({"type": "array", "items": any_of(items, reader)}),
        Type::Mapping(fields, others) => {
            let mut schema = object(&fields.iter().collect::<Vec<_>>(), reader);
            if let Others::Hold(types) = others {
                schema["additionalProperties"] = any_of(types, reader);
            }
            schema
        }
    }
}
