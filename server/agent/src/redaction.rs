//! Takes secrets out of what is written down.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What stands in a secret's place.
pub(crate) const REDACTED: &str = "[redacted]";

/// What a secret looks like: the parts `keep`, `user` and `at` stay, the rest goes. Each begins with a word of
/// its own, by which most texts are passed over quickly.
pub(crate) const SECRETS: &str = concat!(
    r"(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----)",
    // Cut off, as in the last lines of an output.
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s+[A-Za-z0-9+/=]{16,})+",
    r"|(?-u:\b)(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|xapp-)[A-Za-z0-9_-]{12,}",
    r"|(?-u:\b)(?:npm_|hf_)[A-Za-z0-9]{30,}",
    r"|(?-u:\b)AIza[A-Za-z0-9_-]{35}",
    r"|(?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)",
    r"|(?-u:\b)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    r"|(?P<user>://[^\s/:@\x22']{0,64}:)[^\s/@\x22']{3,}(?P<at>@)",
    r"|(?P<keep>(?-u:\b)(?i:bearer) +|(?:(?i:password|passwd|api[_-]?key|secret(?:[_-]access[_-]key)?|access_token|auth_token|private_key)|_TOKEN|_PASS)[\x22']?\s*[=:]\s*[\x22']?)",
    r"[^\s\x22'&;,]{6,}",
);

#[allow(clippy::expect_used, reason = "a constant that a test compiles")]
static SECRET: LazyLock<Regex> = LazyLock::new(|| Regex::new(SECRETS).expect("the pattern is right"));

/// Keys whose values a wire must get back unchanged, or that are no text of anybody.
const UNTOUCHED: &[&str] = &["signature", "data", "item", "sha256", "id", "type"];

/// The text without what looks like a key, a token or a password.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    SECRET.replace_all(text, |found: &regex::Captures<'_>| {
        let part = |name| found.name(name).map_or("", |part| part.as_str());
        format!("{}{}{REDACTED}{}", part("keep"), part("user"), part("at"))
    })
}

/// The same for every text in a value.
pub(crate) fn redact_value(value: &mut Value) {
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
            ("API_KEY=0123456789", "API_KEY=[redacted]"),
            ("password: \"hunter2hunter2\"", "password: \"[redacted]\""),
            ("NPM_TOKEN=abcdefgh", "NPM_TOKEN=[redacted]"),
            (
                "aws_secret_access_key = abcd/efgh",
                "aws_secret_access_key = [redacted]",
            ),
            ("x-api-key: abcdefgh", "x-api-key: [redacted]"),
            (
                "git clone https://me:hunter2@host/x",
                "git clone https://me:[redacted]@host/x",
            ),
            (
                "see http://localhost:8080/some/page",
                "see http://localhost:8080/some/page",
            ),
            ("npm_config_registry_url=x", "npm_config_registry_url=x"),
            (
                "let next_token = parser.advance();",
                "let next_token = parser.advance();",
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuv\nabcdefghijklmnopqrstuv",
                "[redacted]",
            ),
            ("a task-list", "a task-list"),
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
