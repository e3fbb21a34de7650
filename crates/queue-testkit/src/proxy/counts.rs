//! What a proxy has done so far.

/// What a [`Proxy`](super::Proxy) has done since it was started. Numbers only grow, so that a test
/// can wait for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Connections taken from clients.
    pub connections: u64,
    /// Pieces of replies that vanished in silence. A reply may come in several pieces.
    pub silenced: u64,
    /// Replies withheld by cutting their connection.
    pub withheld: u64,
}
