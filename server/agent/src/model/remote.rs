//! A model at an endpoint over HTTP, whatever its wire.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use parking_lot::Mutex;
use reqwest::RequestBuilder;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;

use super::base_url::BaseUrl;
use super::http::{self, HttpClient};
use super::key::{ApiKey, hidden};
use super::listing::{self, ModelInfo};
use super::refusal::{Asked, Refusal};
use super::retry::{self, Body, Failure, Patience, Retry, within_limit};
use super::wire::{Concession, Target, Wire};
use super::{Effort, Model, ModelError, ModelEvent, Request};

/// How long a list of models may take.
const LISTING_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a list of models is believed.
const LISTING_AGE: Duration = Duration::from_secs(300);

/// A model at an endpoint.
pub struct Remote {
    endpoint: Arc<Endpoint>,
    patience: Patience,
}

struct Endpoint {
    wire: &'static Wire,
    http: HttpClient,
    base_url: BaseUrl,
    key: ApiKey,
    name: String,
    effort: Option<Effort>,
    /// What the endpoint did not take, with what it said, in that order.
    given_up: Mutex<Vec<(usize, String)>>,
    models: tokio::sync::Mutex<Option<(Instant, Vec<ModelInfo>)>>,
}

impl Remote {
    /// A model by its name at an endpoint. Nothing is connected, and no key asked for, before the first request.
    ///
    /// `base_url` is the part before `/v1/…`; a slash or `/v1` at its end does no harm.
    #[must_use]
    pub fn new(
        wire: &'static Wire,
        name: impl Into<String>,
        effort: Option<Effort>,
        base_url: &str,
        key: ApiKey,
    ) -> Self {
        let base_url = BaseUrl::of(base_url);
        let http = HttpClient::new(&base_url.plain);
        let mut patience = Patience::default();
        if http.is_local() {
            // A model on this machine may read a long prompt for minutes before its first word.
            patience.idle = patience.whole;
        }
        let endpoint = Endpoint {
            wire,
            http,
            base_url,
            key,
            name: name.into(),
            effort,
            given_up: Mutex::default(),
            models: tokio::sync::Mutex::default(),
        };
        Self {
            endpoint: Arc::new(endpoint),
            patience,
        }
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({}, {:?})", self.label(), self.endpoint.key)
    }
}

impl Model for Remote {
    fn label(&self) -> String {
        let Endpoint { wire, name, effort, .. } = &*self.endpoint;
        let mut label = format!("{} {name}", wire.provider);
        if let Some(effort) = effort {
            label += &format!(" ({effort})");
        }
        if !self.endpoint.is_vendor() {
            label += &format!(" at {}", self.endpoint.shown_url());
        }
        label
    }

    fn problem(&self) -> Option<String> {
        self.endpoint.key.unset().filter(|_| !self.endpoint.http.is_local())
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let endpoint = self.endpoint.clone();
        let target = Target {
            name: &endpoint.name,
            effort: endpoint.effort,
            is_vendor: endpoint.is_vendor(),
        };
        let body = Arc::new((endpoint.wire.body)(&request, &target));
        let (this, patience) = (endpoint.clone(), self.patience);
        let answer = retry::respond(patience, endpoint.wire.decoder, move || {
            endpoint.clone().connect(body.clone(), patience).boxed()
        });
        // An endpoint may repeat the key, in whatever it says.
        let redacted = answer.map(move |event| match event {
            Ok(ModelEvent::Retrying { reason }) => Ok(ModelEvent::Retrying {
                reason: this.redacted(reason),
            }),
            Err(ModelError { message, is_too_long }) => Err(ModelError {
                message: this.redacted(message),
                is_too_long,
            }),
            event => event,
        });
        redacted.boxed()
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<ModelInfo>, ModelError>> {
        let endpoint = self.endpoint.clone();
        let list = async move {
            let models = endpoint.models().await;
            models.map_err(|failure| ModelError::new(endpoint.redacted(failure.message)))
        };
        list.boxed()
    }
}

impl Endpoint {
    async fn connect(self: Arc<Self>, body: Arc<Value>, patience: Patience) -> Result<Body, Failure> {
        let body = self.without_what_was_refused(&body);
        let is_whole = body["stream"] == false;
        let limit = if is_whole { patience.whole } else { patience.idle };
        let (post, key) = self.request(reqwest::Method::POST, self.wire.path).await?;
        let post = post.header(CONTENT_TYPE, "application/json").body(body.to_string());
        let takes_whole = self.wire.takes_whole_answers;
        let sent = within_limit(limit, http::send(post, &self.shown_url(), takes_whole)).await?;
        let refused = match sent? {
            Ok(body) => return Ok(body),
            Err(refused) => refused,
        };
        if refused.status == 401 {
            self.key.forget().await;
        }
        let refusal = Refusal::read(&refused, &key);
        if let Some(failure) = self.give_up(&body, &refusal) {
            return Err(failure);
        }
        Err(self.failure(&refusal, refused.retry).await)
    }

