//! What all endpoints over HTTP share: the client, and what an answer's head says.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use futures_util::stream;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use super::retry::{Body, Failure, Retry};
use crate::network::client_builder;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of a refusal that are read.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

/// The most bytes of a list of models.
const MAX_LIST_BYTES: usize = 4 << 20;

/// A client that is built on first use, because that takes 3 to 18 ms. It honours `HTTPS_PROXY` and its kin.
#[derive(Debug)]
pub(super) struct HttpClient {
    client: OnceLock<reqwest::Client>,
    is_local: bool,
}

impl HttpClient {
    /// A client for one endpoint; one on this machine is reached without a proxy.
    pub(super) fn new(base_url: &str) -> Self {
        Self {
            client: OnceLock::new(),
            is_local: is_local(base_url),
        }
    }

    /// Whether the endpoint is on this machine.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(super) fn get(&self) -> Result<reqwest::Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let builder = client_builder();
        let client = if self.is_local { builder.no_proxy() } else { builder }
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .map_err(|error| Failure::never(format!("can't set up HTTPS: {}", chain(&error))))?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

/// An answer that is no stream.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) retry: Retry,
}

/// Sends a request; the body of a stream, or a refusal that the wire can explain. An answer that comes whole, as JSON,
/// becomes one event, where it is taken.
pub(super) async fn send(
    request: reqwest::RequestBuilder,
    url: &str,
    takes_whole: bool,
) -> Result<Result<Body, Refused>, Failure> {
    let (head, body) = match sent(request, url).await? {
        Ok(answer) => answer,
        Err(refused) => return Ok(Err(refused)),
    };
    let kind = head.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    match kind.unwrap_or("text/event-stream") {
        kind if kind.starts_with("text/event-stream") => Ok(Ok(body)),
        kind if takes_whole && kind.starts_with("application/json") => Ok(Ok(as_event(body))),
        kind => Err(Failure::never(format!(
            "{url} answered with {kind:?} instead of an event stream; check model.baseUrl and model.provider"
        ))),
    }
}

/// Sends a request whose answer is a short text, or a refusal.
pub(super) async fn read(request: reqwest::RequestBuilder, url: &str) -> Result<Result<String, Refused>, Failure> {
    match sent(request, url).await? {
        Ok((_, body)) => Ok(Ok(text(body, MAX_LIST_BYTES).await)),
        Err(refused) => Ok(Err(refused)),
    }
}

async fn sent(request: reqwest::RequestBuilder, url: &str) -> Result<Result<(HeaderMap, Body), Refused>, Failure> {
    let response = request.send().await.map_err(|error| {
        let mut message = format!(
            "can't reach {url}: {}; check the network and model.baseUrl",
            chain(&error)
        );
        if let Some(variable) = proxy(url) {
            message += &format!("; {variable} is set: check that proxy, or name the endpoint in NO_PROXY");
        }
        // A URL that is none stays none.
        if error.is_builder() {
            Failure::never(message)
        } else {
            Failure::soon(message)
        }
    })?;
    let status = response.status();
    let head = response.headers().clone();
    let body = response.bytes_stream().map(|bytes| match bytes {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(error) => Err(Failure::soon(format!(
            "the connection to the model broke: {}",
            chain(&error)
        ))),
    });
    if status.is_success() {
        return Ok(Ok((head, body.boxed())));
    }
    let status = status.as_u16();
    Ok(Err(Refused {
        status,
        body: text(body.boxed(), MAX_REFUSAL_BYTES).await,
        retry: retry(status, &head, SystemTime::now()),
    }))
}

