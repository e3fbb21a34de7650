//! How long a handler may run.

use parking_lot::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// The time limit of one job. A limit of the job comes before that of its kind, and that before the
/// worker's default. The limit may change while the handler runs, and the time is over at once when
/// the lease is lost.
#[derive(Debug, Default)]
pub(crate) struct TimeLimit {
    settings: Mutex<LimitSettings>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct LimitSettings {
    of_job: Option<Duration>,
    of_kind: Option<Duration>,
    /// When the lease was found to be lost.
    lost_at: Option<Instant>,
}

/// Why a handler may not run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    Limit,
    LeaseLost,
}

impl TimeLimit {
    /// The limit that the producer of a job set, if it did.
    pub(crate) fn of_job(limit: Option<Duration>) -> Self {
        let settings = LimitSettings { of_job: limit, ..LimitSettings::default() };
        Self { settings: Mutex::new(settings), changed: Notify::new() }
    }

    pub(crate) fn set_of_job(&self, limit: Duration) {
        self.lock().of_job = Some(limit);
        self.changed.notify_one();
    }

    pub(crate) fn set_of_kind(&self, limit: Duration) {
        self.lock().of_kind = Some(limit);
        self.changed.notify_one();
    }

    /// Notes that the lease is lost. The first time stays.
    pub(crate) fn lose(&self, now: Instant) {
        self.lock().lost_at.get_or_insert(now);
        self.changed.notify_one();
    }

    pub(crate) fn lost_at(&self) -> Option<Instant> {
        self.lock().lost_at
    }

    pub(crate) fn get(&self, default: Option<Duration>) -> Option<Duration> {
        let settings = self.lock();
        settings.of_job.or(settings.of_kind).or(default)
    }

    /// Resolves when a handler that started at `started` has run for as long as it may.
    pub(crate) async fn passed(&self, started: Instant, default: Option<Duration>) -> Overrun {
        loop {
            if self.lost_at().is_some() {
                return Overrun::LeaseLost;
            }
            // A limit beyond what the clock can count is none.
            let end = self.get(default).and_then(|limit| started.checked_add(limit));
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = until(end) => return Overrun::Limit,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, LimitSettings> {
        self.settings.lock()
    }
}

async fn until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}
