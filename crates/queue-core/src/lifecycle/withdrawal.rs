//! Takes back leases of which no worker knows.

use crate::{
    Applied, JobMeta, LeaseToken, Seq, Span,
    lifecycle::{Event, Policy, Proof, Transition, decide},
};

/// A lease whose claim was never answered, and the transition that gives it back, uncharged.
///
/// Unlike a [release](Event::Release) by the token of the claim, the transition holds for the
/// record as it was read. Of two programs that look for the jobs of one claim, such as two servers
/// of which a client asks the second one again, one extends a lease and hands the job out, and the
/// other one's transition is then stale. So a lease that was extended since its claim is never
/// given back: a worker holds it, for the same claim may have been answered by another path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The life, and the claim in it.
    claim: (Seq, u64),
    lease: Span,
    transition: Transition,
}

impl Withdrawal {
    /// Of a job as the claim returned it; `None` if it is not leased.
    pub fn of(claimed: &JobMeta) -> Option<Self> {
        Self::of_lease(claimed, claimed.leased_for()?)
    }

    /// Of a job that is held by the claim, as it was read later: `lease` is how long the claim
    /// asked for. `None` if the job is not leased, or if its lease was extended.
    pub fn of_lease(job: &JobMeta, lease: Span) -> Option<Self> {
        if job.leased_for()? != lease {
            return None;
        }
        // The token of the event is not compared.
        let event = Event::release(LeaseToken::from_bytes([0; 16]));
        let mut transition = decide(job, event, &Policy::default()).ok()?;
        transition.guard.proof = Proof::Revision(job.revision);
        Some(Self { claim: (job.seq, job.epoch), lease, transition })
    }

    /// What to send after this answer of the store: the same lease in the record as it is by now,
    /// such as with a request to cancel. `None` if the lease has ended or was extended, also where
    /// a later claim holds the job, since this claim cannot know whether the answer of the later
    /// one arrived.
    pub fn again(&self, answer: &Applied) -> Option<Self> {
        let Applied::Stale(moved) = answer else { return None };
        let is_same_claim = (moved.seq, moved.epoch) == self.claim;
        is_same_claim.then(|| Self::of_lease(moved, self.lease)).flatten()
    }

    /// What gives the lease back, for [`Storage::apply`](crate::Storage::apply).
    pub const fn transition(&self) -> &Transition {
        &self.transition
    }
}

#[cfg(test)]
mod tests {
    use super::Withdrawal;
    use crate::{
        Applied, ContentType, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, SeededRng, Seq,
        Span, State, Timestamp, WorkerId,
        lifecycle::{Event, Policy, TrackedJob, Verdict, apply, decide, lease},
        storage::ClaimRequest,
    };

    const LEASE: Span = Span::from_secs(30);

    fn again(job: &mut TrackedJob) -> LeaseToken {
        let (queue, worker) = (job.meta.queue.clone(), WorkerId::from_static("w"));
        let request = ClaimRequest::new(queue, worker, 1, LEASE, &SeededRng::new(job.meta.epoch));
        lease(job, &request, Timestamp::from_millis(5));
        request.token
    }

    fn claimed() -> (TrackedJob, LeaseToken) {
        let payload = Payload::new("1", ContentType::from_static("text/plain"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        let queue = QueueName::from_static("q");
        let meta = JobMeta::begin(queue, &new, Seq::new(1), Timestamp::from_millis(0));
        let mut job = TrackedJob { meta, token: None, last_settle: None };
        let token = again(&mut job);
        (job, token)
    }

    /// Both claims ask for the same lease, so they differ in nothing else.
    #[test]
    fn a_lease_of_the_next_claim_is_not_given_back_for_the_one_before() {
        let (mut job, _) = claimed();
        let early = Withdrawal::of(&job.meta).expect("it is as it was claimed");
        assert!(matches!(
            apply(&mut job, early.transition(), Timestamp::from_millis(6)),
            Verdict::Written { .. }
        ));
        again(&mut job);
        assert_eq!(early.again(&Applied::Stale(job.meta.clone())), None);
        assert!(Withdrawal::of(&job.meta).is_some());
    }

    #[test]
    fn a_request_to_cancel_moves_a_lease_and_it_is_given_back_all_the_same() {
        let (mut job, _) = claimed();
        let early = Withdrawal::of(&job.meta).expect("it is as it was claimed");
        (job.meta.cancel_requested, job.meta.revision) = (true, job.meta.revision + 1);
        let moved = early.again(&Applied::Stale(job.meta.clone())).expect("the claim still holds it");
        assert!(matches!(
            apply(&mut job, moved.transition(), Timestamp::from_millis(6)),
            Verdict::Written { .. }
        ));
    }

    #[test]
    fn a_lease_that_no_worker_knows_goes_back_once_and_uncharged() {
        let (mut job, _) = claimed();
        let withdrawal = Withdrawal::of(&job.meta).expect("it is as it was claimed");
        let now = Timestamp::from_millis(6);
        let given_back = apply(&mut job, withdrawal.transition(), now);
        assert!(matches!(given_back, Verdict::Written { attempt: None, .. }));
        assert_eq!((job.meta.state, job.meta.stalls), (State::Queued, 0));
        assert_eq!(apply(&mut job, withdrawal.transition(), now), Verdict::Stale);
        assert_eq!(
            (Withdrawal::of(&job.meta), withdrawal.again(&Applied::Stale(job.meta.clone()))),
            (None, None)
        );
    }

    #[test]
    fn a_lease_that_was_extended_is_the_worker_s() {
        let (mut job, token) = claimed();
        let early = Withdrawal::of(&job.meta).expect("it is as it was claimed");
        let event = Event::Extend { token, by: LEASE, progress: None };
        let extended = decide(&job.meta, event, &Policy::default()).expect("it is leased");
        let now = Timestamp::from_millis(6);
        assert!(matches!(apply(&mut job, &extended, now), Verdict::Written { .. }));
        assert_eq!(
            (Withdrawal::of_lease(&job.meta, LEASE), early.again(&Applied::Stale(job.meta.clone()))),
            (None, None)
        );
        assert_eq!(apply(&mut job, early.transition(), now), Verdict::Stale);
    }
}
