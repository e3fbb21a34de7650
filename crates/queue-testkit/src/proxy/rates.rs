//! Rate limits of a proxy.

use std::num::NonZeroU64;

/// The bytes per second that a proxy passes on in each direction, over all its connections
/// together. A direction that is not set has no limit.
///
/// ```
/// use queue_testkit::proxy::{Rates, Traffic};
///
/// // Replies come through 8 MB/s; requests pass at once.
/// let traffic = Traffic::Throttle(Rates::default().to_client(8_000_000));
/// # drop(traffic);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub(super) to_server: Option<NonZeroU64>,
    pub(super) to_client: Option<NonZeroU64>,
}

impl Rates {
    /// Sets the rate of requests, in bytes per second.
    ///
    /// # Panics
    ///
    /// If it is zero; use [`Traffic::Silence`](super::Traffic::Silence) for a line that passes
    /// nothing.
    #[must_use]
    pub fn to_server(mut self, bytes_per_second: u64) -> Self {
        self.to_server = Some(positive(bytes_per_second));
        self
    }

    /// Sets the rate of replies, in bytes per second.
    ///
    /// # Panics
    ///
    /// If it is zero.
    #[must_use]
    pub fn to_client(mut self, bytes_per_second: u64) -> Self {
        self.to_client = Some(positive(bytes_per_second));
        self
    }
}

fn positive(bytes_per_second: u64) -> NonZeroU64 {
    NonZeroU64::new(bytes_per_second).expect("a throttled line passes something")
}
