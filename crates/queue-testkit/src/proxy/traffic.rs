//! What becomes of the bytes that pass.

use bytes::Bytes;
use std::time::Duration;

use super::rates::Rates;

/// What a [`Proxy`](super::Proxy) does to the connections of its clients, those that are open and
/// those to come.
///
/// Nothing here delivers bytes out of order, or a stream with a hole in it: no network does that to
/// a connection, and a client that is told such things is not wrong when it believes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic {
    /// Everything is passed on at once.
    #[default]
    Pass,
    /// Everything is passed on so much later, in each direction. The order is kept, and what is
    /// under way together arrives together: a long line, not a narrow one.
    Delay(Duration),
    /// Everything is passed on, but no faster than this, all connections together: a narrow line. A
    /// sender that is faster waits, once a mebibyte of its connection is under way.
    Throttle(Rates),
    /// Requests arrive, and the replies vanish while the connection stays open: the client waits
    /// for as long as it likes to. A connection that has lost a reply in this way stays silent
    /// until it is cut, whatever is set later.
    Silence,
    /// A request that contains these bytes arrives and is carried out; its reply is withheld, and
    /// the connection cut in its place. Without any bytes this is so for every request.
    ///
    /// What is cut is the first thing the server says after the request, so that a client should
    /// not have others under way on the same connection. Requests that do not contain the bytes
    /// pass as usual. Look for what is really on the line: a prepared statement, for one, is sent
    /// without its text.
    CutBeforeReply(Bytes),
    /// New connections are refused, as if no server were there. Those that are open pass everything
    /// on.
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
