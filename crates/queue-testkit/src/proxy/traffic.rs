//! What happens to the bytes that pass a proxy.

use bytes::Bytes;
use std::time::Duration;

use super::rates::Rates;

/// What a [`Proxy`](super::Proxy) does to the connections of its clients, both open and new ones.
///
/// No variant delivers bytes out of order, or a stream with a hole: no network does that to a TCP
/// connection, and a client need not defend itself against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic {
    /// Passes everything on at once.
    #[default]
    Pass,
    /// Passes everything on after this delay, in each direction. Bytes keep their order, and bytes
    /// sent together arrive together: a long line, not a narrow one.
    Delay(Duration),
    /// Passes everything on, but no faster than this for all connections together: a narrow line. A
    /// faster sender waits once a mebibyte of its connection is under way.
    Throttle(Rates),
    /// Passes requests on and drops the replies, while the connection stays open: the client waits
    /// as long as its own time-outs allow. A connection that has lost a reply in this way stays
    /// silent until it is cut; later settings do not change it.
    Silence,
    /// Passes a request that contains these bytes on, so that it is carried out, and cuts the
    /// connection in place of the reply. Without any bytes, this holds for every request.
    ///
    /// The first bytes that the server sends after the request are withheld, so a client should
    /// have no other request under way on the same connection. Requests that do not contain the
    /// bytes pass as usual. The bytes must be those on the line: a prepared statement, for example,
    /// is sent without its text.
    CutBeforeReply(Bytes),
    /// Refuses new connections, as if no server were there. Open connections pass everything on.
    Refuse,
}

impl Traffic {
    pub(super) fn delay(&self) -> Duration {
        match self {
            Self::Delay(delay) => *delay,
            _ => Duration::ZERO,
        }
    }

    pub(super) fn rates(&self) -> Rates {
        match self {
            Self::Throttle(rates) => *rates,
            _ => Rates::default(),
        }
    }
}
