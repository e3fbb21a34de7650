use super::WorkerEvent;
use queue_core::Error;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a worker did in one run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// What ended the run, if nobody asked it to end: the store is closed for good and answers nothing any more.
    pub error: Option<Error>,
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
    /// Jobs cancelled while they ran here, and those that could not start in time.
    pub cancelled: u64,
    /// Lapsed leases of others that this worker ended.
    pub rescued: u64,
    /// Outcomes that no longer counted.
    pub leases_lost: u64,
    /// Settles given up, by the shutdown deadline or because the store would not take them.
    pub abandoned: u64,
}

/// What a report counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Started,
    Completed,
    Failing,
    Failed,
    Released,
    Cancelled,
    Rescued,
    LeaseLost,
    Abandoned,
}

const KINDS: usize = Counted::Abandoned as usize + 1;

#[derive(Debug, Default)]
pub(super) struct Counters([AtomicU64; KINDS]);

impl Counted {
    pub(super) fn of(event: &WorkerEvent) -> Option<Self> {
        Some(match event {
            WorkerEvent::Started(_) => Self::Started,
            WorkerEvent::Completed(_) => Self::Completed,
            WorkerEvent::Failing(_) => Self::Failing,
            WorkerEvent::Failed(_) => Self::Failed,
            WorkerEvent::Released(_) => Self::Released,
            WorkerEvent::Cancelled(_) => Self::Cancelled,
            WorkerEvent::Stalled(_) => Self::Rescued,
            WorkerEvent::LeaseLost { .. } => Self::LeaseLost,
            WorkerEvent::Abandoned { .. } => Self::Abandoned,
            WorkerEvent::Error(_)
            | WorkerEvent::HookFailed { .. }
            | WorkerEvent::Lagged(_)
            | WorkerEvent::Draining
            | WorkerEvent::TicksSkipped { .. } => return None,
        })
    }
}

impl Counters {
    pub(super) fn count(&self, counted: Option<Counted>) {
        if let Some(counted) = counted {
            self.0[counted as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn report(&self) -> Report {
        let read = |counted: Counted| self.0[counted as usize].load(Ordering::Relaxed);
        Report {
            error: None,
            started: read(Counted::Started),
            completed: read(Counted::Completed),
            failing: read(Counted::Failing),
            failed: read(Counted::Failed),
            released: read(Counted::Released),
            cancelled: read(Counted::Cancelled),
            rescued: read(Counted::Rescued),
            leases_lost: read(Counted::LeaseLost),
            abandoned: read(Counted::Abandoned),
        }
    }
}
