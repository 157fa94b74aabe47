//! Connections to addresses that somebody else chose: only to the public internet, unless the person named the host.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::{Client, Response, Url};

mod address;

/// How long a name is looked up.
const LOOKUP: Duration = Duration::from_secs(20);

/// The host of a URL in lower case, as it is asked for.
///
/// # Errors
/// Where it is no plain URL of the web.
pub(crate) fn host(url: &Url) -> Result<String, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("only http and https URLs are read, not {}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "a URL with a user name or a password is not read; leave out what stands before the `@`".to_owned(),
        );
    }
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.ok_or_else(|| format!("{url} names no host"))?;
    Ok(host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase())
}

/// The first bytes of an answer's body, as many as `most`, and whether there are more: those are not read.
///
/// # Errors
/// Where the connection breaks off.
pub(crate) async fn body(answer: Response, most: usize) -> reqwest::Result<(Vec<u8>, bool)> {
    let (mut body, mut pieces) = (Vec::new(), answer.bytes_stream());
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece?);
        if body.len() > most {
            body.truncate(most);
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

/// A client that reaches this host alone, and follows no redirect. `is_named` says that the person named the host, so
/// that a private address of it is meant.
///
/// # Errors
/// Where the name is not found, or leads to an address that is not public.
pub(crate) async fn client(url: &Url, host: &str, is_named: bool, timeout: Duration) -> Result<Client, String> {
    let addresses = addresses(url, host, is_named).await?;
    let client = Client::builder()
        // The addresses that were checked are those that are used; a proxy would look the name up again.
        .resolve_to_addrs(host, &addresses)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .user_agent(concat!("skills-ls/", env!("CARGO_PKG_VERSION")))
        .build();
    client.map_err(|error| format!("{url} can't be reached: {}", error.without_url()))
}

async fn addresses(url: &Url, host: &str, is_named: bool) -> Result<Vec<SocketAddr>, String> {
    let port = url.port_or_known_default().unwrap_or(443);
    let found: Vec<SocketAddr> = match host.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, port)],
        Err(_) => {
            let looking = tokio::time::timeout(LOOKUP, tokio::net::lookup_host((host, port))).await;
            let looking = looking.map_err(|_| format!("the name {host} was not found in time"))?;
            looking
                .map_err(|error| format!("the name {host} was not found: {error}"))?
                .collect()
        }
    };
    match found.iter().find(|found| !address::is_public(found.ip())) {
        Some(local) if !is_named => Err(format!(
            "{host} is at {}, which is no public address; the person can allow it by the rule WebFetch(domain:{host}) \
             (setting permissions.allow)",
            local.ip()
        )),
        _ => Ok(found),
    }
}
