//! JSON Schemas of the frontmatter, written from the table of fields.

use serde_json::{Map, Value, json};

use crate::{
    dialect::{Dialect, Outcome},
    fields::{FIELDS, Field, Others, Type},
};

/// The schema of one dialect's frontmatter (JSON Schema, draft 2020-12).
///
/// It says what JSON Schema can say: not folders, bytes or keys that stand twice.
pub fn json_schema(dialect: Dialect) -> Value {
    let policy = dialect.policy();
    let read = || FIELDS.iter().filter(move |field| field.is_read_by(dialect));
    let is_required = |field: &&Field| match dialect {
        Dialect::Unified => field.name == "description",
        _ => field
            .readers
            .iter()
            .any(|reader| reader.dialect == dialect && reader.required),
    };
    let mut schema = object(&read().collect::<Vec<_>>(), dialect);
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert(
        "title".to_owned(),
        json!(format!("Frontmatter of a SKILL.md for {}", policy.title)),
    );
    schema.insert(
        "required".to_owned(),
        json!(read().filter(is_required).map(|field| field.name).collect::<Vec<_>>()),
    );
    if policy.unknown_field == Outcome::Drops {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(schema)
}

fn object(fields: &[&'static Field], dialect: Dialect) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = any_of(field.types, dialect);
        schema.insert("description".to_owned(), json!(field.documentation));
        if let Some(max) = field
            .max_length
            .filter(|_| schema.get("type") == Some(&json!("string")))
        {
            schema.insert("maxLength".to_owned(), json!(max));
        }
        properties.insert(field.name.to_owned(), Value::Object(schema.clone()));
        // Only OpenHands reads the other spellings.
        if matches!(dialect, Dialect::OpenHands | Dialect::Unified) {
            for spelling in field.spellings {
                properties.insert((*spelling).to_owned(), Value::Object(schema.clone()));
            }
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

fn any_of(types: &'static [Type], dialect: Dialect) -> Map<String, Value> {
    let mut schemas: Vec<Map<String, Value>> = types.iter().map(|it| one(it, dialect)).collect();
    match schemas.pop() {
        Some(only) if schemas.is_empty() => only,
        Some(last) => {
            schemas.push(last);
            Map::from_iter([("anyOf".to_owned(), json!(schemas))])
        }
        None => Map::new(),
    }
}

fn one(it: &'static Type, dialect: Dialect) -> Map<String, Value> {
    let typed = |name: &str| Map::from_iter([("type".to_owned(), json!(name))]);
    match it {
        Type::Text => typed("string"),
        Type::Boolean => typed("boolean"),
        Type::Integer => typed("integer"),
        Type::Null => typed("null"),
        Type::BracketedText => typed("array"),
        Type::Any => Map::new(),
        Type::Choice(choices) => {
            let words: Vec<&str> = choices.iter().map(|choice| choice.value).collect();
            Map::from_iter([("enum".to_owned(), json!(words))])
        }
        Type::List(items) => {
            let mut schema = typed("array");
            schema.insert("items".to_owned(), Value::Object(any_of(items, dialect)));
            schema
        }
        Type::Mapping(fields, others) => {
            let mut schema = object(&fields.iter().collect::<Vec<_>>(), dialect);
            if let Others::Hold(types) = others {
                schema.insert("additionalProperties".to_owned(), Value::Object(any_of(types, dialect)));
            }
            schema
        }
    }
}
