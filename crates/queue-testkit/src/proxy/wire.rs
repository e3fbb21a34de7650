//! One direction of the line that all connections of a proxy share.

use parking_lot::Mutex;
use std::num::NonZeroU64;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Timers fire up to a few milliseconds late. A busy line may catch up by at most this much;
/// without it, one chunk per timer would pass at far less than the rate.
const CATCH_UP_MAX: Duration = Duration::from_millis(20);
const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// Carries one chunk at a time, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// The time at which the last chunk with a turn has passed.
    free_at: Mutex<Option<Instant>>,
}

impl Wire {
    /// Waits until this many bytes have passed. A dropped call has used up its turn.
    pub(super) async fn carry(&self, bytes: usize, rate: NonZeroU64) {
        let passed_at = {
            let mut free_at = self.free_at.lock();
            let passed_at = turn(*free_at, Instant::now(), bytes, rate);
            *free_at = Some(passed_at);
            passed_at
        };
        sleep_until(passed_at).await;
    }
}

/// The time at which a chunk that arrives now has passed.
fn turn(free_at: Option<Instant>, now: Instant, bytes: usize, rate: NonZeroU64) -> Instant {
    let nanos = bytes as u128 * NANOS_PER_SECOND / u128::from(rate.get());
    let takes = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    let idle_since = free_at.unwrap_or(now);
    let starts_at = if idle_since >= now { idle_since } else { now - (now - idle_since).min(CATCH_UP_MAX) };
    starts_at + takes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(bytes_per_second: u64) -> NonZeroU64 {
        NonZeroU64::new(bytes_per_second).expect("positive")
    }

    #[test]
    fn chunks_pass_one_after_the_other() {
        let now = Instant::now();
        let first = turn(None, now, 500, rate(1_000));
        assert_eq!(first - now, Duration::from_millis(500));
        assert_eq!(turn(Some(first), now, 250, rate(1_000)) - first, Duration::from_millis(250));
    }

    #[test]
    fn late_timers_are_made_up_for_and_long_pauses_are_not() {
        let free_at = Instant::now();
        let late = turn(Some(free_at), free_at + CATCH_UP_MAX, 1_000, rate(1_000));
        assert_eq!(late - free_at, Duration::from_secs(1));
        let pause = Duration::from_secs(60);
        let after_a_pause = turn(Some(free_at), free_at + pause, 1_000, rate(1_000));
        assert_eq!(after_a_pause - free_at + CATCH_UP_MAX, pause + Duration::from_secs(1));
    }
}
