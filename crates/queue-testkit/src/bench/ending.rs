//! Checks at the end of every case of every subject.

use super::Bench;
use crate::cases::assert_adds_up;
use queue_core::{
    ATTEMPTS_MAX, Attempt, Counts, Direction, ErrorKind, JobAttempts, JobMeta, ListQuery, Moment, Prune,
    Reason, State, StorageExt, Timestamp, Walk, lifecycle::TrackedJob,
};
use std::collections::{BTreeSet, HashSet};

const PAGE: usize = 1000;
/// The number of jobs of a queue whose attempts are checked.
const ATTEMPTS_LOOKS: usize = 10;
const PRUNE_ROUNDS_MAX: usize = 1000;

impl Bench {
    /// Asserts that records, counts and indexes agree (I20). A store that the case has closed is
    /// skipped.
    pub(crate) async fn check_conservation(&self) {
        let Some(store) = self.open_store() else { return };
        match store.verify().await {
            Ok(findings) => assert!(findings.is_empty(), "verify found: {findings:#?}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported, "verify fails: {error}"),
        }
        let queues = self.queues.lock().clone();
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
        self.check_walks(&jobs).await;
        self.check_attempts(&jobs).await;
        if self.store().capabilities().limits.partitions {
            assert_adds_up(self, &jobs).await;
        }
        self.check_status(&jobs, counts).await;
    }

    /// Asserts that each index lists the jobs that belong there, in its order.
    async fn check_walks(&self, jobs: &[JobMeta]) {
        use Direction::{NewestFirst, OldestFirst};
        let mut walks = vec![Walk::All(NewestFirst), Walk::Due, Walk::Scheduled];
        for state in State::ALL.into_iter().filter(|state| jobs.iter().any(|job| job.state == *state)) {
            walks.extend([Walk::State(state, NewestFirst), Walk::State(state, OldestFirst)]);
        }
        if self.store().capabilities().limits.gates {
            walks.push(Walk::Gated);
        }
        let tags: BTreeSet<_> = jobs.iter().flat_map(|job| &job.tags).collect();
        for tag in tags {
            walks.extend([Walk::Tagged(tag.clone(), NewestFirst), Walk::Tagged(tag.clone(), OldestFirst)]);
        }
        for walk in walks {
            let query = ListQuery::new(self.queue.clone(), walk, PAGE);
            let moment = Moment::at(self.page(query.clone()).await.now);
            let known = jobs.iter().cloned().map(TrackedJob::new);
            let mut expected = query.page_of(known, "expected", moment).expect("it has no cursor").jobs;
            let mut found = self.list(query.clone()).await;
            // Only the first page is compared.
            found.truncate(PAGE);
            expected.truncate(PAGE);
            assert_eq!(ids(&found), ids(&expected), "along {:?}", query.walk);
            assert_eq!(found, expected, "along {:?}", query.walk);
        }
    }

    /// Asserts that attempts were charged, and are in the order of their claims.
    async fn check_attempts(&self, jobs: &[JobMeta]) {
        let store = self.store();
        if !store.capabilities().attempts {
            return;
        }
        for job in jobs.iter().filter(|job| job.epoch > 0).take(ATTEMPTS_LOOKS) {
            let answer = store.attempts_of(&self.queue, &job.id).await.expect("attempts answers").value;
            let JobAttempts { meta, attempts } = answer.expect("the job is there");
            assert_eq!(meta, *job, "a job read with its attempts");
            let charged = usize::try_from(u64::from(job.failures) + u64::from(job.stalls)).expect("few");
            assert!(
                attempts.len() >= charged.min(ATTEMPTS_MAX),
                "attempts are missing: {attempts:?} of {job:?}"
            );
            assert!(attempts.len() <= ATTEMPTS_MAX, "more than {ATTEMPTS_MAX} attempts");
            assert!(
                attempts.is_sorted_by(|a, b| a.epoch < b.epoch && a.ended_at <= b.ended_at),
                "{attempts:?}"
            );
            assert!(attempts.iter().all(|attempt| attempt.claimed_at <= attempt.ended_at), "{attempts:?}");
            if let Some(failed_at) = job.failed_at {
                let last = attempts.last().expect("a job that failed has an attempt");
                let error = job.last_error.as_ref().expect("a job that failed has an error");
                assert_eq!((last.ended_at, last.error_name.as_str()), (failed_at, error.name()), "{job:?}");
                assert_eq!(last.error_message, Attempt::excerpt(error), "{job:?}");
            }
        }
    }

    /// Asserts that the list of queues agrees.
    async fn check_status(&self, jobs: &[JobMeta], counts: Counts) {
        match self.store().status_of(&self.queue).await.expect("queues answers") {
            Some(status) => assert_eq!(status.counts, counts, "a queue listed and counted"),
            None => assert!(jobs.is_empty(), "a queue with jobs is listed"),
        }
    }

    /// Removes overdue records, which stores may still count.
    async fn prune_expired(&self) {
        for _ in 0..PRUNE_ROUNDS_MAX {
            if self.prune(Prune::Expired, PAGE).await < PAGE as u64 {
                return;
            }
        }
        panic!("pruning does not end");
    }
}

/// Asserts that ids are unique and lives are in their order (I9).
fn check_listing(jobs: &[JobMeta]) {
    let ids: HashSet<_> = jobs.iter().map(|job| &job.id).collect();
    assert_eq!(ids.len(), jobs.len(), "an id is listed twice");
    assert!(jobs.is_sorted_by(|a, b| a.seq < b.seq), "the listing is not in the order of seq");
}

fn ids(jobs: &[JobMeta]) -> Vec<&str> {
    jobs.iter().map(|job| job.id.as_str()).collect()
}

fn check_counts(jobs: &[JobMeta], counts: &Counts) {
    for state in State::ALL {
        let listed = jobs.iter().filter(|job| job.state == state).count() as u64;
        assert_eq!(counts.of(state), listed, "jobs counted and listed as {state}");
    }
    let scheduled = jobs.iter().filter(|job| job.is_scheduled(counts.now)).count() as u64;
    assert_eq!(counts.scheduled, scheduled, "jobs counted and listed as scheduled");
    let gated = jobs.iter().filter(|job| job.is_gated(counts.now)).count() as u64;
    assert_eq!(counts.gated, gated, "jobs counted and listed as gated");
    let oldest = jobs.iter().filter(|job| job.is_due(counts.now)).map(|job| job.run_at).min();
    assert_eq!(counts.oldest_due, oldest, "the oldest due job");
}

/// Asserts that the parts of one record agree with its state.
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
    assert_eq!(job.claimed_at.is_some(), job.epoch > 0, "claimed jobs have the time of it: {job:?}");
    assert_eq!(job.failed_at.is_some(), job.last_error.is_some(), "failed jobs have the time of it: {job:?}");
    assert!(!job.is_purged(now), "a purged record is listed: {job:?}");
    assert!(job.revision > job.epoch, "each claim is a revision: {job:?}");
    if !terminal {
        assert!(!job.terms.max_attempts.is_spent(job.failures), "a job out of attempts goes on: {job:?}");
        assert!(!job.terms.max_stalls.is_spent(job.stalls), "a job out of stalls goes on: {job:?}");
    }
}
