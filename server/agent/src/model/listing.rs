//! The models that an endpoint has.

use crate::difference;
use serde::Serialize;
use serde_json::Value;

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelInfo {
    /// What `model.name` calls it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whose it is, as `model.provider` names it.
    pub provider: String,
    /// How many tokens it can read, where the endpoint says so.
    pub context_window: Option<u64>,
}

/// What different servers call the number of tokens that a model can read.
const CONTEXT_WINDOW: [&str; 5] = [
    "max_input_tokens",
    "max_model_len",
    "context_length",
    "max_context_length",
    "context_window",
];

/// How many names are suggested.
const SUGGESTIONS: usize = 5;

/// Reads `{"data": [{"id": …}, …]}`, which all wires answer with; `None` for anything else.
pub(super) fn read(text: &str, provider: &str) -> Option<Vec<ModelInfo>> {
    let list: Value = serde_json::from_str(text).ok()?;
    let model = |entry: &Value| {
        let id = entry["id"].as_str()?;
        Some(ModelInfo {
            id: id.to_owned(),
            name: entry["display_name"].as_str().unwrap_or(id).to_owned(),
            provider: provider.to_owned(),
            context_window: CONTEXT_WINDOW.iter().find_map(|key| entry[key].as_u64()),
        })
    };
    Some(list["data"].as_array()?.iter().filter_map(model).collect())
}

/// What to ask for instead of a model that is not there.
pub(super) fn suggestion(models: &[ModelInfo], name: &str) -> String {
    let mut names: Vec<_> = models.iter().map(|model| model.id.as_str()).collect();
    let count = names.len();
    let likeness = |id: &str| difference::likeness(name, id);
    names.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)).then(one.cmp(other)));
    names.truncate(SUGGESTIONS);
    match (names.as_slice(), count) {
        ([], _) => "; it has none".to_owned(),
        (names, count) if count <= SUGGESTIONS => format!("; it has {}", names.join(", ")),
        (names, _) => format!("; the nearest of its {count} are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_servers_list_is_read() {
        let cases = [
            (
                r#"{"data":[{"id":"a","display_name":"A","max_input_tokens":9}],"has_more":false}"#,
                Some("a A 9"),
            ),
            (
                r#"{"object":"list","data":[{"id":"a","max_model_len":9}]}"#,
                Some("a a 9"),
            ),
            (r#"{"data":[{"id":"a"},{"name":"no id"},7]}"#, Some("a a 0")),
            (r#"{"data":[]}"#, Some("")),
            (r#"{"models":[]}"#, None),
            ("<html>", None),
        ];
        for (text, expected) in cases {
            let shown = |model: &ModelInfo| {
                format!(
                    "{} {} {}",
                    model.id,
                    model.name,
                    model.context_window.unwrap_or_default()
                )
            };
            let read = read(text, "openai").map(|models| models.iter().map(shown).collect::<Vec<_>>().join(", "));
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_nearest_names_come_first() {
        let models = |names: &[&str]| -> Vec<ModelInfo> {
            let list =
                serde_json::json!({"data": names.iter().map(|id| serde_json::json!({"id": id})).collect::<Vec<_>>()});
            read(&list.to_string(), "openai").unwrap()
        };
        assert_eq!(suggestion(&models(&["b", "gpt-5"]), "gpt5"), "; it has gpt-5, b");
        assert_eq!(suggestion(&[], "x"), "; it has none");
        let many = models(&["o1", "o3", "llama3", "llama3.1", "llama3.2", "qwen3", "gpt-5"]);
        let told = suggestion(&many, "lama3");
        assert!(told.starts_with("; the nearest of its 7 are llama3, llama3."), "{told}");
    }
}
