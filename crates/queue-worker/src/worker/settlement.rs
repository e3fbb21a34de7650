use super::{HeldJob, JobEnd, WorkerEvent, report::Counted};
use crate::handler::{Executed, JobError, Verdict};
use queue_core::{
    Error, Failure, JobMeta, Reason, Span, State,
    lifecycle::{Cause, Event, Policy, Transition, decide},
};
use std::{sync::Arc, time::Duration};

/// The end of a job here, on its way to the store.
#[derive(Debug)]
pub(super) struct Settlement {
    pub(super) job: Arc<HeldJob>,
    /// The job as last seen, if that is newer than its claim, since the store answered that flags moved.
    newer: Option<Box<JobMeta>>,
    event: Event,
    /// How long the handler ran, if it did.
    ran_for: Option<Duration>,
}

/// What the end of an attempt means for its job.
pub(super) fn of_executed(job: Arc<HeldJob>, executed: Executed) -> Settlement {
    let (token, keep, ran_for) = (job.token(), executed.keep, executed.ran_for());
    let event = match executed.outcome {
        Ok(result) => {
            Event::Complete { token, result, retention: keep.map(Into::into), then: job.take_then() }
        }
        Err(JobError { verdict, then }) => match verdict {
            Verdict::Fail { failure, cause, delay, keep: of_failure } => {
                let retention = keep.or(of_failure).map(Into::into);
                Event::Fail { token, failure, cause, delay, retention, then }
            }
            // A hook may answer so before the handler starts.
            Verdict::Snooze(delay) if ran_for.is_none() && then.is_empty() => Event::PutBack { token, delay },
            Verdict::Snooze(delay) => Event::Snooze { token, delay, progress: job.unstored_progress(), then },
            Verdict::Release if ran_for.is_none() => Event::Release { token, then },
            Verdict::Release => Event::Interrupt { token, progress: job.unstored_progress(), then },
        },
    };
    Settlement { ran_for, ..Settlement::new(job, event) }
}

impl Settlement {
    fn new(job: Arc<HeldJob>, event: Event) -> Self {
        Self { newer: None, job, event, ran_for: None }
    }

    /// The job as last seen.
    pub(super) fn seen(&self) -> &JobMeta {
        self.newer.as_deref().unwrap_or_else(|| self.job.meta())
    }

    /// Of a job that is the library's own.
    pub(super) fn of_reserved(job: Arc<HeldJob>, event: Event) -> Self {
        Self::new(job, event)
    }

    /// Nobody but the library has to do with it, unless it failed for good: it is neither counted nor told.
    pub(super) fn is_silent(&self, after: &JobMeta) -> bool {
        self.job.meta().kind.is_reserved() && self.end(after) != Counted::Failed
    }

    /// Gives an unstarted job back.
    pub(super) fn release(job: Arc<HeldJob>) -> Self {
        let token = job.token();
        Self::new(job, Event::release(token))
    }

    /// Gives a job back whose handler was stopped half-way.
    pub(super) fn interrupt(job: Arc<HeldJob>) -> Self {
        let (token, progress) = (job.token(), job.unstored_progress());
        Self::new(job, Event::Interrupt { token, progress, then: Vec::new() })
    }

    /// Puts an unstarted job back for a while.
    pub(super) fn put_back(job: Arc<HeldJob>, delay: Span) -> Self {
        let token = job.token();
        Self::new(job, Event::PutBack { token, delay })
    }

    /// Ends a job that it is too late to start. The store's time has passed that moment, as far as it is known here.
    pub(super) fn expire(job: Arc<HeldJob>) -> Self {
        let (token, now) = (Some(job.token()), job.meta().expires_at().unwrap_or_default());
        Self::new(job, Event::Expire { now, token })
    }

    /// Makes an outcome that no store would take into one that says so: a failure loses its details, and anything else
    /// becomes a final failure. The error is to be reported if the stored failure does not tell it.
    pub(super) fn made_storable(mut self, refusal: Error) -> (Self, Option<Error>) {
        if let Event::Fail { failure, .. } = &mut self.event {
            *failure = failure.clone().without_details();
            return (self, Some(refusal));
        }
        let (token, failure) = (self.job.token(), Failure::new("Unstorable", refusal.message()));
        self.event = Event::Fail {
            token,
            failure,
            cause: Cause::Terminal,
            delay: None,
            retention: None,
            then: Vec::new(),
        };
        (self, None)
    }

    /// The transition for the job as last seen; `None` if it is seen to be no longer leased.
    pub(super) fn decide(&self, policy: &Policy) -> Option<Transition> {
        let mut transition = decide(self.seen(), self.event.clone(), policy).ok()?;
        // The ticks of a schedule are not of the trace in which somebody made it.
        if !self.job.meta().kind.is_reserved() {
            self.job.headers().trace_on(&mut transition.then);
        }
        Some(transition)
    }

    /// The same on newer knowledge.
    pub(super) fn again(self, seen: JobMeta) -> Self {
        Self { newer: Some(Box::new(seen)), ..self }
    }

    /// What its end was, from the record as it then stood or was last seen before its removal.
    pub(super) fn end(&self, after: &JobMeta) -> Counted {
        match (&self.event, after.state) {
            (Event::Complete { .. }, _) => Counted::Completed,
            (_, State::Cancelled) => Counted::Cancelled,
            (_, State::Failed) => Counted::Failed,
            (Event::Fail { .. }, State::Failing) => Counted::Failing,
            // Removed at once: the record still looks as it did before.
            (Event::Fail { .. }, _) if after.cancel_requested => Counted::Cancelled,
            (Event::Fail { .. }, _) => Counted::Failed,
            (_, State::Processing) => Counted::Cancelled,
            _ => Counted::Released,
        }
    }

    /// The same for the observer.
    pub(super) fn end_event(&self, after: JobMeta) -> WorkerEvent {
        let name = match self.end(&after) {
            Counted::Completed => WorkerEvent::Completed,
            Counted::Cancelled => WorkerEvent::Cancelled,
            Counted::Failed => WorkerEvent::Failed,
            Counted::Failing => WorkerEvent::Failing,
            _ => WorkerEvent::Released,
        };
        let error = match &self.event {
            Event::Fail { failure, .. } => Some(failure.clone()),
            _ => None,
        };
        // Of a record that was removed at once the store shows what it was before.
        let reason = matches!(self.event, Event::Expire { .. }).then_some(Reason::Expired).or(after.reason);
        let meta = JobMeta { reason, ..after };
        name(JobEnd { meta, attempt: self.job.meta().attempt(), ran_for: self.ran_for, error })
    }
}
