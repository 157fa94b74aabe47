//! URIs as clients write them.
//!
//! Brackets, spaces, letters outside ASCII and bars are common in the wild and refused by the strict URI type, which
//! would drop the message without a word. They are percent-encoded before dispatch, and answers use the client's
//! own spelling.

use std::collections::HashMap;

use serde_json::Value;
use tower_lsp::ls_types::Uri;

/// How many spellings are kept at least: those that were used last.
const KEPT: usize = 16 << 10;

/// The spellings of URIs that had to be encoded, by what they became.
#[derive(Debug, Default)]
pub struct Spellings {
    recent: HashMap<String, String>,
    /// Those from before `recent` was begun; a spelling that is used again goes over.
    older: HashMap<String, String>,
}

impl Spellings {
    /// Encodes every URI of an incoming message that the strict type would refuse.
    pub fn encode(&mut self, message: &mut Value) {
        visit(message, &mut |uri| {
            if let Some(encoded) = encoded(uri) {
                let original = std::mem::replace(uri, encoded);
                self.keep(uri.clone(), original);
            }
        });
    }

    /// Gives an outgoing message the client's own spelling.
    pub fn restore(&self, message: &mut Value) {
        if self.is_empty() {
            return;
        }
        visit(message, &mut |uri| {
            let original = self.recent.get(uri.as_str()).or_else(|| self.older.get(uri.as_str()));
            if let Some(original) = original {
                uri.clone_from(original);
            }
        });
    }

    /// Whether every URI is spelled as the strict type takes it.
    pub fn is_empty(&self) -> bool {
        self.recent.is_empty() && self.older.is_empty()
    }

    fn keep(&mut self, encoded: String, original: String) {
        if self.recent.len() >= KEPT && !self.recent.contains_key(&encoded) {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(encoded, original);
    }
}

/// The URI of a file by its path from the folder of another; an empty path is that other itself. `None` where it has
/// no folder, as an unsaved document.
pub fn beside(uri: &Uri, path: &str, fragment: &str) -> Option<Uri> {
    let base = uri.as_str().split(['?', '#']).next()?;
    let mut target = base.to_owned();
    if !path.is_empty() {
        let scheme = base.find(':')? + 1;
        let authority = base[scheme..]
            .strip_prefix("//")
            .map_or(0, |rest| 2 + rest.find('/').unwrap_or(rest.len()));
        let (root, folder) = base.split_at(scheme + authority);
        let folder = folder.rfind('/').map(|end| &folder[..end])?;
        let from_root = path.starts_with('/');
        let mut parts: Vec<String> = if from_root {
            Vec::new()
        } else {
            folder.split('/').skip(1).map(str::to_owned).collect()
        };
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => _ = parts.pop(),
                part => parts.push(percent_encoded(part)),
            }
        }
        target = format!("{root}/{}", parts.join("/"));
    }
    if !fragment.is_empty() {
        target = format!("{target}#{}", percent_encoded(fragment));
    }
    target.parse().ok()
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
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
    fn spellings_that_nobody_uses_are_forgotten() {
        let mut spellings = Spellings::default();
        let message = |number: usize| json!({"uri": format!("file:///a b/{number}")});
        let used = message(0);
        for number in 0..KEPT * 3 {
            spellings.encode(&mut message(number));
            if number % 1000 == 0 {
                spellings.encode(&mut used.clone());
            }
        }
        assert!(spellings.recent.len() + spellings.older.len() <= KEPT * 2);
        let mut encoded = json!({"uri": "file:///a%20b/0"});
        spellings.restore(&mut encoded);
        assert_eq!(encoded, used);
    }

    #[test]
    fn a_path_is_resolved_from_the_folder_of_a_document() {
        let document = "file:///a/b%20c/SKILL.md";
        for (uri, path, fragment, expected) in [
            (
                document,
                "references/x y.md",
                "",
                Some("file:///a/b%20c/references/x%20y.md"),
            ),
            (
                document,
                "../d/./é.md",
                "teil 1",
                Some("file:///a/d/%C3%A9.md#teil%201"),
            ),
            (document, "../../../../up.md", "", Some("file:///up.md")),
            (document, "/etc/x.md", "", Some("file:///etc/x.md")),
            (document, "a:b#c?d.md", "", Some("file:///a/b%20c/a%3Ab%23c%3Fd.md")),
            (document, "", "L3", Some("file:///a/b%20c/SKILL.md#L3")),
            (
                "vscode-vfs://host/r/SKILL.md?q",
                "x.md",
                "",
                Some("vscode-vfs://host/r/x.md"),
            ),
            ("untitled:Untitled-1", "x.md", "", None),
        ] {
            let found = beside(&uri.parse().unwrap(), path, fragment);
            assert_eq!(found.as_ref().map(|it| it.as_str()), expected, "{path} from {uri}");
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
