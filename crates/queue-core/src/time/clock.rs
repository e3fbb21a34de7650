//! The source of a store's time.

use crate::Timestamp;
use std::{
    fmt::Debug,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use std::{sync::OnceLock, time::Instant};

/// The source of a store's time. Every store accepts a clock, so that tests can control time.
///
/// A clock may step in either direction; [`StoreTime`](crate::StoreTime) says how stores deal with
/// that.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The present reading.
    fn now(&self) -> Timestamp;

    /// How long this clock has run, by a counter that never goes back and that no step of
    /// [`now`](Self::now) changes. Only differences have a meaning.
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

    /// The time since the machine started, with that in which it slept: a laptop that wakes finds
    /// its clock where it expects it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn ticks(&self) -> Duration {
        let since_start = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Duration::try_from(since_start).unwrap_or_default()
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
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
