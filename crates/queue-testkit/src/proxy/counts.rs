//! What a proxy has done so far.

/// What a [`Proxy`](super::Proxy) has done since it was started. The numbers only grow, so that a
/// test can wait for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Connections accepted from clients.
    pub connections: u64,
    /// Chunks of replies that were dropped in silence. One reply may come in several chunks.
    pub silenced: u64,
    /// Replies withheld by cutting the connection.
    pub withheld: u64,
}
