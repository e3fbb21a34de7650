//! Takes back leases of which no worker knows.

use crate::{
    JobMeta, LeaseToken, Span,
    lifecycle::{Event, Policy, Proof, Transition, decide},
};

/// Gives back, uncharged, a lease whose claim was never answered: `lease` is how long it was asked
/// for. `None` if the job is not leased, or if its lease was extended since the claim: then there
/// is a worker that holds it, for the same claim may have been answered by another path.
///
/// Unlike a [release](Event::Release) by the token of the claim, the transition holds for the
/// record as it was read. Of two programs that look for the jobs of one claim, such as two servers
/// of which a client asks the second one again, one extends a lease and hands the job out, and the
/// other one's transition is then stale.
pub fn withdraw(job: &JobMeta, lease: Span) -> Option<Transition> {
    if job.leased_for()? != lease {
        return None;
    }
    // The token of the event is not compared.
    let event = Event::release(LeaseToken::from_bytes([0; 16]));
    let mut transition = decide(job, event, &Policy::default()).ok()?;
    transition.guard.proof = Proof::Revision(job.revision);
    Some(transition)
}

#[cfg(test)]
mod tests {
    use super::withdraw;
    use crate::{
        ContentType, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, SeededRng, Seq, Span,
        State, Timestamp, WorkerId,
        lifecycle::{Event, Policy, TrackedJob, Verdict, apply, decide, lease},
        storage::ClaimRequest,
    };

    const LEASE: Span = Span::from_secs(30);

    fn claimed() -> (TrackedJob, LeaseToken) {
        let payload = Payload::new("1", ContentType::from_static("text/plain"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        let queue = QueueName::from_static("q");
        let meta = JobMeta::begin(queue.clone(), &new, Seq::new(1), Timestamp::from_millis(0));
        let mut job = TrackedJob { meta, token: None, last_settle: None };
        let request = ClaimRequest::new(queue, WorkerId::from_static("w"), 1, LEASE, &SeededRng::new(1));
        lease(&mut job, &request, Timestamp::from_millis(5));
        (job, request.token)
    }

    #[test]
    fn a_lease_that_no_worker_knows_goes_back_once_and_uncharged() {
        let (mut job, _) = claimed();
        let transition = withdraw(&job.meta, LEASE).expect("it is as it was claimed");
        let now = Timestamp::from_millis(6);
        assert!(matches!(apply(&mut job, &transition, now), Verdict::Written { attempt: None, .. }));
        assert_eq!((job.meta.state, job.meta.stalls), (State::Queued, 0));
        assert_eq!(apply(&mut job, &transition, now), Verdict::Stale);
        assert_eq!(withdraw(&job.meta, LEASE), None);
    }

    #[test]
    fn a_lease_that_was_extended_is_the_worker_s() {
        let (mut job, token) = claimed();
        let early = withdraw(&job.meta, LEASE).expect("it is as it was claimed");
        let event = Event::Extend { token, by: LEASE, progress: None };
        let extended = decide(&job.meta, event, &Policy::default()).expect("it is leased");
        let now = Timestamp::from_millis(6);
        assert!(matches!(apply(&mut job, &extended, now), Verdict::Written { .. }));
        assert_eq!(withdraw(&job.meta, LEASE), None);
        assert_eq!(apply(&mut job, &early, now), Verdict::Stale);
    }
}
