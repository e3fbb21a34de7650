//! How a claim changes a job.

use crate::{LeaseInfo, State, Timestamp, lifecycle::TrackedJob, storage::ClaimRequest};

/// Leases a due job to the sender of a claim. The store selects the jobs and their order.
pub fn lease(job: &mut TrackedJob, request: &ClaimRequest, now: Timestamp) {
    job.token = Some(request.token);
    job.last_settle = None;
    let meta = &mut job.meta;
    meta.state = State::Processing;
    meta.epoch += 1;
    meta.revision += 1;
    meta.claimed_at = Some(now);
    meta.lease = Some(LeaseInfo { worker: request.worker.clone(), expires_at: now + request.lease });
}
