//! How narrow a line is.

use std::num::NonZeroU64;

/// Bytes per second that a proxy passes on in each direction, over all its connections together.
/// What is not set has no limit.
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
    /// The rate of requests, in bytes per second.
    ///
    /// # Panics
    ///
    /// If it is zero; [`Traffic::Silence`](super::Traffic::Silence) is a line that passes nothing.
    #[must_use]
    pub fn to_server(mut self, bytes_per_second: u64) -> Self {
        self.to_server = Some(positive(bytes_per_second));
        self
    }

    /// The rate of replies, in bytes per second.
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
