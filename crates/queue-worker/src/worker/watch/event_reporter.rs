//! Counts the events of one run, and passes them on.

use super::{EventObserver, WorkerEvent, WorkerReport};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the events of one run into its report, and passes them to the observer.
#[derive(Debug)]
pub(in crate::worker) struct EventReporter {
    counters: [AtomicU64; COUNTERS],
    observer: EventObserver,
}

/// A counter of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum ReportCounter {
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

const COUNTERS: usize = ReportCounter::Abandoned as usize + 1;

impl EventReporter {
    pub(in crate::worker) fn new(observer: EventObserver) -> Self {
        Self { counters: Default::default(), observer }
    }

    pub(in crate::worker) fn emit(&self, event: &WorkerEvent) {
        if let Some(counter) = ReportCounter::of(event) {
            self.count(counter);
        }
        self.observer.tell(event);
    }

    /// Reports what happens to every job. The event is made only if there is a listener.
    pub(in crate::worker) fn note(&self, counter: ReportCounter, event: impl FnOnce() -> WorkerEvent) {
        self.count(counter);
        if self.observer.has_listener() {
            self.observer.tell(&event());
        }
    }

    /// What was counted so far, without an error.
    pub(in crate::worker) fn report(&self) -> WorkerReport {
        let read = |counter: ReportCounter| self.counters[counter as usize].load(Ordering::Relaxed);
        WorkerReport {
            error: None,
            started: read(ReportCounter::Started),
            completed: read(ReportCounter::Completed),
            failing: read(ReportCounter::Failing),
            failed: read(ReportCounter::Failed),
            released: read(ReportCounter::Released),
            cancelled: read(ReportCounter::Cancelled),
            rescued: read(ReportCounter::Rescued),
            leases_lost: read(ReportCounter::LeaseLost),
            abandoned: read(ReportCounter::Abandoned),
        }
    }

    fn count(&self, counter: ReportCounter) {
        self.counters[counter as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl ReportCounter {
    fn of(event: &WorkerEvent) -> Option<Self> {
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
            | WorkerEvent::FollowerOrphaned { .. }
            | WorkerEvent::HookFailed { .. }
            | WorkerEvent::Lagged(_)
            | WorkerEvent::Draining
            | WorkerEvent::Paused
            | WorkerEvent::Replayed { .. }
            | WorkerEvent::Resumed
            | WorkerEvent::RuntimeBlocked { .. }
            | WorkerEvent::ScheduleAhead { .. }
            | WorkerEvent::TicksSkipped { .. }
            | WorkerEvent::Unreadable { .. } => return None,
        })
    }
}
