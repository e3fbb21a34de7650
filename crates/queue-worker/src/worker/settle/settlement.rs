//! The end of one attempt, on its way to the store.

use crate::{
    handler::{AttemptResult, Disposition, JobError},
    worker::{
        hold::HeldJob,
        watch::{CountedEnd, JobEnd, ReportCounter, WorkerEvent},
    },
};
use queue_core::{
    Error, Failure, JobMeta, NewJob, Reason, Span, State,
    lifecycle::{Cause, Event, Policy, Transition, decide},
    series::WorkOutcome,
};
use std::{sync::Arc, time::Duration};

/// The end of a job here, on its way to the store.
#[derive(Debug)]
pub(in crate::worker) struct Settlement {
    pub(in crate::worker) job: Arc<HeldJob>,
    /// The job as last seen, if that is newer than its claim: the store answered that flags moved.
    newer: Option<Box<JobMeta>>,
    event: Event,
    /// How long the handler ran, if it did.
    ran_for: Option<Duration>,
}

impl Settlement {
    /// The settlement of an attempt by what its handler and the hooks answered.
    pub(in crate::worker) fn of_executed(job: Arc<HeldJob>, executed: AttemptResult) -> Self {
        let token = job.token();
        let keep = executed.keep;
        let ran_for = executed.ran_for();
        let event = match executed.outcome {
            Ok(result) => {
                Event::Complete { token, result, retention: keep.map(Into::into), then: job.take_then() }
            }
            Err(JobError { disposition, then }) => match disposition {
                Disposition::Fail { failure, cause, delay, keep: of_failure } => {
                    let retention = keep.or(of_failure).map(Into::into);
                    Event::Fail { token, failure, cause, delay, retention, then }
                }
                // A hook may snooze a job before its handler starts.
                Disposition::Snooze(delay) if ran_for.is_none() && then.is_empty() => {
                    Event::PutBack { token, delay }
                }
                Disposition::Snooze(delay) => {
                    Event::Snooze { token, delay, progress: job.unstored_progress(), then }
                }
                Disposition::Release if ran_for.is_none() => Event::Release { token, then },
                Disposition::Release => Event::Interrupt { token, progress: job.unstored_progress(), then },
            },
        };
        Self { ran_for, ..Self::new(job, event) }
    }

    fn new(job: Arc<HeldJob>, event: Event) -> Self {
        Self { newer: None, job, event, ran_for: None }
    }

    /// The job as last seen.
    pub(in crate::worker) fn seen(&self) -> &JobMeta {
        self.newer.as_deref().unwrap_or_else(|| self.job.meta())
    }

    /// The settlement of a reserved job.
    pub(in crate::worker) fn of_reserved(job: Arc<HeldJob>, event: Event) -> Self {
        Self::new(job, event)
    }

    /// Whether the end is neither counted nor reported, as for reserved jobs unless they failed for
    /// good.
    pub(in crate::worker) fn is_silent(&self, after: &JobMeta) -> bool {
        self.job.meta().kind.is_reserved() && self.end(after) != ReportCounter::Failed
    }

    /// Gives an unstarted job back.
    pub(in crate::worker) fn release(job: Arc<HeldJob>) -> Self {
        let token = job.token();
        Self::new(job, Event::release(token))
    }

    /// Gives a job back whose handler was stopped half-way.
    pub(in crate::worker) fn interrupt(job: Arc<HeldJob>) -> Self {
        let token = job.token();
        let progress = job.unstored_progress();
        Self::new(job, Event::Interrupt { token, progress, then: Vec::new() })
    }

    /// Puts an unstarted job back for a while.
    pub(in crate::worker) fn put_back(job: Arc<HeldJob>, delay: Span) -> Self {
        let token = job.token();
        Self::new(job, Event::PutBack { token, delay })
    }

    /// Ends a job that it is too late to start. The store's time has passed that moment, as far as
    /// this process knows.
    pub(in crate::worker) fn expire(job: Arc<HeldJob>) -> Self {
        let token = Some(job.token());
        let now = job.meta().expires_at().unwrap_or_default();
        Self::new(job, Event::Expire { now, token })
    }

