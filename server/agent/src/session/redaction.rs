//! Takes secrets out of what is written down.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";

/// What a secret looks like: the part `keep` stays, what follows it goes.
#[allow(clippy::expect_used, reason = "a constant that a test compiles")]
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----)",
        r"|\b(?:sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abpr]-)[A-Za-z0-9_-]{12,}",
        r"|\bAKIA[A-Z0-9]{16}\b",
        r"|(?i)(?P<keep>\bbearer +|\b[a-z0-9_]*(?:password|passwd|api_?key|secret|access_token|auth_token)[\x22']?\s*[=:]\s*[\x22']?)[^\s\x22'&;,]{6,}",
    ))
    .expect("the pattern is right")
});

/// Keys whose values a wire must get back unchanged, or that are no text of anybody.
const UNTOUCHED: &[&str] = &["signature", "data", "item", "sha256", "id", "type"];

/// The text without what looks like a key, a token or a password.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    SECRET.replace_all(text, |found: &regex::Captures<'_>| {
        let kept = found.name("keep").map_or("", |kept| kept.as_str());
        format!("{kept}{REDACTED}")
    })
}

/// The same for every text in a value.
pub(super) fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = redact(text) {
                *text = redacted;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_value),
        Value::Object(members) => {
            let touched = members.iter_mut().filter(|(key, _)| !UNTOUCHED.contains(&key.as_str()));
            touched.for_each(|(_, value)| redact_value(value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_taken_out_and_prose_stays() {
        for (text, expected) in [
            ("use sk-ant-api03-abcdefghijkl now", "use [redacted] now"),
            ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer [redacted]"),
            ("DB_PASSWORD=hunter2hunter2 x", "DB_PASSWORD=[redacted] x"),
            ("\"api_key\": \"abcdefgh\"", "\"api_key\": \"[redacted]\""),
            ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----\n",
                "[redacted]\n",
            ),
            ("the secret of good tests", "the secret of good tests"),
            ("password: short", "password: short"),
            ("a bearer of news", "a bearer of news"),
        ] {
            assert_eq!(redact(text), expected, "{text}");
        }
        let mut value = serde_json::json!({"signature": "sk-abcdefghijklmnop", "text": ["sk-abcdefghijklmnop"]});
        redact_value(&mut value);
        assert_eq!(
            value,
            serde_json::json!({"signature": "sk-abcdefghijklmnop", "text": ["[redacted]"]})
        );
    }
}
