//! Which idle connections a call may use without a test.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// A connection that was idle for longer is pinged before a call uses it. So is every connection
/// that was idle when another one broke, since what broke one may have broken all.
const IDLE_TRUSTED: Duration = Duration::from_secs(2);

/// When a connection of this handle last broke.
#[derive(Debug, Default)]
pub(crate) struct IdleTrust(Mutex<Option<Instant>>);

impl IdleTrust {
    /// Records that a connection broke: every connection that is idle now is pinged before its next
    /// use.
    pub(crate) fn lose(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    /// Whether a connection that was idle for this long can be used without a ping.
    pub(crate) fn covers(&self, idle_for: Duration) -> bool {
        let lost_at = *self.0.lock();
        idle_for < IDLE_TRUSTED && lost_at.is_none_or(|at| at.elapsed() > idle_for)
    }
}