    /// Replaces an outcome that no store would take by one that says so. A failure loses its
    /// details, and the error is returned, to be reported. Any other outcome becomes a final
    /// failure, which carries the error itself.
    pub(in crate::worker) fn made_storable(mut self, refusal: Error) -> (Self, Option<Error>) {
        if let Event::Fail { failure, .. } = &mut self.event {
            *failure = failure.clone().without_details();
            return (self, Some(refusal));
        }
        let token = self.job.token();
        let failure = Failure::new("Unstorable", refusal.message());
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

    /// Decides on the transition for the job as last seen; `None` if it is seen to be no longer
    /// leased.
    pub(in crate::worker) fn decide(&self, policy: &Policy) -> Option<Transition> {
        let mut transition = decide(self.seen(), self.event.clone(), policy).ok()?;
        // The ticks of a schedule do not belong to the trace in which it was made.
        if !self.job.meta().kind.is_reserved() {
            self.job.headers().trace_on(&mut transition.then);
        }
        Some(transition)
    }

    /// The jobs that are to follow, if the settle is one that has followers.
    pub(in crate::worker) fn then(&self) -> &[NewJob] {
        match &self.event {
            Event::Complete { then, .. }
            | Event::Fail { then, .. }
            | Event::Release { then, .. }
            | Event::Interrupt { then, .. }
            | Event::Snooze { then, .. }
            | Event::Suspend { then, .. } => then,
            _ => &[],
        }
    }

    /// The event to settle and how long the handler ran, for a worker that leaves the decision to
    /// another place.
    pub(in crate::worker) fn into_event(mut self) -> (Event, Option<Duration>) {
        if let Event::Complete { then, .. }
        | Event::Fail { then, .. }
        | Event::Release { then, .. }
        | Event::Interrupt { then, .. }
        | Event::Snooze { then, .. } = &mut self.event
        {
            self.job.headers().trace_on(then);
        }
        (self.event, self.ran_for)
    }

    /// Makes the same settlement for a newer state of the job.
    pub(in crate::worker) fn again(self, seen: JobMeta) -> Self {
        Self { newer: Some(Box::new(seen)), ..self }
    }

    /// How the attempt ended, from the record as it then stood or was last seen before its removal.
    pub(in crate::worker) fn end(&self, after: &JobMeta) -> ReportCounter {
        match (&self.event, after.state) {
            (Event::Complete { .. }, _) => ReportCounter::Completed,
            (_, State::Cancelled) => ReportCounter::Cancelled,
            (_, State::Failed) => ReportCounter::Failed,
            (Event::Fail { .. }, State::Failing) => ReportCounter::Failing,
            // The record was removed at once, so it still looks as it did before.
            (Event::Fail { .. }, _) if after.cancel_requested => ReportCounter::Cancelled,
            (Event::Fail { .. }, _) => ReportCounter::Failed,
            (_, State::Processing) => ReportCounter::Cancelled,
            _ => ReportCounter::Released,
        }
    }

    /// The end as series count it; `None` for an end that is not reported.
    pub(in crate::worker) fn counted(&self, after: &JobMeta) -> Option<CountedEnd<'_>> {
        let outcome = match self.end(after) {
            _ if self.is_silent(after) => return None,
            ReportCounter::Completed => WorkOutcome::Completed,
            ReportCounter::Cancelled => WorkOutcome::Cancelled,
            ReportCounter::Failed => WorkOutcome::Failed,
            ReportCounter::Failing => WorkOutcome::Failing,
            _ => WorkOutcome::Released,
        };
        Some(CountedEnd { job: self.job.meta(), outcome, ran_for: self.ran_for })
    }

    /// The event for the end.
    pub(in crate::worker) fn end_event(&self, after: JobMeta) -> WorkerEvent {
        let name = match self.end(&after) {
            ReportCounter::Completed => WorkerEvent::Completed,
            ReportCounter::Cancelled => WorkerEvent::Cancelled,
            ReportCounter::Failed => WorkerEvent::Failed,
            ReportCounter::Failing => WorkerEvent::Failing,
            _ => WorkerEvent::Released,
        };
        let error = match &self.event {
            Event::Fail { failure, .. } => Some(failure.clone()),
            _ => None,
        };
        // A record that was removed at once is shown as it was before.
        let reason = matches!(self.event, Event::Expire { .. }).then_some(Reason::Expired).or(after.reason);
        let meta = JobMeta { reason, ..after };
        name(JobEnd { meta, attempt: self.job.meta().attempt(), ran_for: self.ran_for, error })
    }
}
