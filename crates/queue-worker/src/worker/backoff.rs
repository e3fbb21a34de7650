use queue_core::Rng;
use std::time::Duration;
use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);
const FAR: Duration = Duration::from_secs(24 * 365 * 30 * 3600);

/// The wait after the `n`th failure in a row (from one) of a call to the store: doubling, capped, jittered.
pub(crate) fn after_error(n: u32, rng: &dyn Rng) -> Duration {
    let doubled = FIRST.saturating_mul(1 << n.saturating_sub(1).min(16));
    jittered(doubled.min(LONGEST), rng)
}

/// Three quarters to five quarters of an interval, so that workers started together drift apart.
pub(crate) fn jittered(interval: Duration, rng: &dyn Rng) -> Duration {
    let share = u32::try_from(rng.next_u64() % 512).unwrap_or(0);
    interval.saturating_mul(768 + share) / 1024
}

/// A moment to wait for. One that is too far ahead for the clock need not be exact.
pub(super) fn later(at: Instant, by: Duration) -> Instant {
    at.checked_add(by).unwrap_or_else(|| at + FAR)
}
