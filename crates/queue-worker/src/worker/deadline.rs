//! Moments in the future that cannot overflow the clock.

use std::time::Duration;
use tokio::time::Instant;

/// Stands for a moment that the clock cannot count to.
const FAR: Duration = Duration::from_secs(24 * 365 * 30 * 3600);

/// The moment that lies `wait` after `at`, or thirty years after it where the clock cannot count
/// that far.
pub(super) fn after(at: Instant, wait: Duration) -> Instant {
    at.checked_add(wait).unwrap_or_else(|| at + FAR)
}
