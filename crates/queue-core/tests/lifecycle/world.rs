//! Records to start from.

use queue_core::{
    ContentType, Failure, JobId, JobMeta, Kind, LeaseInfo, LeaseToken, NewJob, Payload, QueueName, Reason,
    Seq, State, Timestamp, WorkerId,
    lifecycle::{LastSettle, Settle, TrackedJob},
};

/// The time at which a waiting job is due, a lease lapses, and a terminal record is purged: the
/// clocks of the tests lie around it.
pub(crate) const BOUNDARY: Timestamp = Timestamp::from_millis(1_000_000);
/// Some moment before.
pub(crate) const EARLIER: Timestamp = Timestamp::from_millis(500_000);
/// The token of the holder whose events are tested.
pub(crate) const MINE: LeaseToken = LeaseToken::from_bytes([1; 16]);
/// The token of a later claim.
pub(crate) const THEIRS: LeaseToken = LeaseToken::from_bytes([2; 16]);
/// The token of an earlier claim.
const ANCIENT: LeaseToken = LeaseToken::from_bytes([3; 16]);

pub(crate) fn new_job(id: &str) -> NewJob {
    let payload = Payload::new("in", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("a test names valid ids"), Kind::from_static("mail"), payload)
}

pub(crate) fn queued() -> JobMeta {
    JobMeta::begin(QueueName::from_static("q"), &new_job("a"), Seq::new(7), EARLIER)
}

/// A record in the state, as a life with one claim leaves it, with everything that belongs to the
/// state.
pub(crate) fn record_in(state: State) -> TrackedJob {
    let mut job = TrackedJob::new(JobMeta { state, revision: 40, epoch: 5, ..queued() });
    job.meta.progress = Some(Box::new("half".into()));
    job.meta.last_error = Some(Failure::new("Old", "an earlier failure"));
    (job.meta.claimed_at, job.meta.failed_at) = (Some(EARLIER), Some(EARLIER));
    job.last_settle = Some(LastSettle { token: ANCIENT, settle: Settle::Fail });
    match state {
        State::Queued | State::Failing => job.meta.run_at = BOUNDARY,
        State::Processing => lease_until(&mut job, MINE, BOUNDARY),
        State::Completed | State::Failed | State::Cancelled => {
            job.meta.finished_at = Some(EARLIER);
            job.meta.purge_at = Some(BOUNDARY);
        }
    }
    job.meta.reason = (state == State::Failed).then_some(Reason::Terminal);
    job
}

/// Puts the record under a lease.
pub(crate) fn lease_until(job: &mut TrackedJob, token: LeaseToken, expires_at: Timestamp) {
    job.token = Some(token);
    job.last_settle = None;
    job.meta.state = State::Processing;
    job.meta.lease = Some(LeaseInfo { worker: WorkerId::from_static("w"), expires_at });
}
