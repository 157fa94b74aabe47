//! What the readers demand of their fields, as far as JSON Schema can say it.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use text_size::TextRange;

use super::{
    check,
    scalars::Schema,
    value::{Atom, Value, ValueKind},
};
use crate::reader::{
    Dialect, Stages,
    stages::{FieldRule, Fields, StructType, Test, Yaml},
};

/// One demand on the value of a field.
#[derive(Debug)]
pub(crate) struct Demand {
    pub(crate) field: &'static str,
    /// It is only made of a file without this other field.
    pub(crate) unless: Option<&'static str>,
    pub(crate) schema: Json,
}

/// What a system demands of values beside what their fields hold; nothing where its behaviour is not known, or where it
/// takes all of YAML for text.
pub(crate) fn demands(dialect: Dialect) -> Vec<Demand> {
    let stages = dialect.reader().stages.as_ref();
    let Some(reader) = stages.filter(|stages| has_types(stages)) else {
        return Vec::new();
    };
    let types = match reader.fields {
        Fields::Struct(_, types) | Fields::OpenStruct(_, types) => types,
        Fields::Any | Fields::Only(..) | Fields::Arguments(_) => &[],
    };
    let listed = types.iter().filter(|(_, wanted)| *wanted == StructType::TextOrTexts);
    let listed = listed.map(|(field, _)| Demand {
        field,
        unless: None,
        schema: json!({"type": ["string", "array", "null"], "items": {"type": "string"}}),
    });
    let demands = reader.rules.iter().filter(|rule| !rule.warns).flat_map(of_rule);
    listed.chain(demands).collect()
}

fn has_types(reader: &Stages) -> bool {
    match reader.yaml {
        Yaml::Library(it) | Yaml::Recovering(it) | Yaml::Repairing(it, _) => it.reading().schema != Schema::Text,
        Yaml::Lines(_) | Yaml::LibraryOrLines(..) => false,
    }
}

fn of_rule(rule: &'static FieldRule) -> impl Iterator<Item = Demand> {
    let mut all: Vec<Json> = rule.tests.iter().filter_map(|(test, ..)| of_test(*test)).collect();
    if rule.nullable && !all.is_empty() {
        all = vec![json!({"anyOf": [{"type": "null"}, {"allOf": all}]})];
    }
    if rule.fields.iter().any(|field| refuses_null(rule, field)) {
        all.push(json!({"not": {"type": "null"}}));
    }
    let demand = move |(field, schema): (&&'static str, Json)| Demand {
        field,
        unless: rule.unless,
        schema,
    };
    rule.fields
        .iter()
        .flat_map(move |field| all.clone().into_iter().map(move |schema| (field, schema)))
        .map(demand)
}

fn of_test(test: Test) -> Option<Json> {
    let items = |item: Json| json!({"items": item});
    Some(match test {
        Test::Text | Test::TextOrBytes | Test::Filled => json!({"type": "string"}),
        Test::List => json!({"type": "array"}),
        Test::Items => json!({"type": "array", "minItems": 1}),
        Test::TextOrList => json!({"type": ["string", "array"]}),
        Test::Map => json!({"type": "object"}),
        Test::Texts => items(json!({"type": "string"})),
        Test::NoNullItems => items(json!({"not": {"type": "null"}})),
        Test::MapsWith(keys) => {
            let text = |key: &&str| ((*key).to_owned(), json!({"type": "string"}));
            let properties: serde_json::Map<String, Json> = keys.iter().map(text).collect();
            items(json!({"type": "object", "required": keys, "properties": properties}))
        }
        Test::RelativePaths => {
            let absolute = json!({"pattern": r"^\s*/"});
            let upwards = json!({"pattern": r"(^\s*|/)\.\.(/|\s*$)"});
            let nowhere = json!({"pattern": r"^\s*(\.?/)*\.?\s*$"});
            items(json!({"not": {"anyOf": [absolute, upwards, nowhere]}}))
        }
        Test::Boolean => json!({"type": "boolean"}),
        Test::Kebab => json!({"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}),
        Test::AsciiKebab => json!({"pattern": "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$"}),
        Test::AsciiLabel => json!({"pattern": "^[A-Za-z0-9][A-Za-z0-9_.: -]*$"}),
        _ => return None,
    })
}

/// Whether a reader refuses a field that is there without a value.
fn refuses_null(rule: &FieldRule, field: &str) -> bool {
    let nowhere = TextRange::default();
    let scalar = |text, atom| Value::of_scalar(nowhere, text, atom);
    let entry = (scalar(field, Atom::Text), scalar("", Atom::Null));
    let map = Value::new(nowhere, ValueKind::Map(Rc::new(vec![entry])));
    !check::failures(rule, &map, None).is_empty()
}
