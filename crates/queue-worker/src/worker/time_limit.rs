use parking_lot::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// How long a handler may run: what was said for the job rules over its kind, and that over the worker's default. It may
/// change while the handler runs, and ends at once when the lease is lost.
#[derive(Debug, Default)]
pub(crate) struct TimeLimit {
    said: Mutex<Said>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Said {
    of_job: Option<Duration>,
    of_kind: Option<Duration>,
    /// When the handler was told that the lease is lost.
    lost_at: Option<Instant>,
}

/// Why a handler may not run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    Limit,
    LeaseLost,
}

impl TimeLimit {
    /// As its producer said, if so.
    pub(crate) fn of_job(limit: Option<Duration>) -> Self {
        let said = Said { of_job: limit, ..Said::default() };
        Self { said: Mutex::new(said), changed: Notify::new() }
    }

    pub(crate) fn set_of_job(&self, limit: Duration) {
        self.said().of_job = Some(limit);
        self.changed.notify_one();
    }

    pub(crate) fn set_of_kind(&self, limit: Duration) {
        self.said().of_kind = Some(limit);
        self.changed.notify_one();
    }

    /// The first time stays.
    pub(crate) fn lose(&self, now: Instant) {
        self.said().lost_at.get_or_insert(now);
        self.changed.notify_one();
    }

    pub(crate) fn lost_at(&self) -> Option<Instant> {
        self.said().lost_at
    }

    pub(crate) fn get(&self, default: Option<Duration>) -> Option<Duration> {
        let said = self.said();
        said.of_job.or(said.of_kind).or(default)
    }

    /// Resolves when a handler that started then has run for as long as it may.
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

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock()
    }
}

async fn until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}
