//! Arguments as models send them.

use serde::de::DeserializeOwned;
use serde_json::Value;
use skills_schema::shown::shortened;

use crate::changes::excerpt::clip;
use crate::model::ToolSpec;
use crate::tools::ToolError;

/// The typed arguments, or what is wrong with them and what is expected.
pub(super) fn parse<T: DeserializeOwned>(spec: &ToolSpec, input: Value) -> Result<T, ToolError> {
    T::deserialize(input).map_err(|error| {
        // The message may repeat a whole text.
        let error = error.to_string();
        ToolError::Respond(format!(
            "invalid arguments for {}: {}; {}",
            spec.name,
            clip(&error),
            expected(spec)
        ))
    })
}

/// Which fields a tool takes, for a model that sent something else; `?` marks those that may be left out.
pub fn expected(spec: &ToolSpec) -> String {
    let required = spec.input_schema["required"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let fields = spec.input_schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let optional = if required.iter().any(|required| required == name) {
                ""
            } else {
                "?"
            };
            format!("{name}{optional}: {}", kind(schema))
        });
    format!("expected {{{}}}", fields.collect::<Vec<_>>().join(", "))
}

fn kind(schema: &Value) -> String {
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        Value::String(kind) if kind == "array" => format!("[{}]", kind_of_items(schema)),
        Value::String(kind) => kind.clone(),
        _ => "any".to_owned(),
    }
}

fn kind_of_items(schema: &Value) -> String {
    kind(&schema["items"])
}

/// A text argument on one line for the person, cut.
pub(super) fn shown(input: &Value, field: &str) -> String {
    let text = input[field].as_str().unwrap_or("?").replace(['\n', '\r'], " ");
    shortened(&text, 80).into_owned()
}
