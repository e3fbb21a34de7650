//! The jobs that the worker holds, with their leases on its own clock.

use super::Run;
use crate::ServiceWorkerBuilder;
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::Result;
use queue_worker::{
    CancelReason,
    hosted::{Heartbeat, HostedJob, HostedLease},
};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// All jobs that are held, in the order of their claims.
#[derive(Debug, Default)]
pub(super) struct HeldJobs {
    jobs: Mutex<BTreeMap<u64, Arc<HeldJob>>>,
    next: AtomicU64,
}

/// A job that is held until its settle has a verdict.
pub(super) struct HeldJob {
    pub(super) job: HostedJob,
    /// A secret, which is never shown.
    receipt: String,
    run: Weak<Run>,
    /// The service refused more than a lease of the usual length.
    asks_for_lease_alone: AtomicBool,
}

/// Keeps a job among those that are held, until it is dropped.
pub(super) struct Holding<'a> {
    jobs: &'a HeldJobs,
    number: u64,
}

impl HeldJobs {
    pub(super) fn hold(&self, held: Arc<HeldJob>) -> Holding<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.jobs.lock().insert(number, held);
        Holding { jobs: self, number }
    }

    /// The jobs under a lease that has less than this left, or with progress to be stored.
    pub(super) fn due_within(&self, left: Duration) -> Vec<Arc<HeldJob>> {
        let now = Instant::now();
        let is_due = |held: &&Arc<HeldJob>| {
            let lapses_at = held.job.lapses_at().filter(|lapses_at| *lapses_at > now);
            lapses_at.is_some_and(|lapses_at| lapses_at <= now + left || held.has_progress())
        };
        self.jobs.lock().values().filter(is_due).cloned().collect()
    }

    /// Asks handlers to stop whose lease has lapsed: no extension for a whole lease is as good as a
    /// lost one.
    pub(super) fn lose_lapsed(&self) {
        let now = Instant::now();
        for held in self.jobs.lock().values() {
            if held.job.lapses_at().is_some_and(|lapses_at| lapses_at <= now) {
                held.job.lose();
            }
        }
    }

    pub(super) fn cancel_all(&self, reason: CancelReason) {
        for held in self.jobs.lock().values() {
            held.job.cancel(reason);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.jobs.lock().len()
    }
}

impl HeldJob {
    pub(super) fn new(job: HostedJob, receipt: String, run: &Arc<Run>) -> Self {
        Self { job, receipt, run: Arc::downgrade(run), asks_for_lease_alone: AtomicBool::new(false) }
    }

    pub(super) fn receipt(&self) -> &str {
        &self.receipt
    }

    /// The next heartbeat.
    pub(super) fn heartbeat(&self, lease: Duration) -> Heartbeat {
        let mut beat = self.job.heartbeat(lease);
        if self.asks_for_lease_alone.load(Ordering::Relaxed) {
            beat.by = lease;
            beat.progress = None;
        }
        beat
    }

    /// Notes that the service refused a heartbeat. Progress that is too large, or a lease that is
    /// too long, must not cost the job its lease.
    pub(super) fn ask_for_lease_alone(&self) {
        self.asks_for_lease_alone.store(true, Ordering::Relaxed);
    }

    fn has_progress(&self) -> bool {
        !self.job.has_outcome() && self.heartbeat(Duration::ZERO).progress.is_some()
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        self.jobs.jobs.lock().remove(&self.number);
    }
}

#[async_trait]
impl HostedLease for HeldJob {
    async fn heartbeat(&self) -> Result<()> {
        let Some(run) = self.run.upgrade() else {
            self.job.lose();
            return Ok(());
        };
        match run.extend(&[self]).await?.into_iter().next() {
            Some(refused) => Err(refused.into()),
            None => Ok(()),
        }
    }

    fn lease_max(&self) -> Duration {
        *ServiceWorkerBuilder::LEASES.end()
    }

    fn time_limit(&self) -> Option<Duration> {
        self.run.upgrade().and_then(|run| run.plan.time_limit)
    }
}

impl fmt::Debug for HeldJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldJob").field("id", &self.job.meta().id).finish_non_exhaustive()
    }
}

/// How many handlers run.
#[derive(Debug)]
pub(super) struct RunningHandlers(watch::Sender<usize>);

/// Counts a handler until it is dropped.
pub(super) struct RunningHandler<'a>(&'a RunningHandlers);

impl Default for RunningHandlers {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl RunningHandlers {
    pub(super) fn begin(&self) -> RunningHandler<'_> {
        self.0.send_modify(|count| *count += 1);
        RunningHandler(self)
    }

    /// Resolves when no handler runs.
    pub(super) async fn none(&self) {
        // The sender is `self`, so there is always an answer.
        drop(self.0.subscribe().wait_for(|count| *count == 0).await);
    }
}

impl Drop for RunningHandler<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ClaimedJson;
    use queue_core::WorkerId;
    use serde_json::json;

    fn held(lease: Duration) -> Arc<HeldJob> {
        let said = json!({"queue": "q", "id": "a", "seq": 1, "epoch": 1, "attempt": 1, "kind": "k",
            "lease_ms": lease.as_millis() as u64, "receipt": "r"});
        let job: ClaimedJson = serde_json::from_value(said).unwrap();
        let claimed = job.claimed(&WorkerId::new("w").unwrap()).unwrap();
        let job = HostedJob::new(claimed, Instant::now() + lease).unwrap();
        let asks_for_lease_alone = AtomicBool::new(false);
        Arc::new(HeldJob { job, receipt: "r".to_owned(), run: Weak::new(), asks_for_lease_alone })
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_lease_counts_from_the_sending_and_a_job_without_one_is_lost() {
        let jobs = HeldJobs::default();
        let one = held(3 * SECOND);
        let other = held(60 * SECOND);
        let holding = jobs.hold(one.clone());
        let _other = jobs.hold(other.clone());
        assert_eq!(jobs.due_within(2 * SECOND).len(), 0);
        tokio::time::advance(SECOND).await;
        assert_eq!(jobs.due_within(2 * SECOND).len(), 1);
        one.job.extended(one.heartbeat(3 * SECOND), Instant::now(), 3 * SECOND);
        assert_eq!(jobs.due_within(2 * SECOND).len(), 0);
        tokio::time::advance(3 * SECOND).await;
        jobs.lose_lapsed();
        assert_eq!(jobs.due_within(2 * SECOND).len(), 0);
        assert_eq!(one.job.cancel_reason(), Some(CancelReason::LeaseLost));
        assert_eq!(other.job.cancel_reason(), None);
        drop(holding);
        assert_eq!(jobs.count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_handler_that_is_asked_to_stop_keeps_its_lease_until_it_lapses() {
        let jobs = HeldJobs::default();
        let one = held(3 * SECOND);
        let _holding = jobs.hold(one.clone());
        jobs.cancel_all(CancelReason::Shutdown);
        tokio::time::advance(2 * SECOND).await;
        assert_eq!(jobs.due_within(2 * SECOND).len(), 1);
        tokio::time::advance(SECOND).await;
        jobs.lose_lapsed();
        assert_eq!((one.job.lapses_at(), one.job.may_start()), (None, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_whose_lease_ended_before_its_start_may_not_start() {
        let one = held(3 * SECOND);
        assert!(one.job.may_start());
        tokio::time::advance(3 * SECOND).await;
        assert!(!one.job.may_start());
    }
}
