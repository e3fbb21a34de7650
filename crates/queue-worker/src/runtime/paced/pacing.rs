//! How long a paced loop waits after each tick.

use super::Pace;
use queue_core::Rng;
use std::{sync::Arc, time::Duration};

/// How long to wait after each tick.
#[derive(Clone, Debug)]
pub(super) struct Pacing {
    pub(super) interval: Duration,
    pub(super) busy_interval: Duration,
    pub(super) max_idle_interval: Duration,
    pub(super) jitter: Option<Jitter>,
    /// Idle ticks since the last busy one.
    pub(super) idle_ticks: u32,
}

/// Shortens waits at random by up to a share of them.
#[derive(Clone, Debug)]
pub(super) struct Jitter {
    pub(super) share: f64,
    pub(super) rng: Arc<dyn Rng>,
}

impl Pacing {
    /// The interval after the first idle tick, twice that after the second, and so on up to the
    /// cap.
    pub(super) fn wait_after(&mut self, pace: Pace) -> Duration {
        if pace == Pace::Busy {
            self.idle_ticks = 0;
            return self.busy_interval;
        }
        let doublings = self.idle_ticks.min(31);
        self.idle_ticks = self.idle_ticks.saturating_add(1);
        let wait = self.interval.saturating_mul(1 << doublings).min(self.max_idle_interval);
        self.jittered(wait)
    }

    /// The wait before a first tick that is not immediate.
    pub(super) fn first_wait(&self) -> Duration {
        self.jittered(self.interval)
    }

    fn jittered(&self, wait: Duration) -> Duration {
        self.jitter.as_ref().map_or(wait, |jitter| jitter.shortened(wait))
    }
}

impl Jitter {
    #[expect(clippy::cast_precision_loss, reason = "a wait needs no more than 53 bits")]
    fn shortened(&self, wait: Duration) -> Duration {
        let unit = (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        // Very long waits may round up past their own maximum, which the fallback keeps from
        // panicking.
        Duration::try_from_secs_f64(wait.as_secs_f64() * (1.0 - self.share * unit))
            .map_or(wait, |it| it.min(wait))
    }
}
