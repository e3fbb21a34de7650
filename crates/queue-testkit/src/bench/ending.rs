//! What must hold at the end of every case, whatever it was about.

use super::Bench;
use queue_core::{Counts, ErrorKind, JobMeta, ListQuery, Prune, Reason, State, StorageExt, Timestamp};
use std::{collections::HashSet, sync::PoisonError};

const PAGE: usize = 1000;
const PRUNE_ROUNDS_MAX: usize = 1000;

impl Bench {
    /// Records, counts and indexes add up (I20). A store that the case closed is left alone.
    pub(crate) async fn check_conservation(&self) {
        let Some(store) = self.open_store() else { return };
        match store.verify().await {
            Ok(findings) => assert!(findings.is_empty(), "verify found: {findings:#?}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported, "verify fails: {error}"),
        }
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for queue in queues {
            self.on_queue(queue.as_str()).check_queue().await;
        }
    }

    async fn check_queue(&self) {
        self.prune_expired().await;
        let jobs = self.list(ListQuery::all(self.queue.clone(), PAGE)).await;
        let counts = self.counts().await;
        for job in &jobs {
            check_record(job, counts.now);
        }
        check_listing(&jobs);
        check_counts(&jobs, &counts);
        self.check_status(&jobs, counts).await;
    }

    /// The list of queues says the same, where there is one.
    async fn check_status(&self, jobs: &[JobMeta], counts: Counts) {
        let store = self.store();
        if !store.capabilities().queues {
            return;
        }
        match store.status_of(&self.queue).await.expect("queues answers") {
            Some(status) => assert_eq!(status.counts, counts, "a queue listed and counted"),
            None => assert!(jobs.is_empty(), "a queue with jobs is listed"),
        }
    }

    /// Overdue records may still be counted, so they go first.
    async fn prune_expired(&self) {
        for _ in 0..PRUNE_ROUNDS_MAX {
            if self.prune(Prune::Expired, PAGE).await < PAGE as u64 {
                return;
            }
        }
        panic!("pruning does not end");
    }
}

/// Ids are unique and lives stand in their order (I9).
fn check_listing(jobs: &[JobMeta]) {
    let ids: HashSet<_> = jobs.iter().map(|job| &job.id).collect();
    assert_eq!(ids.len(), jobs.len(), "an id is listed twice");
    assert!(jobs.is_sorted_by(|a, b| a.seq < b.seq), "the listing is not in the order of seq");
}

fn check_counts(jobs: &[JobMeta], counts: &Counts) {
    for state in State::ALL {
        let listed = jobs.iter().filter(|job| job.state == state).count() as u64;
        assert_eq!(counts.of(state), listed, "jobs counted and listed as {state}");
    }
    let scheduled = jobs.iter().filter(|job| job.is_scheduled(counts.now)).count() as u64;
    assert_eq!(counts.scheduled, scheduled, "jobs counted and listed as scheduled");
    let oldest = jobs.iter().filter(|job| job.is_due(counts.now)).map(|job| job.run_at).min();
    assert_eq!(counts.oldest_due, oldest, "the oldest due job");
}

/// The parts of one record agree with its state.
fn check_record(job: &JobMeta, now: Timestamp) {
    let terminal = job.state.is_terminal();
    assert_eq!(job.lease.is_some(), job.state == State::Processing, "a lease belongs to Processing: {job:?}");
    assert_eq!(job.finished_at.is_some(), terminal, "terminal jobs have finished: {job:?}");
    assert!(terminal || job.purge_at.is_none(), "only terminal jobs are purged: {job:?}");
    let has_reason = match job.state {
        State::Failed => job.reason.is_some_and(|reason| reason != Reason::Expired),
        State::Cancelled => matches!(job.reason, None | Some(Reason::Expired)),
        _ => job.reason.is_none(),
    };
    assert!(has_reason, "Failed jobs say why, and Cancelled ones if nobody asked for it: {job:?}");
    assert!(!job.is_purged(now), "a purged record is listed: {job:?}");
    assert!(job.revision > job.epoch, "each claim is a revision: {job:?}");
    if !terminal {
        assert!(!job.max_attempts.is_spent(job.failures), "a job out of attempts goes on: {job:?}");
        assert!(!job.max_stalls.is_spent(job.stalls), "a job out of stalls goes on: {job:?}");
    }
}
