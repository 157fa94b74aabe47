//! What a server has been told, message by message, as the protocol says: from this every answer can be judged.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::Value;

use super::model::{Counting, Text};

/// The open texts by their URIs.
pub type Texts = BTreeMap<String, Rc<Text>>;

/// One request and what was so when it was sent.
pub struct Asked {
    pub method: String,
    /// The document that it is about.
    pub uri: Option<String>,
    /// The place that it is about.
    pub place: Option<(usize, usize)>,
    /// What was open.
    pub texts: Rc<Texts>,
}

/// All that a server has been told.
#[derive(Default)]
pub struct Seen {
    pub counting: Counting,
    /// What comes before is not listened to.
    is_initialized: bool,
    /// The requests that must be answered, by their names.
    pub requests: BTreeMap<String, Asked>,
    /// Each text that a document had, by its URI and version.
    pub versions: BTreeMap<(String, i64), Rc<Text>>,
    /// The texts that are open.
    pub texts: Rc<Texts>,
}

impl Seen {
    /// One more message.
    pub fn take(&mut self, message: &Value) {
        let (Some(method), params) = (message["method"].as_str(), &message["params"]) else {
            return;
        };
        if let Some(id) = message["id"].as_str().filter(|id| id.starts_with("request ")) {
            let uri = params["textDocument"]["uri"].as_str().filter(|_| self.is_initialized);
            let asked = Asked {
                method: method.to_owned(),
                uri: uri.map(str::to_owned),
                place: (params["position"].is_object()).then(|| place(&params["position"])),
                texts: self.texts.clone(),
            };
            self.requests.insert(id.to_owned(), asked);
        }
        if method == "initialize" {
            self.is_initialized = true;
            let wanted = &params["capabilities"]["general"]["positionEncodings"][0];
            let wanted = Counting::ALL.into_iter().find(|it| wanted == it.name());
            self.counting = wanted.unwrap_or_default();
        }
        let document = &params["textDocument"];
        let Some(uri) = document["uri"].as_str().filter(|_| self.is_initialized) else {
            return;
        };
        let version = document["version"].as_i64().unwrap_or_default();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                let text = Rc::new(Text::from(text));
                Rc::make_mut(&mut self.texts).insert(uri.to_owned(), text);
            }
            "textDocument/didChange" => {
                // One that was never opened has no text to be changed.
                let Some(text) = Rc::make_mut(&mut self.texts).get_mut(uri) else {
                    return;
                };
                for change in params["contentChanges"].as_array().into_iter().flatten() {
                    *text = Rc::new(changed(self.counting, text, change));
                }
            }
            "textDocument/didClose" => _ = Rc::make_mut(&mut self.texts).remove(uri),
            _ => return,
        }
        if let Some(text) = self.texts.get(uri) {
            self.versions.insert((uri.to_owned(), version), text.clone());
        }
    }
}

/// A text after a change.
pub fn changed(counting: Counting, text: &Text, change: &Value) -> Text {
    let typed = change["text"].as_str().unwrap_or_default();
    let Some(range) = change.get("range") else {
        return typed.to_owned().into();
    };
    let byte = |end: &str| {
        let (line, character) = place(&range[end]);
        counting.byte(text, line, character)
    };
    let (start, end) = (byte("start"), byte("end"));
    [&text[..start], typed, &text[end.max(start)..]].concat().into()
}

fn place(position: &Value) -> (usize, usize) {
    let number = |key: &str| position[key].as_u64().map_or(usize::MAX, |number| number as usize);
    (number("line"), number("character"))
}
