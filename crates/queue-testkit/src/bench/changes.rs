//! Helpers of cases for settling and changing jobs.

use super::{
    Bench,
    values::{RETRY, failure, id, policy, text_payload},
};
use queue_core::{
    Applied, Certainty, Changed, ClaimedJob, Error, ErrorKind, JobMeta, LeaseToken, NewJob, Payload, Span,
    StorageExt,
    lifecycle::{Cause, Event, OnProcessing, Transition, decide},
};

/// The result that the helpers settle with.
pub(crate) const RESULT: &str = "done";

pub(crate) fn complete(token: LeaseToken) -> Event {
    complete_with(token, text_payload(RESULT))
}

pub(crate) fn complete_with(token: LeaseToken, result: Payload) -> Event {
    Event::Complete { token, result, retention: None, then: Vec::new() }
}

/// Completes with followers.
pub(crate) fn complete_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Complete { token, result: text_payload(RESULT), retention: None, then }
}

/// Fails with the usual failure.
pub(crate) fn fail(token: LeaseToken) -> Event {
    fail_because(token, Cause::Retryable)
}

pub(crate) fn fail_because(token: LeaseToken, cause: Cause) -> Event {
    Event::Fail { token, failure: failure(), cause, delay: None, retention: None, then: Vec::new() }
}

/// Releases the job.
pub(crate) fn release(token: LeaseToken) -> Event {
    Event::release(token)
}

/// Snoozes for the usual time.
pub(crate) fn snooze(token: LeaseToken) -> Event {
    Event::snooze(token, RETRY)
}

/// A way to end a lease with followers.
pub(crate) type Followed = fn(LeaseToken, Vec<NewJob>) -> Event;

/// Each way to end a lease with followers.
pub(crate) const FOLLOWED: [Followed; 5] =
    [complete_then, fail_for_good_then, release_then, interrupt_then, snooze_then];

/// Fails for good, with followers.
pub(crate) fn fail_for_good_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    fail_then(token, Cause::Terminal, then)
}

/// Fails for a cause; the followers come if that ends the job.
pub(crate) fn fail_then(token: LeaseToken, cause: Cause, then: Vec<NewJob>) -> Event {
    Event::Fail { token, failure: failure(), cause, delay: None, retention: None, then }
}

/// Releases, with followers.
pub(crate) fn release_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Release { token, then }
}

/// Interrupts, with followers.
pub(crate) fn interrupt_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Interrupt { token, progress: None, then }
}

/// Snoozes for the usual time, with followers.
pub(crate) fn snooze_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Snooze { token, delay: RETRY, progress: None, then }
}

/// Extends the lease.
pub(crate) fn extend(token: LeaseToken, by: Span) -> Event {
    Event::Extend { token, by, progress: None }
}

/// The ways to end the lease of a job that has started, or has no expiry.
pub(crate) const SETTLES: [fn(LeaseToken) -> Event; 4] = [complete, fail, release, snooze];

/// Asserts that a call was refused before it wrote anything.
pub(crate) fn assert_refused(refused: &Error) {
    let found = (refused.kind(), refused.certainty());
    assert_eq!(found, (ErrorKind::Invalid, Certainty::NotApplied), "{refused}");
}

/// Decides with the suite's policy.
pub(crate) fn decided(meta: &JobMeta, event: Event) -> Transition {
    decide(meta, event, &policy()).expect("the event makes sense for the job as it was seen")
}

impl Bench {
    /// Settles a claimed job, and returns any outcome.
    pub(crate) async fn settle(&self, claimed: &ClaimedJob, event: Event) -> Changed {
        self.store().settle(&claimed.record.meta, event, &policy()).await.expect("settle answers")
    }

    /// Settles a claimed job as its holder, and returns the record as it then was.
    pub(crate) async fn settled(&self, claimed: &ClaimedJob, event: Event) -> JobMeta {
        expect_done(self.settle(claimed, event).await)
    }

    pub(crate) async fn complete(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, complete(claimed.token)).await
    }

    pub(crate) async fn fail(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, fail(claimed.token)).await
    }

    pub(crate) async fn fail_terminally(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, fail_because(claimed.token, Cause::Terminal)).await
    }

    pub(crate) async fn release(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, release(claimed.token)).await
    }

    /// Changes a job without holding it.
    pub(crate) async fn change(&self, text: &str, event: Event) -> Changed {
        self.store().change(&self.queue, &id(text), event, &policy()).await.expect("change answers")
    }

    /// Changes a job, which must succeed.
    pub(crate) async fn changed(&self, text: &str, event: Event) -> JobMeta {
        expect_done(self.change(text, event).await)
    }

    /// Cancels a job, or asks its holder to stop if it runs.
    pub(crate) async fn cancel(&self, text: &str) -> Changed {
        self.change(text, Event::Cancel { processing: OnProcessing::Request }).await
    }

    pub(crate) async fn apply_all(&self, batch: Vec<Transition>) -> Vec<Applied> {
        let sent = batch.len();
        let applied = self.store().apply(batch).await.expect("apply answers").value;
        assert_eq!(applied.len(), sent, "one answer for each transition");
        applied
    }

    pub(crate) async fn apply(&self, transition: Transition) -> Applied {
        self.apply_all(vec![transition]).await.pop().expect("one answer")
    }

    /// Applies transitions that must be refused.
    pub(crate) async fn apply_refused(&self, batch: Vec<Transition>) -> Error {
        self.store().apply(batch).await.expect_err("it is refused")
    }

    pub(crate) async fn rescue(&self) -> Vec<JobMeta> {
        self.store().rescue(&self.queue, 1000, &policy()).await.expect("rescue answers")
    }
}

/// Asserts that every answer is "done". It is a macro so that a failure names the case's line.
macro_rules! assert_done {
    ($answers:expr) => {
        for (at, answer) in $answers.iter().enumerate() {
            assert!(answer.is_done(), "item {at} should be done, but: {answer:?}");
        }
    };
}
pub(crate) use assert_done;

fn expect_done(changed: Changed) -> JobMeta {
    match changed {
        Changed::Done(meta) => meta,
        other => panic!("it should be done, but: {other:?}"),
    }
}
