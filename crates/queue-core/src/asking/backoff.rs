//! The waits after errors and between polls.

use crate::Rng;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// The wait after failure number `n` in a row (from one) of a call to the store: 50 ms, doubling up
/// to 5 s, jittered.
pub fn after_error(n: u32, rng: &dyn Rng) -> Duration {
    let doubled = FIRST.saturating_mul(1 << n.saturating_sub(1).min(16));
    jittered(doubled.min(LONGEST), rng)
}

/// A random time of three quarters to five quarters of an interval, so that workers that were
/// started together drift apart.
pub fn jittered(interval: Duration, rng: &dyn Rng) -> Duration {
    let share = u32::try_from(rng.next_u64() % 512).unwrap_or(0);
    interval.saturating_mul(768 + share) / 1024
}
