use std::time::Duration;
use tokio::time::Instant;

const FAR: Duration = Duration::from_secs(24 * 365 * 30 * 3600);

/// A moment to wait for. One that is too far ahead for the clock need not be exact.
pub(super) fn later(at: Instant, by: Duration) -> Instant {
    at.checked_add(by).unwrap_or_else(|| at + FAR)
}
