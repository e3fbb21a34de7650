//! How long to wait after each failure in a row.

use crate::runtime::panics::guarded;
use queue_core::{RetryPolicy, Rng, SystemRng};
use std::{sync::Arc, time::Duration};

/// Counts failures in a row and says how long to wait after each. The policy's cap is a hard
/// ceiling, jitter included.
#[derive(Clone, Debug)]
pub struct Backoff {
    policy: RetryPolicy,
    rng: Arc<dyn Rng>,
    attempts_max: u32,
    failures: u32,
    exhausted: bool,
}

impl Backoff {
    /// Waits as the policy says, for as many attempts as it allows.
    pub fn new(policy: impl Into<RetryPolicy>) -> Self {
        let policy = policy.into();
        Self { policy, rng: Arc::new(SystemRng), attempts_max: u32::MAX, failures: 0, exhausted: false }
    }

    /// Most attempts, the first included. Zero counts as one.
    #[must_use]
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.attempts_max = attempts.max(1);
        self
    }

    /// Where jitter comes from.
    #[must_use]
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Counts a failure and answers the wait before the next attempt; `None` once no further one is
    /// allowed.
    pub fn after_failure(&mut self) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let wait = if self.failures < self.attempts_max { self.next_delay() } else { None };
        self.exhausted |= wait.is_none();
        wait.filter(|_| !self.exhausted)
    }

    /// Whether a failure was the last one allowed.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Failures in a row so far.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Begins again with the first wait, after a success.
    pub fn reset(&mut self) {
        self.failures = 0;
        self.exhausted = false;
    }

    /// The next wait. Where the program's own function panics, it is the default one.
    fn next_delay(&self) -> Option<Duration> {
        let delay = |policy: &RetryPolicy| policy.delay(self.failures, self.rng.next_u64());
        let wait = guarded("retry policy", || delay(&self.policy));
        wait.unwrap_or_else(|| delay(&in_process()))
    }
}

impl Default for Backoff {
    /// One second, doubling up to ten minutes, shortened at random by up to a quarter. A wait here
    /// holds a task, so it is shorter than that of a stored job.
    fn default() -> Self {
        Self::new(in_process())
    }
}

fn in_process() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).cap(Duration::from_secs(600)).into()
}
