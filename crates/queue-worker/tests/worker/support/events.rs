//! The events of workers with their times, for which tests can wait.

use super::FOREVER;
use parking_lot::{Mutex, MutexGuard};
use queue_worker::WorkerEvent;
use std::sync::Arc;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

/// What workers reported, in order, each event with the milliseconds since the start of the test.
/// Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Events(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    started: Instant,
    seen: Mutex<Vec<(u64, WorkerEvent)>>,
    more: Notify,
}

impl Events {
    pub(crate) fn new() -> Self {
        let (seen, more) = (Mutex::default(), Notify::new());
        Self(Arc::new(Shared { started: Instant::now(), seen, more }))
    }

    pub(crate) fn push(&self, event: &WorkerEvent) {
        let at = self.elapsed_ms();
        self.seen().push((at, event.clone()));
        self.0.more.notify_waiters();
    }

    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.0.started.elapsed().as_millis()).expect("tests are short")
    }

    /// Every event in words, such as `completed a`.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.seen().iter().map(|(_, event)| label(event)).collect()
    }

    /// The whole trace.
    pub(crate) fn trace(&self) -> Vec<(u64, String)> {
        self.seen().iter().map(|(at, event)| (*at, label(event))).collect()
    }

    /// The times of the events with this label.
    pub(crate) fn times_of(&self, wanted: &str) -> Vec<u64> {
        self.trace().into_iter().filter(|(_, label)| label == wanted).map(|(at, _)| at).collect()
    }

    pub(crate) fn count(&self, wanted: &str) -> usize {
        self.times_of(wanted).len()
    }

    /// Waits until an event with this label has happened.
    pub(crate) async fn wait_for(&self, wanted: &str) {
        self.wait_for_count(wanted, 1).await;
    }

    /// Waits until this many events with this label have happened.
    pub(crate) async fn wait_for_count(&self, wanted: &str, count: usize) {
        let wait = async {
            loop {
                let more = self.0.more.notified();
                if self.count(wanted) >= count {
                    return;
                }
                more.await;
            }
        };
        let outcome = timeout(FOREVER, wait).await;
        let mut labels = self.labels();
        labels.truncate(20);
        assert!(outcome.is_ok(), "{count} times {wanted:?} never came, only {labels:?} and perhaps more");
    }

    fn seen(&self) -> MutexGuard<'_, Vec<(u64, WorkerEvent)>> {
        self.0.seen.lock()
    }
}

fn label(event: &WorkerEvent) -> String {
    use WorkerEvent as E;
    match event {
        E::Started(job) => format!("started {}", job.id),
        E::Completed(end) => format!("completed {}", end.meta.id),
        E::Failing(end) => format!("failing {}", end.meta.id),
        E::Failed(end) => format!("failed {}", end.meta.id),
        E::Released(end) => format!("released {}", end.meta.id),
        E::Cancelled(end) => format!("cancelled {}", end.meta.id),
        E::Stalled(job) => format!("stalled {}", job.id),
        E::LeaseLost { id, .. } => format!("lost {id}"),
        E::Abandoned { id, still_runs: Some(lease), .. } => {
            format!("abandoned {id}, still runs under a lease of {} ms", lease.as_millis())
        }
        E::Abandoned { id, .. } => format!("abandoned {id}"),
        E::Replayed { id, .. } => format!("replayed {id}"),
        E::HookFailed { job, stage, failure, .. } => format!("hook {stage:?} {} {}", failure.name(), job.id),
        E::RuntimeBlocked { blocked_for } => format!("blocked {}", blocked_for.as_millis()),
        E::Error(error) => format!("error {:?}", error.kind()),
        other => format!("{other:?}"),
    }
}
