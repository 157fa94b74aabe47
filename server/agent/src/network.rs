//! Connections to addresses that somebody else chose: only to the public internet, unless the person named the host.
//!
//! A name has one form, and is looked up once: what is judged and asked about is what is connected to.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, Response, Url};

mod address;

/// How long a name is looked up.
const LOOKUP: Duration = Duration::from_secs(20);

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    url: Url,
    host: String,
    port: u16,
}

/// Why a URL is no place to ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoPlace {
    /// It is not of the web.
    #[error("only http and https URLs are read, not {0}")]
    Scheme(String),
    /// It would send a name or a password.
    #[error("a URL with a user name or a password is not read; leave out what stands before the `@`")]
    Person,
    /// It names nobody.
    #[error("{0} names no host")]
    Host(Url),
}

impl Place {
    /// The place of a URL, its host in the one form that rules, questions and connections use.
    ///
    /// # Errors
    /// Where it is no plain URL of the web.
    pub(crate) fn of(url: &Url) -> Result<Self, NoPlace> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NoPlace::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NoPlace::Person);
        }
        let none = || NoPlace::Host(url.clone());
        let host = normal(url.host_str().unwrap_or_default()).ok_or_else(none)?;
        let mut url = url.clone();
        let written = match host.contains(':') {
            true => format!("[{host}]"),
            false => host.clone(),
        };
        url.set_host(Some(&written)).map_err(|_| none())?;
        let port = url.port_or_known_default().unwrap_or(443);
        Ok(Self { url, host, port })
    }

    /// The URL, with the host in its one form.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The host in lower case and ASCII, without brackets and without a dot at its end.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The private address that the host itself is, which no lookup is needed for.
    pub(crate) fn private(&self) -> Option<IpAddr> {
        if self.host == "localhost" || self.host.ends_with(".localhost") {
            return Some(std::net::Ipv4Addr::LOCALHOST.into());
        }
        self.host.parse().ok().filter(|address| !address::is_public(*address))
    }
}

/// The one form of a host: lower case, ASCII, no brackets, no dot at the end, addresses in their usual notation. `None`
/// where it is none.
pub(crate) fn normal(host: &str) -> Option<String> {
    let host = host.trim_matches(['[', ']']);
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(address.to_string());
    }
    // Without dots at its end a name may be an address: `127.1.`.
    let host = host.trim_end_matches('.');
    let is_plain = !host.is_empty() && !host.contains(['/', '\\', '?', '#', '@', ':', '*']);
    let url = is_plain
        .then(|| Url::parse(&format!("http://{host}/")).ok())
        .flatten()?;
    let host = url.host_str()?.trim_matches(['[', ']']).trim_end_matches('.');
    Some(host.to_owned()).filter(|host| !host.is_empty())
}

/// A host in its one form, with the port where one is named: `intranet.example:8080`, `[fd00::1]:80`.
pub(crate) fn authority(text: &str) -> Option<(String, Option<u16>)> {
    if let Some(host) = normal(text) {
        return Some((host, None));
    }
    let (host, port) = text.rsplit_once(':')?;
    Some((normal(host)?, Some(port.parse().ok()?)))
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

/// What every client of ours begins with: our name, no redirects, and TLS that believes the machine's certificates.
pub(crate) fn client_builder() -> ClientBuilder {
    // It fails where a program around this crate chose before; that choice does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[expect(clippy::disallowed_methods, reason = "everywhere else this function is to be used")]
    Client::builder()
        // A key must not follow to another address, and where a redirect leads was not checked.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("skills-ls/", env!("CARGO_PKG_VERSION")))
}

/// A client for one place, whatever name it is asked for; it follows no redirect. `is_opened` says that the person opened
/// this host although its address is private.
///
/// # Errors
/// Where the name is not found, or leads to an address that is not public.
pub(crate) async fn client(place: &Place, is_opened: bool, timeout: Duration) -> Result<Client, String> {
    client_by(place, is_opened, timeout, async |host, port| {
        let found = tokio::net::lookup_host((host, port)).await?;
        Ok(found.collect())
    })
    .await
}

async fn client_by(
    place: &Place,
    is_opened: bool,
    timeout: Duration,
    lookup: impl AsyncFnOnce(&str, u16) -> io::Result<Vec<SocketAddr>>,
) -> Result<Client, String> {
    let Place { url, host, port } = place;
    let addresses = match host.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, *port)],
        Err(_) => within(LOOKUP, lookup(host, *port))
            .await
            .map_err(|error| format!("the name {host} was not found: {error}"))?,
    };
    let private = addresses.iter().find(|found| !address::is_public(found.ip()));
    if let Some(private) = private.filter(|_| !is_opened) {
        return Err(is_private(host, private.ip()));
    }
    let client = client_builder()
        .dns_resolver(Arc::new(Checked(addresses)))
        // A proxy would look the name up again.
        .no_proxy()
        .timeout(timeout)
        .build();
    client.map_err(|error| format!("{url} can't be reached: {}", error.without_url()))
}

