//! One run of a hook over HTTP: the event is sent, its answer is what a command would print.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::Surroundings;
use crate::network::{self, Place};

/// The most of an answer that is read, in bytes.
const MOST: usize = 64 << 10;

/// What a hook sends.
pub(super) struct Request<'a> {
    pub(super) url: &'a str,
    pub(super) headers: &'a [(String, String)],
    /// Whether a variable of the environment may be put into a header.
    pub(super) allowed: &'a (dyn Fn(&str) -> bool + Sync),
}

/// Sends an event; gives the answer's text. An error is for the person. Redirects are not followed.
pub(super) async fn send(
    request: Request<'_>,
    surroundings: &Surroundings,
    input: &Value,
    timeout: Duration,
) -> Result<String, String> {
    let url = Url::parse(request.url).map_err(|error| format!("it sends to no URL: {error}"))?;
    let place = Place::of(&url).map_err(|error| error.to_string())?;
    let host = place.host();
    let (permissions, turn) = &surroundings.permissions;
    permissions
        .check_host(turn, &place)
        .map_err(|error| format!("it does not run: {error}"))?;
    let headers = headers(&request)?;
    let is_opened = permissions.opens(&surroundings.project, &place);
    let client = network::client(&place, is_opened, timeout).await;
    let client = client.map_err(|refusal| permissions.told(&surroundings.project, &place, refusal))?;
    let failed = |error: reqwest::Error| format!("{host} gave no answer: {}", error.without_url());
    let sending = client
        .post(place.url().clone())
        .headers(headers)
        .header(CONTENT_TYPE, "application/json")
        .body(input.to_string());
    let answer = sending.send().await.map_err(failed)?;
    if !answer.status().is_success() {
        return Err(format!("{host} answered {}", answer.status()));
    }
    let (body, has_more) = network::body(answer, MOST).await.map_err(failed)?;
    if has_more {
        return Err(format!("{host} answered with more than {MOST} bytes"));
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn headers(request: &Request<'_>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers {
        let wrong = || format!("it has the header {name:?}, which can't be sent");
        let value = with_variables(value, request.allowed, &|name| std::env::var(name).ok());
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The text with `$NAME` and `${NAME}` replaced; what is not allowed, or not set, is empty.
fn with_variables(text: &str, allowed: &dyn Fn(&str) -> bool, value: &dyn Fn(&str) -> Option<String>) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut pieces = text.split('$');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let braced = piece.strip_prefix('{').and_then(|piece| piece.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| piece.split_at(piece.find(|c| !is_name(c)).unwrap_or(piece.len())));
        if name.is_empty() || !name.chars().all(is_name) {
            out.push('$');
            out.push_str(piece);
            continue;
        }
        out.push_str(&value(name).filter(|_| allowed(name)).unwrap_or_default());
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_variables_are_put_in() {
        let value = |name: &str| Some(format!("<{name}>"));
        for (text, expected) in [
            ("Bearer $TOKEN", "Bearer <TOKEN>"),
            ("${TOKEN}x $TOKEN-y", "<TOKEN>x <TOKEN>-y"),
            ("$OTHER ${OTHER}", " "),
            ("costs 5$", "costs 5$"),
            ("$ {x} ${a b}", "$ {x} ${a b}"),
        ] {
            assert_eq!(
                with_variables(text, &|name| name == "TOKEN", &value),
                expected,
                "{text}"
            );
        }
    }
}
