//! Keys and passwords that a command prints.

use std::sync::LazyLock;

use regex::Regex;

/// The shapes that thndrs 0.1 takes out, with what announces them.
static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(\bBearer\s+|\b(?:password|passwd|api_?key|secret|access_token|auth_token)\s*[=:]\s*["']?)[^\s"',;]{6,}|\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})"#,
    )
    .ok()
});

/// The text with `[redacted]` in place of what looks like a secret.
pub(crate) fn redacted(text: &str) -> String {
    match &*SECRETS {
        Some(secrets) => secrets.replace_all(text, "${1}[redacted]").into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_taken_out() {
        for (text, expected) in [
            ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"),
            ("API_KEY=0123456789", "API_KEY=[redacted]"),
            ("password: \"hunter2hunter2\"", "password: \"[redacted]\""),
            ("key sk-abcdefghijklmnopqrstuv end", "key [redacted] end"),
            ("the secret of success", "the secret of success"),
            ("a task-list", "a task-list"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }
}
