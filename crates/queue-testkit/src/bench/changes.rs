//! Short words of cases for settling and changing jobs.

use super::{
    Bench,
    values::{RETRY, failure, id, policy, text_payload},
};
use queue_core::{
    Applied, Certainty, Changed, ClaimedJob, Error, ErrorKind, JobMeta, LeaseToken, NewJob, Payload, Span,
    StorageExt,
    lifecycle::{Cause, Event, OnRunning, Transition, decide},
};

/// The result that short words settle with.
pub(crate) const RESULT: &str = "done";

/// Completes with the usual result.
pub(crate) fn complete(token: LeaseToken) -> Event {
    complete_with(token, text_payload(RESULT))
}

/// Completes with a result.
pub(crate) fn complete_with(token: LeaseToken, result: Payload) -> Event {
    Event::Complete { token, result, retention: None, then: Vec::new() }
}

/// Completes and enqueues what follows.
pub(crate) fn complete_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Complete { token, result: text_payload(RESULT), retention: None, then }
}

/// Fails an attempt in the usual way.
pub(crate) fn fail(token: LeaseToken) -> Event {
    fail_because(token, Cause::Retryable)
}

/// Fails an attempt for a cause.
pub(crate) fn fail_because(token: LeaseToken, cause: Cause) -> Event {
    Event::Fail { token, failure: failure(), cause, delay: None, retention: None, then: Vec::new() }
}

/// Gives the job back.
pub(crate) fn release(token: LeaseToken) -> Event {
    Event::release(token)
}

/// Puts the job off by the usual wait.
pub(crate) fn snooze(token: LeaseToken) -> Event {
    Event::snooze(token, RETRY)
}

/// A way to end a lease that jobs follow.
pub(crate) type Followed = fn(LeaseToken, Vec<NewJob>) -> Event;

/// Each way to end the lease of a job that jobs follow.
pub(crate) const FOLLOWED: [Followed; 5] =
    [complete_then, fail_for_good_then, release_then, interrupt_then, snooze_then];

/// Fails an attempt for good and enqueues what follows.
pub(crate) fn fail_for_good_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    fail_then(token, Cause::Terminal, then)
}

/// Fails an attempt for a cause, and enqueues what follows if that is the end.
pub(crate) fn fail_then(token: LeaseToken, cause: Cause, then: Vec<NewJob>) -> Event {
    Event::Fail { token, failure: failure(), cause, delay: None, retention: None, then }
}

/// Gives the job back and enqueues what follows.
pub(crate) fn release_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Release { token, then }
}

/// Gives the job back half-way and enqueues what follows.
pub(crate) fn interrupt_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Interrupt { token, progress: None, then }
}

/// Puts the job off by the usual wait and enqueues what follows.
pub(crate) fn snooze_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Snooze { token, delay: RETRY, progress: None, then }
}

/// Keeps the lease alive.
pub(crate) fn extend(token: LeaseToken, by: Span) -> Event {
    Event::Extend { token, by, progress: None }
}

/// The ways to end the lease of a job that is started, or that does not expire.
pub(crate) const SETTLES: [fn(LeaseToken) -> Event; 4] = [complete, fail, release, snooze];

/// A call was refused before anything was written.
pub(crate) fn assert_refused(refused: &Error) {
    let found = (refused.kind(), refused.certainty());
    assert_eq!(found, (ErrorKind::Invalid, Certainty::NotApplied), "{refused}");
}

/// Decides as the suite's policy says.
pub(crate) fn decided(meta: &JobMeta, event: Event) -> Transition {
    decide(meta, event, &policy()).expect("the event makes sense for the job as it was seen")
}

/// Changing jobs.
impl Bench {
    /// Settles a claimed job, whatever comes of it.
    pub(crate) async fn settle(&self, claimed: &ClaimedJob, event: Event) -> Changed {
        self.store().settle(&claimed.record.meta, event, &policy()).await.expect("settle answers")
    }

    /// Settles a claimed job as its holder, and answers the record as it then stood.
    pub(crate) async fn settled(&self, claimed: &ClaimedJob, event: Event) -> JobMeta {
        expect_done(self.settle(claimed, event).await)
    }

    /// Completes a claimed job.
    pub(crate) async fn complete(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, complete(claimed.token)).await
    }

    /// Fails a claimed job.
    pub(crate) async fn fail(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, fail(claimed.token)).await
    }

    /// Fails a claimed job for good.
    pub(crate) async fn fail_terminally(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, fail_because(claimed.token, Cause::Terminal)).await
    }

    /// Releases a claimed job.
    pub(crate) async fn release(&self, claimed: &ClaimedJob) -> JobMeta {
        self.settled(claimed, release(claimed.token)).await
    }

    /// Changes a job as somebody who does not hold it.
    pub(crate) async fn change(&self, text: &str, event: Event) -> Changed {
        self.store().change(&self.queue, &id(text), event, &policy()).await.expect("change answers")
    }

    /// Changes a job, which must work.
    pub(crate) async fn changed(&self, text: &str, event: Event) -> JobMeta {
        expect_done(self.change(text, event).await)
    }

    /// Cancels a job, asking its holder if it runs.
    pub(crate) async fn cancel(&self, text: &str) -> Changed {
        self.change(text, Event::Cancel { running: OnRunning::Request }).await
    }

    /// Applies transitions.
    pub(crate) async fn apply_all(&self, batch: Vec<Transition>) -> Vec<Applied> {
        let sent = batch.len();
        let applied = self.store().apply(batch).await.expect("apply answers").value;
        assert_eq!(applied.len(), sent, "one answer for each transition");
        applied
    }

    /// Applies one transition.
    pub(crate) async fn apply(&self, transition: Transition) -> Applied {
        self.apply_all(vec![transition]).await.pop().expect("one answer")
    }

    /// Applies transitions that are to be refused.
    pub(crate) async fn apply_refused(&self, batch: Vec<Transition>) -> Error {
        self.store().apply(batch).await.expect_err("it is refused")
    }

    /// Ends lapsed leases.
    pub(crate) async fn rescue(&self) -> Vec<JobMeta> {
        self.store().rescue(&self.queue, 1000, &policy()).await.expect("rescue answers")
    }
}

/// Every answer is that it was done. A macro, so that the case's own line is told.
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
