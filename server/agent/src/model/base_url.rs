//! The address of an endpoint, which may hold keys of its own: a name and a password, or a query.

use reqwest::Url;

use super::key::hidden;

/// An address as it is configured, taken apart.
#[derive(Clone)]
pub(super) struct BaseUrl {
    /// For messages: without name, password and query, without a slash or `/v1` at its end.
    pub(super) plain: String,
    /// `NAME:PASSWORD@` as it is written, or nothing.
    login: String,
    /// `?…` as it is written, or nothing.
    query: String,
}

impl BaseUrl {
    pub(super) fn of(text: &str) -> Self {
        let text = text.split('#').next().unwrap_or_default().trim();
        let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let (scheme, rest) = path.split_at(path.find("://").map_or(0, |at| at + 3));
        let end = rest.find('/').unwrap_or(rest.len());
        let (login, rest) = rest.split_at(rest[..end].rfind('@').map_or(0, |at| at + 1));
        let plain = format!("{scheme}{rest}");
        let plain = plain.trim_end_matches('/');
        Self {
            plain: plain.strip_suffix("/v1").unwrap_or(plain).to_owned(),
            login: login.to_owned(),
            query: query.to_owned(),
        }
    }

    /// The whole address of a path, with all that the configured one holds.
    pub(super) fn at(&self, path: &str) -> String {
        let Self { plain, login, query } = self;
        let (scheme, rest) = plain.split_at(plain.find("://").map_or(0, |at| at + 3));
        let query = match path.contains('?') {
            true => query.replacen('?', "&", 1),
            false => query.clone(),
        };
        format!("{scheme}{login}{rest}{path}{query}")
    }

    /// A message in which the endpoint may have repeated what is secret in its address.
    pub(super) fn redacted(&self, message: String) -> String {
        let login = self.login.trim_end_matches('@');
        let password = login.split_once(':').map(|(_, password)| password.to_owned());
        let query = self.query.trim_start_matches('?').split('&');
        let values = query.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value).to_owned());
        let written = values.chain(password).chain([login.to_owned()]);
        // The same as it reads when it is decoded.
        let url = Url::parse(&self.at("")).ok();
        let pairs = url.iter().flat_map(|url| url.query_pairs());
        let decoded = pairs.map(|(_, value)| value.into_owned());
        written
            .chain(decoded)
            .fold(message, |message, secret| hidden(&secret, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_an_address_are_sent_and_never_shown() {
        for (text, plain, at) in [
            ("http://h:1/", "http://h:1", "http://h:1/v1/x"),
            (" https://h/a/v1/ ", "https://h/a", "https://h/a/v1/x"),
            ("https://u:p@h/a", "https://h/a", "https://u:p@h/a/v1/x"),
            ("https://u:a@b@h", "https://h", "https://u:a@b@h/v1/x"),
            (
                "https://h/a/v1?key=0123456789",
                "https://h/a",
                "https://h/a/v1/x?key=0123456789",
            ),
            ("https://h?key=a/b@c", "https://h", "https://h/v1/x?key=a/b@c"),
            ("https://h/#x?y", "https://h", "https://h/v1/x"),
            ("nonsense", "nonsense", "nonsense/v1/x"),
        ] {
            let url = BaseUrl::of(text);
            assert_eq!((url.plain.as_str(), url.at("/v1/x").as_str()), (plain, at), "{text}");
        }
        assert_eq!(BaseUrl::of("https://h?key=a").at("/x?n=1"), "https://h/x?n=1&key=a");
        let url = BaseUrl::of("https://me:hunter2hunter2@h/?key=01234%2B6789&version=2");
        let said = "no POST /v1/x?key=01234%2B6789&version=2, key 01234+6789, password hunter2hunter2";
        let shown = "no POST /v1/x?key=***&version=2, key ***, password ***";
        assert_eq!(url.redacted(said.to_owned()), shown);
    }
}
