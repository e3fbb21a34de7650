//! Collects and checks the settings of a paced loop.

use super::{
    PacedLoop, PacedTick, TickFailure,
    paced_loop::{Callbacks, FirstTick},
    pacing::{Jitter, Pacing},
};
use queue_core::{Error, Result, Rng};
use std::{fmt, sync::Arc, time::Duration};

/// Collects the settings of a [`PacedLoop`].
pub struct PacedLoopBuilder<P: PacedTick> {
    tick: P,
    interval: Duration,
    busy_interval: Duration,
    max_idle_interval: Option<Duration>,
    tick_timeout: Duration,
    first_tick: FirstTick,
    jitter: Option<Jitter>,
    callbacks: Callbacks<P::Error>,
}

/// Where the default cap of idle waits lies, as a multiple of the interval.
const IDLE_FACTOR: u32 = 32;

impl<P: PacedTick> PacedLoopBuilder<P> {
    pub(super) fn new(tick: P) -> Self {
        Self {
            tick,
            interval: Duration::from_secs(1),
            busy_interval: Duration::ZERO,
            max_idle_interval: None,
            tick_timeout: Duration::MAX,
            first_tick: FirstTick::AfterInterval,
            jitter: None,
            callbacks: Callbacks::default(),
        }
    }

    /// The wait after the first idle tick, doubled after each further one. Default 1 s.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// The wait after a busy tick. Default none; other tasks get their turn in any case.
    #[must_use]
    pub fn busy_interval(mut self, interval: Duration) -> Self {
        self.busy_interval = interval;
        self
    }

    /// The longest wait, which jitter does not pass either. Default: 32 times the interval.
    #[must_use]
    pub fn max_idle_interval(mut self, interval: Duration) -> Self {
        self.max_idle_interval = Some(interval);
        self
    }

    /// Does the first tick at once. By default the interval passes first.
    #[must_use]
    pub fn immediate_first_tick(mut self) -> Self {
        self.first_tick = FirstTick::Immediate;
        self
    }

    /// Drops a tick that takes longer; choose it well above what the tick bounds by itself.
    /// Default: no bound.
    #[must_use]
    pub fn tick_timeout(mut self, timeout: Duration) -> Self {
        self.tick_timeout = timeout;
        self
    }

    /// Shortens idle waits at random by up to this share, so that programs started together drift
    /// apart. Default none.
    #[must_use]
    pub fn jitter(mut self, share: f64, rng: Arc<dyn Rng>) -> Self {
        self.jitter = Some(Jitter { share, rng });
        self
    }

    /// Called with the message of a tick that panicked.
    #[must_use]
    pub fn on_panic(mut self, observe: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.callbacks.on_panic = Arc::new(observe);
        self
    }

    /// Called when a tick failed or took too long.
    #[must_use]
    pub fn on_error(mut self, observe: impl Fn(&TickFailure<P::Error>) + Send + Sync + 'static) -> Self {
        self.callbacks.on_error = Arc::new(observe);
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `Invalid`, saying which setting and its bounds.
    pub fn build(self) -> Result<PacedLoop<P>> {
        let max_idle_interval =
            self.max_idle_interval.unwrap_or_else(|| self.interval.saturating_mul(IDLE_FACTOR));
        if self.interval.is_zero() || self.tick_timeout.is_zero() {
            return Err(invalid("the interval and the tick timeout must be longer than zero"));
        }
        if max_idle_interval < self.interval {
            return Err(invalid("the longest idle interval must not be shorter than the interval"));
        }
        if self.jitter.as_ref().is_some_and(|jitter| !(0.0..=1.0).contains(&jitter.share)) {
            return Err(invalid("jitter is a share from 0 to 1"));
        }
        let (interval, busy_interval, jitter) = (self.interval, self.busy_interval, self.jitter);
        let pacing = Pacing { interval, busy_interval, max_idle_interval, jitter, idle_ticks: 0 };
        Ok(PacedLoop::new(self.tick, pacing, self.tick_timeout, self.first_tick, self.callbacks))
    }
}

fn invalid(message: &str) -> Error {
    Error::invalid("build paced loop", message)
}

impl<P: PacedTick> fmt::Debug for PacedLoopBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacedLoopBuilder")
            .field("interval", &self.interval)
            .field("busy_interval", &self.busy_interval)
            .field("max_idle_interval", &self.max_idle_interval)
            .finish_non_exhaustive()
    }
}
