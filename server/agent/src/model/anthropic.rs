//! Anthropic Messages, streamed. Servers that speak the same wire work by their base URL.

mod body;
mod decoder;

use std::fmt;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderValue};

use body::body;
pub(super) use decoder::Decoder;

use super::http::{self, HttpClient};
use super::key::{ApiKey, hidden};
use super::retry::{self, Body, Failure, Patience};
use super::{Model, ModelError, ModelEvent, Request};

/// The vendor's own endpoint.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// The model that is asked where none is configured.
pub const DEFAULT_NAME: &str = "claude-sonnet-4-5";

/// The version of the wire.
const VERSION: &str = "2023-06-01";

/// An endpoint that speaks Anthropic Messages.
pub struct Anthropic {
    endpoint: Arc<Endpoint>,
    patience: Patience,
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Anthropic({}, {:?})", self.label(), self.endpoint.key)
    }
}

struct Endpoint {
    http: HttpClient,
    name: String,
    base_url: String,
    key: ApiKey,
}

impl Anthropic {
    /// A model by its name at an endpoint. Nothing is connected, and no key asked for, before the first request.
    ///
    /// `base_url` is the part before `/v1/messages`; a slash or `/v1` at its end does no harm.
    #[must_use]
    pub fn new(name: impl Into<String>, base_url: &str, key: ApiKey, patience: Patience) -> Self {
        let base_url = base_url.trim().trim_end_matches('/');
        let base_url = base_url.strip_suffix("/v1").unwrap_or(base_url).to_owned();
        let endpoint = Endpoint {
            http: HttpClient::new(&base_url),
            name: name.into(),
            base_url,
            key,
        };
        Self {
            endpoint: Arc::new(endpoint),
            patience,
        }
    }
}

impl Model for Anthropic {
    fn label(&self) -> String {
        let label = format!("anthropic {}", self.endpoint.name);
        let url = self.endpoint.shown_url();
        if url == DEFAULT_BASE_URL {
            label
        } else {
            format!("{label} at {url}")
        }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let endpoint = self.endpoint.clone();
        let body: Arc<str> = body(&request, &endpoint.name).to_string().into();
        let this = endpoint.clone();
        // An endpoint may repeat the key, in whatever it says.
        let answer =
            retry::respond::<_, Decoder>(self.patience, move || endpoint.clone().connect(body.clone()).boxed());
        let redacted = answer.map(move |event| match event {
            Ok(ModelEvent::Retrying { reason }) => Ok(ModelEvent::Retrying {
                reason: this.key.redacted(reason),
            }),
            Err(ModelError { message }) => Err(ModelError {
                message: this.key.redacted(message),
            }),
            event => event,
        });
        redacted.boxed()
    }
}

impl Endpoint {
    async fn connect(self: Arc<Self>, body: Arc<str>) -> Result<Body, Failure> {
        let key = self.key.get().await.map_err(|error| Failure::never(error.message))?;
        let mut header = HeaderValue::from_str(&key).map_err(|_| {
            Failure::never(format!(
                "the key from {} holds characters that no key has, such as a line break",
                self.key
            ))
        })?;
        header.set_sensitive(true);
        let request = self
            .http
            .get()?
            .post(format!("{}/v1/messages", self.base_url))
            .header("x-api-key", header)
            .header("anthropic-version", VERSION)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        let refused = match http::send(request).await? {
            Ok(body) => return Ok(body),
            Err(refused) => refused,
        };
        if refused.status == 401 {
            self.key.forget().await;
        }
        Err(self.failure(refused, &key))
    }

    /// The address without a user's name and password, for messages.
    fn shown_url(&self) -> String {
        let Some((scheme, rest)) = self.base_url.split_once("://") else {
            return self.base_url.clone();
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        format!("{scheme}://{host}{path}")
    }

    /// What a refusal means, and the way out.
    fn failure(&self, refused: http::Refused, key: &str) -> Failure {
        #[derive(serde::Deserialize)]
        struct ErrorBody {
            error: decoder::WireError,
        }
        let said = serde_json::from_str(&refused.body)
            .map_or_else(|_| refused.body.clone(), |body: ErrorBody| body.error.message);
        // By now the key may be forgotten, so it is taken out here.
        let said: String = hidden(key, said).split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = said.chars().take(500).collect();
        let too_long = ["too long", "context", "too many tokens"]
            .iter()
            .any(|words| said.contains(words));
        let (name, url, key) = (&self.name, self.shown_url(), &self.key);
        let message = match refused.status {
            300..=399 => format!(
                "{url} answers from elsewhere, where the key must not follow: set model.baseUrl to its own address"
            ),
            400 if too_long => {
                format!("the conversation is too long for {name}: begin a new one with /clear, or read less at once")
            }
            413 => format!(
                "the request is too large for {url}: begin a new conversation with /clear, or read less at once"
            ),
            400 | 422 => format!("{url} refused the request"),
            401 => format!("{url} refused the key: check {key}, or set model.apiKeyEnv or model.apiKeyCommand"),
            402 => format!("{url} asks for payment: check the account of the key from {key}"),
            403 => format!("the key from {key} may not use {name} at {url}: choose another model.name or another key"),
            404 => format!("{url} knows no model {name}: check model.name and model.baseUrl"),
            429 => format!("{url} has reached its rate limit for the key from {key}"),
            529 => format!("{url} is overloaded"),
            _ => format!("{url} can't answer now"),
        };
        Failure {
            message: format!("{message} ({} {said})", refused.status).replace(" )", ")"),
            retry: refused.retry,
        }
    }
}