/// The beginning of a body. What could be read is enough: of a refusal the status alone says most.
async fn text(mut body: Body, limit: usize) -> String {
    let mut text = Vec::new();
    while let Some(Ok(bytes)) = body.next().await {
        text.extend(bytes);
        if text.len() > limit {
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// JSON as one event: outside of its strings a line break is as good as a blank, and in them there is none.
fn as_event(body: Body) -> Body {
    let on_one_line = |bytes: Result<Vec<u8>, Failure>| {
        let is_break = |byte: u8| matches!(byte, b'\r' | b'\n');
        bytes.map(|bytes| {
            bytes
                .into_iter()
                .map(|byte| if is_break(byte) { b' ' } else { byte })
                .collect()
        })
    };
    let part = |bytes: &[u8]| stream::iter([Ok(bytes.to_vec())]);
    part(b"data: ")
        .chain(body.map(on_one_line))
        .chain(part(b"\n\n"))
        .boxed()
}

fn is_local(url: &str) -> bool {
    let url = reqwest::Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| url.host_str());
    let is_loopback = |host: &str| {
        let address = host.trim_matches(['[', ']']).parse();
        address.is_ok_and(|address: std::net::IpAddr| address.is_loopback())
    };
    host.is_some_and(|host| host == "localhost" || is_loopback(host))
}

/// The environment variable that sends requests to an address through a proxy. Its value may hold a password.
fn proxy(url: &str) -> Option<&'static str> {
    if is_local(url) {
        return None;
    }
    let names: &[&str] = match url.split_once("://")?.0 {
        "https" => &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        _ => &["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    };
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    names.iter().find(is_set).copied()
}

fn retry(status: u16, head: &HeaderMap, now: SystemTime) -> Retry {
    if !matches!(status, 408 | 409 | 429 | 500..) {
        return Retry::Never;
    }
    let Some(after) = head
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .map(str::trim)
    else {
        return Retry::Soon;
    };
    let seconds = after.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    let seconds = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let until = || http_date(after).map(|date| date.duration_since(now).unwrap_or_default());
    seconds.or_else(until).map_or(Retry::Soon, Retry::After)
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of dates that HTTP servers send.
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let text = text.split_once(", ")?.1.strip_suffix(" GMT")?;
    let [day, month, year, time] = text.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>().try_into().ok()?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < 10_000);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    // Days from March, so that the leap day is a year's last.
    let (year, month) = if month > 2 {
        (number(year)?, month - 3)
    } else {
        (number(year)?.checked_sub(1)?, month + 9)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + number(day)?;
    let days = days.checked_sub(719_469)?;
    let seconds = days * 86_400 + number(hour)? * 3_600 + number(minute)? * 60 + number(second)?;
    Some(UNIX_EPOCH + Duration::from_secs(seconds))
}

/// An error with its causes; reqwest tells only the outermost by itself, and with the address, which may hold secrets.
fn chain(error: &reqwest::Error) -> String {
    let mut text = if error.is_timeout() {
        "timeout".to_owned()
    } else {
        String::new()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        cause = error.source();
    }
    if text.is_empty() {
        "no reason was given".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_whether_and_when_to_come_back() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let after = |seconds| Retry::After(Duration::from_secs(seconds));
        let cases = [
            (429, Some("7"), after(7)),
            (429, Some("0.5"), Retry::After(Duration::from_millis(500))),
            (429, Some("Sun, 06 Nov 1994 08:50:07 GMT"), after(30)),
            (
                429,
                Some("Thu, 29 Feb 1996 00:00:00 GMT"),
                after(825_552_000 - 784_111_777),
            ),
            (429, Some("Sun, 06 Nov 1994 08:49:00 GMT"), after(0)),
            (429, Some("soon"), Retry::Soon),
            (429, Some("-3"), Retry::Soon),
            (429, Some("Sun, 06 Foo 1994 08:49:00 GMT"), Retry::Soon),
            (429, Some("1e99"), Retry::After(Duration::MAX)),
            (429, None, Retry::Soon),
            (408, None, Retry::Soon),
            (409, None, Retry::Soon),
            (500, None, Retry::Soon),
            (529, Some("3"), after(3)),
            (400, Some("3"), Retry::Never),
            (401, None, Retry::Never),
            (302, None, Retry::Never),
        ];
        for (status, header, expected) in cases {
            let mut head = HeaderMap::new();
            head.extend(header.map(|value| (RETRY_AFTER, value.parse().unwrap())));
            assert_eq!(retry(status, &head, now), expected, "{status} {header:?}");
        }
    }
}
