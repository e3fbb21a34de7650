use crate::Timestamp;
use std::{
    fmt::Debug,
    time::{SystemTime, UNIX_EPOCH},
};

/// Where a store takes its time from. Every store accepts one, so that tests can own time.
///
/// A clock may step in either direction; stores pass its reading through [`HighWater`](crate::HighWater).
pub trait Clock: Debug + Send + Sync + 'static {
    /// The present reading.
    fn now(&self) -> Timestamp;
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
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}
