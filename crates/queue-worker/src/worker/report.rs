use super::WorkerEvent;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a worker did in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Handlers started.
    pub started: u64,
    /// Jobs completed.
    pub completed: u64,
    /// Attempts that failed and will be followed by another.
    pub failing: u64,
    /// Jobs that failed for good.
    pub failed: u64,
    /// Jobs given back uncharged.
    pub released: u64,
    /// Jobs cancelled while they ran here.
    pub cancelled: u64,
    /// Lapsed leases of others that this worker ended.
    pub rescued: u64,
    /// Outcomes that no longer counted.
    pub leases_lost: u64,
    /// Settles given up, by the shutdown deadline or because the store would not take them.
    pub abandoned: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    started: AtomicU64,
    completed: AtomicU64,
    failing: AtomicU64,
    failed: AtomicU64,
    released: AtomicU64,
    cancelled: AtomicU64,
    rescued: AtomicU64,
    leases_lost: AtomicU64,
    abandoned: AtomicU64,
}

impl Counters {
    pub(super) fn count(&self, event: &WorkerEvent) {
        let counter = match event {
            WorkerEvent::Started(_) => &self.started,
            WorkerEvent::Completed(_) => &self.completed,
            WorkerEvent::Failing(_) => &self.failing,
            WorkerEvent::Failed(_) => &self.failed,
            WorkerEvent::Released(_) => &self.released,
            WorkerEvent::Cancelled(_) => &self.cancelled,
            WorkerEvent::Stalled(_) => &self.rescued,
            WorkerEvent::LeaseLost { .. } => &self.leases_lost,
            WorkerEvent::Abandoned { .. } => &self.abandoned,
            WorkerEvent::Error(_) | WorkerEvent::HookFailed { .. } | WorkerEvent::Lagged(_) => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn report(&self) -> Report {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Report {
            started: read(&self.started),
            completed: read(&self.completed),
            failing: read(&self.failing),
            failed: read(&self.failed),
            released: read(&self.released),
            cancelled: read(&self.cancelled),
            rescued: read(&self.rescued),
            leases_lost: read(&self.leases_lost),
            abandoned: read(&self.abandoned),
        }
    }
}
