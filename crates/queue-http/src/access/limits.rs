//! What the front door accepts before any handler runs.

use std::time::Duration;

/// The limits of one incoming request. `/v1/limits` has the limits of the protocol itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestLimits {
    /// The largest body, in bytes. Default 8 MiB.
    pub body_bytes_max: usize,
    /// The bytes of all bodies that are being read or worked on at the same time, counted as they
    /// come. A request whose body finds no room is refused at once. Default 256 MiB; a token has a
    /// [share](crate::Principal::BODIES_BYTES_MAX) of it.
    pub bodies_bytes_max: usize,
    /// How long a body may take from its first byte to its last. Default 30 s.
    pub body_timeout: Duration,
    /// How long a handler may take, beside the time that the caller asked it to wait. Default 30 s.
    pub handler_timeout: Duration,
    /// The longest time that a caller may ask a handler to wait. Default 60 s.
    pub wait_max: Duration,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 8 << 20,
            bodies_bytes_max: 256 << 20,
            body_timeout: Duration::from_secs(30),
            handler_timeout: Duration::from_secs(30),
            wait_max: Duration::from_mins(1),
        }
    }
}
