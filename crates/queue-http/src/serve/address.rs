//! Where a server listens.

use std::{
    fmt,
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    str::FromStr,
};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// A port of an address of this machine, such as `127.0.0.1:8080` or `[::]:443`.
    Tcp(SocketAddr),
    /// A socket in the file system, such as `unix:/run/queue/http.sock`.
    Unix(PathBuf),
}

/// A text that names no place to listen at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address; give an IP address and a port such as 127.0.0.1:8080, or unix:/path")]
pub struct InvalidAddress(String);

impl Address {
    /// Whether only programs of this machine reach it.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().to_canonical().is_loopback(),
            Self::Unix(_) => true,
        }
    }
}

impl FromStr for Address {
    type Err = InvalidAddress;

    /// No name but `localhost` is resolved: what it leads to can change, and with it who reaches
    /// the server.
    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let invalid = || InvalidAddress(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(invalid()) } else { Ok(Self::Unix(path.into())) };
        }
        if text.starts_with("localhost:") {
            let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
            let local = found.filter(|found| found.ip().is_loopback());
            return local.map(Self::Tcp).ok_or_else(invalid);
        }
        text.parse().map(Self::Tcp).map_err(|_| invalid())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn only_loopback_and_sockets_are_local() {
        for (text, is_local) in [
            ("127.0.0.1:80", true),
            ("127.8.8.8:80", true),
            ("[::1]:80", true),
            ("[::ffff:127.0.0.1]:80", true),
            ("unix:/run/q.sock", true),
            ("0.0.0.0:80", false),
            ("[::]:80", false),
            ("[::ffff:0.0.0.0]:80", false),
            ("192.168.0.1:80", false),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().is_local(), is_local, "{text}");
        }
        for text in ["", "80", ":80", "localhost", "example.org:80", "unix:", "http://127.0.0.1:80"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
