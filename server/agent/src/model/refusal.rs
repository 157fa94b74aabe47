//! What an endpoint's refusal means, and the way out. Pure.

use serde_json::Value;
use skills_schema::shown::one_line;

use super::http::Refused;
use super::key::{ApiKey, hidden};

/// The most characters of an endpoint's own words.
const MAX_SAID: usize = 500;

/// A refusal as far as it could be understood.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The endpoint's own words on one line, without the key.
    pub(super) said: String,
    /// The error's code or type; may be empty.
    code: String,
}

/// Where the request went.
pub(super) struct Asked<'a> {
    pub(super) name: &'a str,
    pub(super) url: &'a str,
    pub(super) key: &'a ApiKey,
}

impl Refusal {
    /// Reads a refusal. By now the key may be forgotten, so it is taken out here.
    pub(super) fn read(refused: &Refused, key: &str) -> Self {
        let body: Value = serde_json::from_str(&refused.body).unwrap_or_default();
        let (said, code) = words(&body).unwrap_or_else(|| (refused.body.clone(), String::new()));
        let said: String = one_line(&hidden(key, said));
        Self {
            status: refused.status,
            said: said.chars().take(MAX_SAID).collect(),
            code,
        }
    }

    /// The status and the endpoint's own words.
    pub(super) fn shown(&self) -> String {
        format!("{} {}", self.status, self.said).trim_end().to_owned()
    }

    /// Whether the endpoint wants to be paid first, which no waiting changes.
    pub(super) fn is_about_money(&self) -> bool {
        const WORDS: [&str; 4] = [
            "insufficient_quota",
            "credit balance",
            "billing",
            "exceeded your current quota",
        ];
        self.status == 402 || (matches!(self.status, 400 | 403 | 429) && self.names(&WORDS))
    }

    /// Whether the endpoint does not know the model.
    pub(super) fn is_about_the_model(&self, name: &str) -> bool {
        self.status == 404
            || (self.status == 400 && self.said.contains(name) && self.names(&["model"]) && !self.is_too_long())
    }

    /// Whether the conversation is more than the model can read.
    pub(super) fn is_about_length(&self) -> bool {
        matches!(self.status, 400 | 413 | 422 | 500) && self.is_too_long()
    }

    /// What happened and what to do.
    pub(super) fn message(&self, place: &Asked<'_>) -> String {
        let Asked { name, url, key } = place;
        let message = match self.status {
            _ if self.is_about_money() => {
                format!("{url} asks for payment, or its quota is used up: check the account of the key from {key}")
            }
            300..=399 => format!(
                "{url} answers from elsewhere, where the key must not follow: set model.baseUrl to its own address"
            ),
            _ if self.is_about_length() => {
                format!("the conversation is too long for {name}: begin a new one with /clear, or read less at once")
            }
            413 => format!(
                "the request is too large for {url}: begin a new conversation with /clear, or read less at once"
            ),
            400 | 404 if self.is_about_the_model(name) => {
                format!("{url} knows no model {name}: check model.name and model.baseUrl")
            }
            400 | 422 => format!("{url} refused the request"),
            401 if key.unset().is_some() => {
                format!("{url} wants a key: set {key}, model.apiKeyEnv or model.apiKeyCommand")
            }
            401 => format!("{url} refused the key: check {key}, or set model.apiKeyEnv or model.apiKeyCommand"),
            403 => format!("the key from {key} may not use {name} at {url}: choose another model.name or another key"),
            407 => "the proxy wants a name and a password: put them into HTTPS_PROXY, or name the endpoint in NO_PROXY"
                .to_owned(),
            429 => format!("{url} has reached its rate limit for the key from {key}"),
            529 => format!("{url} is overloaded"),
            _ => format!("{url} can't answer now"),
        };
        format!("{message} ({})", self.shown())
    }

    fn is_too_long(&self) -> bool {
        const WORDS: [&str; 6] = [
            "too long",
            "too many tokens",
            "context_length",
            "context length",
            "context size",
            "context window",
        ];
        self.names(&WORDS)
    }

    fn names(&self, words: &[&str]) -> bool {
        let said = self.said.to_lowercase();
        words.iter().any(|word| said.contains(word) || self.code.contains(word))
    }
}

/// The message and the code of an error in any of the forms that servers give it: `{"error": {"message", "code",
/// "type"}}`, `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`.
pub(super) fn words(body: &Value) -> Option<(String, String)> {
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let text = |key: &str| error[key].as_str();
    let message = error.as_str().or_else(|| text("message")).or_else(|| text("detail"))?;
    let code = match &error["code"] {
        Value::Number(number) => number.to_string(),
        code => code.as_str().or_else(|| text("type")).unwrap_or_default().to_owned(),
    };
    Some((message.to_owned(), code))
}
