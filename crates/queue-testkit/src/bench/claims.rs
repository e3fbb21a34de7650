//! Helpers of cases for claiming jobs.

use super::{
    Bench,
    values::{LEASE, worker},
};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Span, Timestamp};

impl Bench {
    /// A request of the usual worker.
    pub(crate) fn request(&self, limit: usize) -> ClaimRequest {
        self.request_of("worker-1", limit, LEASE)
    }

    /// A request of some worker.
    pub(crate) fn request_of(&self, name: &str, limit: usize, lease: Span) -> ClaimRequest {
        ClaimRequest::new(self.queue.clone(), worker(name), limit, lease, &*self.rng)
    }

    pub(crate) async fn send(&self, request: ClaimRequest) -> Claimed {
        self.store().claim(request).await.expect("claim answers")
    }

    pub(crate) async fn claim(&self, limit: usize) -> Vec<ClaimedJob> {
        self.send(self.request(limit)).await.jobs
    }

    /// Claims the next job, which must exist.
    pub(crate) async fn claim_one(&self) -> ClaimedJob {
        self.claim(1).await.pop().expect("a job is due")
    }

    /// Claims the next job with this lease.
    pub(crate) async fn claim_for(&self, lease: Span) -> ClaimedJob {
        let claimed = self.send(self.request_of("worker-1", 1, lease)).await;
        claimed.jobs.into_iter().next().expect("a job is due")
    }

    pub(crate) async fn put_and_claim(&self, text: &str) -> ClaimedJob {
        self.put(text).await;
        let claimed = self.claim_one().await;
        assert_eq!(claimed.record.meta.id.as_str(), text, "another job was due before it");
        claimed
    }

    /// Claims due jobs, and returns their ids in claim order.
    pub(crate) async fn claim_ids(&self, limit: usize) -> Vec<String> {
        ids_of(&self.claim(limit).await)
    }

    /// The queue's `next_due`.
    pub(crate) async fn next_due(&self) -> Option<Timestamp> {
        self.send(self.request(0)).await.next_due
    }

    /// Asserts that no job is due.
    pub(crate) async fn assert_nothing_due(&self) {
        let due = self.claim_ids(10).await;
        assert!(due.is_empty(), "nothing should be due, but: {due:?}");
    }
}

pub(crate) fn ids_of(claimed: &[ClaimedJob]) -> Vec<String> {
    claimed.iter().map(|job| job.record.meta.id.to_string()).collect()
}
