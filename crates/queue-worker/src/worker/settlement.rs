use super::{HeldJob, JobEnd};
use crate::handler::{Executed, Verdict};
use queue_core::{
    Error, Failure, JobMeta, Limits, Span, State,
    lifecycle::{Cause, Event, Policy, Transition, decide},
};
use std::{sync::Arc, time::Duration};

/// The end of a job here, on its way to the store.
#[derive(Debug)]
pub(super) struct Settlement {
    pub(super) job: Arc<HeldJob>,
    /// The job as last seen; newer than the claim once the store answered that flags moved.
    pub(super) seen: JobMeta,
    event: Event,
    /// How long the handler ran, if it did.
    ran_for: Option<Duration>,
}

/// What the end of an attempt means for its job.
pub(super) fn of_executed(job: Arc<HeldJob>, executed: Executed) -> Settlement {
    let (token, keep, ran_for) = (job.token(), executed.retention, executed.ran_for());
    let event = match executed.outcome {
        Ok(result) => Event::Complete { token, result, retention: keep, then: job.take_then() },
        Err(error) => match error.0 {
            Verdict::Fail { failure, cause, delay, retention } => {
                Event::Fail { token, failure, cause, delay, retention: keep.or(retention) }
            }
            Verdict::Snooze(delay) => Event::Snooze { token, delay },
            Verdict::Release => Event::Release { token },
        },
    };
    Settlement { ran_for, ..Settlement::new(job, event) }
}

impl Settlement {
    fn new(job: Arc<HeldJob>, event: Event) -> Self {
        Self { seen: job.meta().clone(), job, event, ran_for: None }
    }

    /// Gives an unfinished job back.
    pub(super) fn release(job: Arc<HeldJob>) -> Self {
        let token = job.token();
        Self::new(job, Event::Release { token })
    }

    /// Puts an unstarted job back for a while.
    pub(super) fn put_back(job: Arc<HeldJob>, delay: Span) -> Self {
        let token = job.token();
        Self::new(job, Event::Snooze { token, delay })
    }

    /// Makes an outcome that no store would take into one that says so: a failure loses its details, of which the
    /// error tells, and anything else becomes a final failure.
    pub(super) fn fit(mut self, limits: &Limits, policy: &Policy) -> (Self, Option<Error>) {
        let Some(error) = self.decide(policy).and_then(|transition| refusal(limits, &transition)) else {
            return (self, None);
        };
        if let Event::Fail { failure, .. } = &mut self.event {
            *failure = failure.clone().without_details();
            return (self, Some(error));
        }
        let (token, failure) = (self.job.token(), Failure::new("Unstorable", error.message()));
        self.event = Event::Fail { token, failure, cause: Cause::Terminal, delay: None, retention: None };
        (self, None)
    }

    /// The transition for the job as last seen; `None` if it is seen to be no longer leased.
    pub(super) fn decide(&self, policy: &Policy) -> Option<Transition> {
        decide(&self.seen, self.event.clone(), policy).ok()
    }

    /// The same on newer knowledge.
    pub(super) fn again(self, seen: JobMeta) -> Self {
        Self { seen, ..self }
    }

    /// What to tell the observer, from the record as it then stood or was last seen before its removal.
    pub(super) fn done(&self, after: JobMeta) -> super::WorkerEvent {
        use super::WorkerEvent as E;
        let name = match (&self.event, after.state) {
            (Event::Complete { .. }, _) => E::Completed,
            (_, State::Cancelled) => E::Cancelled,
            (_, State::Failed) => E::Failed,
            (Event::Fail { .. }, State::Failing) => E::Failing,
            // Removed at once: the record still looks as it did before.
            (Event::Fail { .. }, _) if after.cancel_requested => E::Cancelled,
            (Event::Fail { .. }, _) => E::Failed,
            (_, State::Processing) => E::Cancelled,
            _ => E::Released,
        };
        name(self.end(after))
    }

    fn end(&self, meta: JobMeta) -> JobEnd {
        let error = match &self.event {
            Event::Fail { failure, .. } => Some(failure.clone()),
            _ => None,
        };
        JobEnd { meta, attempt: self.job.meta().attempt(), ran_for: self.ran_for, error }
    }
}

fn refusal(limits: &Limits, transition: &Transition) -> Option<Error> {
    let weight = 1 + transition.then.len();
    limits.check_transition(transition).and_then(|()| limits.check_batch("apply", weight)).err()
}