    /// A request with the key, and the key itself. An endpoint on this machine needs none.
    async fn request(&self, method: reqwest::Method, path: &str) -> Result<(RequestBuilder, Arc<str>), Failure> {
        let mut request = self.http.get()?.request(method, self.base_url.at(path));
        for (name, value) in self.wire.headers {
            request = request.header(*name, *value);
        }
        if self.http.is_local() && self.key.unset().is_some() {
            return Ok((request, Arc::default()));
        }
        let key = self.key.get().await.map_err(|error| Failure::never(error.message))?;
        let (name, scheme) = self.wire.key_header;
        let mut header = HeaderValue::from_str(&format!("{scheme}{key}")).map_err(|_| {
            Failure::never(format!(
                "the key from {} holds characters that no key has, such as a line break",
                self.key
            ))
        })?;
        header.set_sensitive(true);
        Ok((request.header(name, header), key))
    }

    fn without_what_was_refused(&self, body: &Value) -> Value {
        let mut body = body.clone();
        for (index, said) in self.given_up.lock().iter() {
            (self.wire.concessions[*index].give_up)(&mut body, said);
        }
        body
    }

    /// Notes what a refusal is about, where the request can do without it.
    fn give_up(&self, body: &Value, refusal: &Refusal) -> Option<Failure> {
        // Overloaded servers and refused keys are about no field, whatever they say.
        if !matches!(refusal.status, 400 | 404 | 422 | 500 | 501) {
            return None;
        }
        let said = refusal.said.to_lowercase();
        let mut given_up = self.given_up.lock();
        let helps = |concession: &Concession| {
            let mut without = body.clone();
            (concession.give_up)(&mut without, &said);
            (concession.is_meant)(&said) && without != *body
        };
        let index = self.wire.concessions.iter().position(helps)?;
        // One that helped once and is refused again helps no more.
        if given_up.iter().any(|(known, _)| *known == index) {
            return None;
        }
        given_up.push((index, said));
        let (url, instead) = (self.shown_url(), self.wire.concessions[index].instead);
        Some(Failure {
            message: format!("{url} refused the request ({}); {instead}", refusal.shown()),
            retry: Retry::Differently,
        })
    }

    /// What a refusal means, and the way out.
    async fn failure(&self, refusal: &Refusal, retry: Retry) -> Failure {
        let place = Asked {
            name: &self.name,
            url: &self.shown_url(),
            key: &self.key,
        };
        let retry = match refusal {
            _ if refusal.is_about_money() => Retry::Never,
            _ if refusal.is_about_length() => Retry::Shorter,
            _ => retry,
        };
        let mut message = refusal.message(&place);
        if refusal.is_about_the_model(&self.name)
            && let Ok(models) = self.models().await
        {
            message.push_str(&listing::suggestion(&models, &self.name));
        }
        Failure { message, retry }
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, Failure> {
        let mut known = self.models.lock().await;
        if let Some((read, models)) = &*known
            && read.elapsed() < LISTING_AGE
        {
            return Ok(models.clone());
        }
        let url = self.shown_url();
        let (get, key) = self.request(reqwest::Method::GET, self.wire.models_path).await?;
        let sent = within_limit(LISTING_TIMEOUT, http::read(get, &url)).await??;
        let text = sent.map_err(|refused| {
            let said = Refusal::read(&refused, &key).shown();
            Failure::never(format!(
                "{url} does not list its models ({said}): set model.name to one that it has"
            ))
        })?;
        let models = listing::read(&text, self.wire.provider).ok_or_else(|| {
            let start: String = self.redacted(hidden(&key, text)).chars().take(80).collect();
            Failure::never(format!(
                "{url} sent something else than a list of models: {start:?}; set model.name by hand"
            ))
        })?;
        *known = Some((Instant::now(), models.clone()));
        Ok(models)
    }

    /// A message without the key and what else is secret in it.
    fn redacted(&self, message: String) -> String {
        self.base_url.redacted(self.key.redacted(message))
    }

    fn is_vendor(&self) -> bool {
        self.base_url.plain == self.wire.base_url
    }

    /// The address for messages.
    fn shown_url(&self) -> String {
        self.base_url.plain.clone()
    }
}
