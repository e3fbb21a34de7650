use super::{HeldJob, dispatcher::Outcome};
use crate::handler::Verdict;
use queue_core::{
    Error, Failure, JobMeta, Limits, State,
    lifecycle::{Cause, Event, Policy, Transition, decide},
};
use std::sync::Arc;

/// The end of a job here, on its way to the store.
#[derive(Debug)]
pub(super) struct Settlement {
    pub(super) job: Arc<HeldJob>,
    /// The job as last seen; newer than the claim once the store answered that flags moved.
    pub(super) seen: JobMeta,
    event: Event,
}

/// What a handler's answer means for its job.
pub(super) fn of_outcome(job: Arc<HeldJob>, outcome: Outcome) -> Settlement {
    let token = job.token();
    let event = match outcome {
        Ok(result) => Event::Complete { token, result, retention: None, then: job.take_then() },
        Err(error) => match error.0 {
            Verdict::Fail { failure, cause, delay, retention } => {
                Event::Fail { token, failure, cause, delay, retention }
            }
            Verdict::Snooze(delay) => Event::Snooze { token, delay },
            Verdict::Release => Event::Release { token },
        },
    };
    Settlement::new(job, event)
}

impl Settlement {
    fn new(job: Arc<HeldJob>, event: Event) -> Self {
        Self { seen: job.meta().clone(), job, event }
    }

    /// Gives an unfinished job back.
    pub(super) fn release(job: Arc<HeldJob>) -> Self {
        let token = job.token();
        Self::new(job, Event::Release { token })
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
        match (&self.event, after.state) {
            (Event::Complete { .. }, _) => E::Completed(after),
            (_, State::Cancelled) => E::Cancelled(after),
            (_, State::Failed) => E::Failed(after),
            (Event::Fail { .. }, State::Failing) => E::Failing(after),
            // Removed at once: the record still looks as it did before.
            (Event::Fail { .. }, _) if after.cancel_requested => E::Cancelled(after),
            (Event::Fail { .. }, _) => E::Failed(after),
            (_, State::Processing) => E::Cancelled(after),
            _ => E::Released(after),
        }
    }
}

fn refusal(limits: &Limits, transition: &Transition) -> Option<Error> {
    let weight = 1 + transition.then.len();
    limits.check_transition(transition).and_then(|()| limits.check_batch("apply", weight)).err()
}
