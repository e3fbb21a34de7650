use crate::Timestamp;
use std::{
    fmt::Debug,
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Where a store takes its time from. Every store accepts one, so that tests can own time.
///
/// A clock may step in either direction; [`StoreTime`](crate::StoreTime) says what stores make of
/// it.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The present reading.
    fn now(&self) -> Timestamp;

    /// How long this clock has run, by a counter that no step of [`now`](Self::now) touches and
    /// that never goes back. Only differences mean anything.
    fn ticks(&self) -> Duration;
}

/// The wall clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the monotonic clock")]
    fn ticks(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn ticks(&self) -> Duration {
        (**self).ticks()
    }
}
