//! Waiting for the write lock, which other processes hold for moments only, or for too long.

use queue_core::Clock;
use rusqlite::ErrorCode;
use std::time::Duration;
use tracing::debug;

/// How long SQLite waits between two tries for the write lock.
pub(crate) const LOCK_RETRY: Duration = Duration::from_millis(1);

/// Tries once per [`LOCK_RETRY`] rather than with SQLite's growing pauses: beside a busy writer,
/// whose lock is free for moments only, those would go hungry. The time is measured, since a try
/// may take much longer than that.
pub(crate) fn wait_for_lock<T>(
    clock: &dyn Clock,
    timeout: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let begun = clock.ticks();
    let mut tries = 0;
    loop {
        let taken = attempt();
        let waited = clock.ticks().saturating_sub(begun);
        if !taken.as_ref().is_err_and(is_busy) || waited >= timeout {
            if tries > 0 {
                debug!(
                    tries,
                    ?waited,
                    is_taken = taken.is_ok(),
                    "waited for a lock that another program had"
                );
            }
            return taken;
        }
        tries += 1;
    }
}

/// Another program has the lock.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

#[cfg(test)]
mod tests {
    use super::wait_for_lock;
    use queue_core::ManualClock;
    use rusqlite::{Error, ffi};
    use std::time::Duration;

    const TIMEOUT: Duration = Duration::from_secs(5);

    /// How many tries there are if each takes so long and finds the lock taken.
    fn tries(each: Duration) -> u32 {
        let clock = ManualClock::default();
        let mut tries = 0;
        let busy = || {
            tries += 1;
            clock.advance(each);
            Err::<(), _>(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None))
        };
        wait_for_lock(&clock, TIMEOUT, busy).expect_err("it stays taken");
        tries
    }

    #[test]
    fn slow_tries_make_no_longer_wait() {
        assert_eq!(tries(Duration::from_millis(1)), 5_000);
        assert_eq!(tries(Duration::from_millis(2)), 2_500);
        assert_eq!(tries(Duration::from_secs(9)), 1);
    }

    #[test]
    fn a_lock_that_is_free_is_taken_at_once_and_other_failures_are_told_at_once() {
        let clock = ManualClock::default();
        wait_for_lock(&clock, TIMEOUT, || Ok(0)).unwrap();
        let failing = || Err::<(), _>(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR), None));
        wait_for_lock(&clock, TIMEOUT, failing).unwrap_err();
    }
}
