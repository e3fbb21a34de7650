//! The place of a server, and the URL that names it.

use http::Uri;
use queue_core::{Error, Result};
use queue_store::{decode_url, url_options};
use std::{fmt, net::IpAddr, path::PathBuf};

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Tcp {
        is_encrypted: bool,
        host: String,
        port: u16,
        /// Begins with `/` and does not end with it; empty for none.
        prefix: String,
    },
    Unix(PathBuf),
}

/// A URL in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RemoteUrl {
    pub(crate) endpoint: Endpoint,
    pub(crate) options: Vec<(String, String)>,
}

impl Endpoint {
    pub(crate) fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tcp { is_encrypted: true, .. })
    }

    /// Whether others on a network can read what is sent.
    pub(crate) fn is_in_the_clear(&self) -> bool {
        matches!(self, Self::Tcp { is_encrypted: false, host, .. } if !is_loopback(host))
    }

    /// The address of a request. A socket has no host, so its requests name this machine.
    pub(crate) fn uri(&self, path: &str) -> std::result::Result<Uri, http::Error> {
        match self {
            Self::Tcp { is_encrypted, host, port, prefix } => {
                let scheme = if *is_encrypted { "https" } else { "http" };
                let authority = format!("{}:{port}", bracketed(host));
                Uri::builder()
                    .scheme(scheme)
                    .authority(authority)
                    .path_and_query(format!("{prefix}{path}"))
                    .build()
            }
            Self::Unix(_) => {
                Uri::builder().scheme("http").authority("localhost").path_and_query(path).build()
            }
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port, .. } => write!(f, "{}:{port}", bracketed(host)),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

impl RemoteUrl {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let options = url_options(query)?;
        let (scheme, rest) = place.split_once(':').ok_or_else(malformed)?;
        let endpoint = match scheme.to_ascii_lowercase().as_str() {
            "http+unix" => unix(rest)?,
            "http" => tcp(place, 80)?,
            "https" => tcp(place, 443)?,
            _ => return Err(malformed()),
        };
        if endpoint.is_encrypted() && !cfg!(feature = "tls") {
            return Err(Error::invalid("open", "`https:` needs the feature `tls`, which this build lacks"));
        }
        Ok(Self { endpoint, options })
    }
}

fn tcp(place: &str, default_port: u16) -> Result<Endpoint> {
    let uri: Uri = place.parse().map_err(|_| malformed())?;
    // Without `//` the scheme would be taken for a host.
    let authority = uri.authority().filter(|_| uri.scheme().is_some()).ok_or_else(malformed)?;
    if authority.as_str().contains('@') {
        let message = "no user or password stands in the URL of a remote store; name a file by `token-file`";
        return Err(Error::invalid("open", message));
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    if host.is_empty() {
        return Err(malformed());
    }
    // A port that is no number would else be the default one.
    let port = match authority.port_u16() {
        Some(port) => port,
        None if authority.as_str().trim_end_matches(':') == authority.host() => default_port,
        None => return Err(malformed()),
    };
    let prefix = uri.path().trim_end_matches('/').to_owned();
    Ok(Endpoint::Tcp { is_encrypted: uri.scheme_str() == Some("https"), host, port, prefix })
}

fn unix(path: &str) -> Result<Endpoint> {
    if !cfg!(unix) {
        return Err(Error::invalid("open", "this system has no Unix sockets"));
    }
    let path = decode_url(path.strip_prefix("//").unwrap_or(path))?;
    if path.is_empty() { Err(malformed()) } else { Ok(Endpoint::Unix(path.into())) }
}

fn malformed() -> Error {
    let message = "the URL of a remote store looks like `https://host:port/`, `http://host:port/` or \
                   `http+unix:/path/to/socket`";
    Error::invalid("open", message)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A host as it stands in a URL.
fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> Endpoint {
        RemoteUrl::parse(url).expect("well-formed").endpoint
    }

    #[test]
    fn a_request_goes_below_the_prefix_of_the_url() {
        for (url, uri) in [
            ("http://localhost", "http://localhost:80/store/v1/get"),
            ("HTTP://localhost:8080/", "http://localhost:8080/store/v1/get"),
            ("http://[::1]:8080/jobs/", "http://[::1]:8080/jobs/store/v1/get"),
            ("http+unix:/run/queue.sock", "http://localhost/store/v1/get"),
        ] {
            assert_eq!(endpoint(url).uri("/store/v1/get").expect("valid").to_string(), uri);
        }
        assert_eq!(endpoint("http+unix:///a%3Fb"), Endpoint::Unix("/a?b".into()));
    }

    #[test]
    fn what_is_no_url_of_a_server_is_refused() {
        for url in [
            "",
            "localhost",
            "http:",
            "http://",
            "http:///jobs",
            "http://a:b/",
            "http://a:99999/",
            "http://u:p@a/",
            "ftp://a/",
            "http+unix:",
            "http://a/?x",
            "http://a/?token-file=%00",
        ] {
            assert!(RemoteUrl::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn only_this_machine_and_sockets_are_no_network() {
        for (url, in_the_clear) in [
            ("http://localhost/", false),
            ("http://127.0.0.2:1/", false),
            ("http://[::1]/", false),
            ("http+unix:/a", false),
            ("http://10.0.0.1/", true),
            ("http://localhost.example.org/", true),
        ] {
            assert_eq!(endpoint(url).is_in_the_clear(), in_the_clear, "{url}");
        }
    }
}