/// What is said where a host's address is private.
pub(crate) fn is_private(host: &str, address: IpAddr) -> String {
    format!(
        "{host} is at {address}, which is no public address; only a rule WebFetch(private:{host}) that the person writes \
         opens it (setting permissions.allow)"
    )
}

async fn within<T>(time: Duration, future: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let found = tokio::time::timeout(time, future).await;
    found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The addresses that were checked, for whatever name.
struct Checked(Vec<SocketAddr>);

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn a_host_has_one_form() {
        for (url, host, port) in [
            ("http://Evil.Test.:8123/", "evil.test", 8123),
            ("http://evil.test..../", "evil.test", 80),
            ("https://B\u{fc}cher.example/", "xn--bcher-kva.example", 443),
            ("http://\u{ff45}vil.test/", "evil.test", 80),
            ("http://2130706433/", "127.0.0.1", 80),
            ("http://0x7f.1./", "127.0.0.1", 80),
            ("http://127.0.0.1../", "127.0.0.1", 80),
            ("http://[::FFFF:127.0.0.1]/", "::ffff:127.0.0.1", 80),
        ] {
            let place = Place::of(&Url::parse(url).unwrap()).unwrap();
            assert_eq!((place.host(), place.port()), (host, port), "{url}");
            let again = Place::of(place.url()).unwrap();
            assert_eq!(again, place, "{url}");
        }
        for url in [
            "ftp://a.test/",
            "http://a@b.test/",
            "http://a:b@b.test/",
            "http://./",
            "file:///etc/passwd",
        ] {
            assert!(Place::of(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        for (text, expected) in [
            ("Intranet.example.:8080", Some(("intranet.example", Some(8080)))),
            ("10.0.0.5", Some(("10.0.0.5", None))),
            ("[fd00::1]:80", Some(("fd00::1", Some(80)))),
            ("fd00::1", Some(("fd00::1", None))),
            ("*", None),
            ("*.example", None),
            ("a:b", None),
            ("a/b", None),
            ("", None),
        ] {
            let expected = expected.map(|(host, port)| (host.to_owned(), port));
            assert_eq!(authority(text), expected, "{text}");
        }
    }

    /// A server on loopback that says the same to everybody, and how often it was asked.
    async fn inner_page() -> (u16, Arc<AtomicUsize>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Relaxed);
                let _ = stream.read(&mut [0; 1024]).await;
                let page = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret";
                let _ = stream.write_all(page).await;
            }
        });
        (port, asked)
    }

    #[tokio::test]
    async fn what_was_checked_is_what_is_connected_to_however_the_name_is_written() {
        let (port, asked) = inner_page().await;
        let lookups = AtomicUsize::new(0);
        // The name leads to this machine from the second look on, as in a rebinding attack.
        let rebinding = async |_: &str, port| {
            let address = match lookups.fetch_add(1, Relaxed) {
                0 => [127, 0, 0, 2],
                _ => [127, 0, 0, 1],
            };
            Ok(vec![SocketAddr::from((address, port))])
        };
        for name in ["evil.test", "evil.test.", "EVIL.test.."] {
            lookups.store(0, Relaxed);
            let place = Place::of(&Url::parse(&format!("http://{name}:{port}/")).unwrap()).unwrap();
            // Nobody listens there, so it stands for a public one.
            let client = client_by(&place, true, LOOKUP, rebinding).await.unwrap();
            assert!(client.get(place.url().clone()).send().await.is_err(), "{name}");
            assert_eq!((lookups.load(Relaxed), asked.load(Relaxed)), (1, 0), "{name}");
        }
        // And the other way round: the client reaches the checked address by whatever name.
        for name in ["evil.test", "evil.test."] {
            let url = Url::parse(&format!("http://{name}:{port}/")).unwrap();
            let lookup = async |_: &str, port| Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]);
            let time = Duration::from_secs(20);
            let client = client_by(&Place::of(&url).unwrap(), true, time, lookup).await.unwrap();
            assert_eq!(client.get(url).send().await.unwrap().text().await.unwrap(), "secret");
        }
    }

    #[tokio::test]
    async fn one_private_address_among_others_is_enough_to_refuse() {
        let place = Place::of(&Url::parse("http://evil.test/").unwrap()).unwrap();
        let lookup = async |_: &str, port| {
            Ok(vec![
                SocketAddr::from(([1, 1, 1, 1], port)),
                SocketAddr::from(([10, 0, 0, 5], port)),
            ])
        };
        let error = client_by(&place, false, LOOKUP, lookup).await.unwrap_err();
        assert!(error.contains("WebFetch(private:evil.test)"), "{error}");
    }
}
