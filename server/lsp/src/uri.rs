//! URIs as clients write them.
//!
//! Brackets, blanks, letters outside ASCII and bars are common in the wild and refused by the strict URI type, which
//! would drop the message without a word. They are percent-encoded before dispatch, and answers use the client's
//! own spelling.

use std::collections::HashMap;

use serde_json::Value;
use tower_lsp::ls_types::Uri;

/// The spellings of URIs that had to be encoded, by what they became.
#[derive(Debug, Default)]
pub struct Spellings(HashMap<String, String>);

impl Spellings {
    /// Encodes every URI of an incoming message that the strict type would refuse.
    pub fn encode(&mut self, message: &mut Value) {
        visit(message, &mut |uri| {
            if let Some(encoded) = encoded(uri) {
                let original = std::mem::replace(uri, encoded);
                self.0.insert(uri.clone(), original);
            }
        });
    }

    /// Gives an outgoing message the client's own spelling.
    pub fn restore(&self, message: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        visit(message, &mut |uri| {
            if let Some(original) = self.0.get(uri.as_str()) {
                uri.clone_from(original);
            }
        });
    }
}

/// Calls `change` for every string under a key that names a URI.
fn visit(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if key == "uri" || key.ends_with("Uri") => change(text),
                    Value::Array(items) if key == "uris" => items.iter_mut().for_each(|item| {
                        if let Value::String(text) = item {
                            change(text);
                        }
                    }),
                    // The text of a document holds no URIs of the protocol and may be long.
                    Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
                    _ => visit(value, change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, change)),
        _ => {}
    }
}

/// The URI with everything percent-encoded that the strict type refuses; `None` where it is fine as it is.
fn encoded(uri: &str) -> Option<String> {
    if uri.is_empty() || uri.parse::<Uri>().is_ok() {
        return None;
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:?#@!$&'()*+,;=%".contains(&byte);
    let is_escape = |at: usize| {
        uri.as_bytes()
            .get(at + 1..at + 3)
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    let mut text = String::with_capacity(uri.len() + 16);
    for (at, byte) in uri.bytes().enumerate() {
        if allowed(byte) && (byte != b'%' || is_escape(at)) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text.parse::<Uri>().is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn uris_that_the_strict_type_refuses_come_back_as_the_client_wrote_them() {
        for uri in [
            "file:///tmp/[id]/page.tsx",
            "file:///tmp/a b.md",
            "file:///tmp/é/ü.md",
            "file:///tmp/a|b.md",
            "file:///tmp/100%/a.md",
            "file:///tmp/技能/SKILL.md",
        ] {
            let mut spellings = Spellings::default();
            let mut message =
                json!({"params": {"textDocument": {"uri": uri}, "arguments": [{"folderUri": uri}], "uris": [uri]}});
            let original = message.clone();
            spellings.encode(&mut message);
            let encoded = message["params"]["textDocument"]["uri"].as_str().unwrap();
            assert_ne!(encoded, uri);
            assert!(encoded.parse::<Uri>().is_ok(), "{encoded}");
            spellings.restore(&mut message);
            assert_eq!(message, original);
        }
    }

    #[test]
    fn valid_uris_and_other_strings_are_left_alone() {
        let mut spellings = Spellings::default();
        let mut message =
            json!({"uri": "file:///a%20b?x#y", "text": "file:///a b", "nested": [{"uri": "untitled:Untitled-1"}]});
        let original = message.clone();
        spellings.encode(&mut message);
        assert_eq!(message, original);
    }
}
