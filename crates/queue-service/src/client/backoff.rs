//! Waits between two attempts.

use crate::ServiceError;
use queue_core::Rng;
use std::time::Duration;

/// Waits between two attempts double from the first to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest wait that an answer can ask for.
const ASKED_MAX: Duration = Duration::from_secs(60);

/// Waits that double, each at random between half of itself and the whole.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self(FIRST_WAIT)
    }

    /// How long to wait now, at least as long as the service asks for.
    pub(crate) fn after(&mut self, error: &ServiceError, rng: &dyn Rng) -> Duration {
        self.next(rng).max(error.retry_after().unwrap_or_default().min(ASKED_MAX))
    }

    /// How long to wait now.
    pub(crate) fn next(&mut self, rng: &dyn Rng) -> Duration {
        let whole = self.0;
        self.0 = (self.0 * 2).min(LONGEST_WAIT);
        let part = (rng.next_u64() % 1024) as u32;
        whole / 2 + whole / 2 * part / 1024
    }
}
