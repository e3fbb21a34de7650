//! Where the server is, and how a handle reaches it.

use crate::{
    client::TokenSource,
    endpoint::{Endpoint, RemoteUrl},
    tls::CertificateFiles,
};
use queue_core::{Error, Result};
use queue_store::UrlOption;
use std::{path::Path, time::Duration};

/// How a [`RemoteStorage`](crate::RemoteStorage) is opened.
#[derive(Clone, Debug)]
#[must_use]
pub struct RemoteOptions {
    pub(crate) endpoint: Endpoint,
    pub(crate) certificates: CertificateFiles,
    pub(crate) token: TokenSource,
    /// Whether a token may go over the network unencrypted.
    pub(crate) allows_cleartext: bool,
    pub(crate) response_timeout: Option<Duration>,
    pub(crate) connect_timeout: Duration,
}

impl RemoteOptions {
    /// Reads a URL:
    ///
    /// | URL | server |
    /// |---|---|
    /// | `https://HOST:PORT/PREFIX` | encrypted, by default on port 443; below the prefix, if there is one (feature `tls`) |
    /// | `http://HOST:PORT/PREFIX` | not encrypted, by default on port 80 |
    /// | `http+unix:PATH` | on a Unix socket |
    /// | `...?token-file=FILE` | with the token that stands in this file, alone or before a line break |
    /// | `...?cleartext=allow` | sends the token over `http://` to another host too |
    /// | `...?ca-file=FILE` | with TLS, the authorities to trust in place of the system's |
    /// | `...?cert-file=FILE&key-file=FILE` | with TLS, the client certificate to show, and its key |
    /// | `...?response-timeout=30s`, `connect-timeout` | see the methods of these names |
    ///
    /// Certificates are in PEM form. Files that are named are read whenever a connection is made,
    /// and the file of the token whenever the server refuses the token, so that renewed ones need
    /// no restart. In a path, write `%3F` for `?` and `%25` for `%`.
    ///
    /// # Errors
    /// `Invalid` for a URL that is malformed, or that has a password in it: it would be seen in
    /// lists of processes, so a token comes from a file. No message repeats the URL.
    ///
    /// ```
    /// use queue_remote::RemoteOptions;
    ///
    /// assert!(RemoteOptions::new("http://localhost:8080/jobs?token-file=/run/token").is_ok());
    /// assert!(RemoteOptions::new("http://ada:secret@localhost/").is_err());
    /// assert!(RemoteOptions::new("http://localhost?colour=red").is_err());
    /// ```
    pub fn new(url: &str) -> Result<Self> {
        let RemoteUrl { endpoint, options: given } = RemoteUrl::parse(url)?;
        let mut options = Self {
            endpoint,
            certificates: CertificateFiles::default(),
            token: TokenSource::None,
            allows_cleartext: false,
            response_timeout: None,
            connect_timeout: Duration::from_secs(5),
        };
        for (key, value) in &given {
            let option = UrlOption::new(key, value);
            match key.as_str() {
                "token-file" => options.token = TokenSource::File(value.into()),
                "cleartext" => {
                    options.allows_cleartext = option.one_of(&[("allow", true), ("refuse", false)])?;
                }
                "ca-file" => options.certificates.authority = Some(value.into()),
                "cert-file" => options.certificates.certificate = Some(value.into()),
                "key-file" => options.certificates.key = Some(value.into()),
                "response-timeout" => options.response_timeout = Some(option.length()?),
                "connect-timeout" => options.connect_timeout = option.length()?,
                _ => {
                    let known = "token-file, cleartext, ca-file, cert-file, key-file, response-timeout, \
                                 connect-timeout";
                    let message = format!("a remote store has no option `{key}`; it has {known}");
                    return Err(Error::invalid("open", message));
                }
            }
        }
        options.certificates.check(options.endpoint.is_encrypted())?;
        Ok(options)
    }

    /// Sends the token that stands in this file. Default: none.
    pub fn token_file(mut self, file: impl AsRef<Path>) -> Self {
        self.token = TokenSource::File(file.as_ref().to_owned());
        self
    }

    /// Sends this token, in place of one in a file. A file is better for a program that runs for
    /// long: it is read again when the server refuses the token. No text of these options shows it.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = TokenSource::Text(token.into());
        self
    }

    /// How long the server may be silent before a call is `Unavailable` with an unknown outcome; a
    /// request or an answer that is still moving is not given up. Default: 5 s longer than the
    /// store of the server waits.
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.response_timeout = Some(timeout);
        self
    }

    /// How long connecting may take. Default 5 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Checks once what cannot be wrong afterwards.
    pub(crate) fn checked(self) -> Result<Self> {
        if self.response_timeout.is_some_and(|timeout| timeout.is_zero()) || self.connect_timeout.is_zero() {
            return Err(invalid("timeouts must be longer than zero"));
        }
        if self.token.is_some() && !self.allows_cleartext && self.endpoint.is_in_the_clear() {
            return Err(invalid(
                "the token would go unencrypted over the network; use `https://`, or say `cleartext=allow`",
            ));
        }
        Ok(self)
    }
}

fn invalid(message: &str) -> Error {
    Error::invalid("open", message)
}
