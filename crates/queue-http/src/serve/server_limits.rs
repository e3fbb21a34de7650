//! What a server spends on connections before there is a request.

use std::time::Duration;

/// The limits of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// The most connections at the same time. Further ones wait in the system's backlog, at most
    /// 1,024 of them for each address. Default 10,000.
    pub connections_max: usize,
    /// The first line and the headers of a request, in bytes. Default 16 KiB.
    pub header_bytes_max: usize,
    /// The most headers of a request. Default 64.
    pub headers_max: usize,
    /// How long the head of a request may take, counted from when the connection is free for it: a
    /// connection without requests is closed after this time too. Default 75 s.
    pub header_timeout: Duration,
    /// How long the handshake of TLS may take. Default 10 s.
    pub handshake_timeout: Duration,
    /// How long a client may leave an answer, or a part of it, unread. Default 30 s.
    pub write_timeout: Duration,
    /// How long a server that drains is still reached, so that those who send it work can notice
    /// that it is not ready. Default none.
    pub drain_delay: Duration,
    /// How long requests may go on after that. Default 30 s.
    pub drain_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections_max: 10_000,
            header_bytes_max: 16 << 10,
            headers_max: 64,
            header_timeout: Duration::from_secs(75),
            handshake_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            drain_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(30),
        }
    }
}
