//! The events of callers that do not hold the job's lease, decided on the record as they read it.

use super::decide::{finish, keep_or_remove, requeue};
use crate::{
    ContentType, JobMeta, Retention, Span, State,
    lifecycle::{Flags, OnProcessing, Patch, Purge, Rejected, Requeue, RunAt},
};

pub(super) fn cancel(job: &JobMeta, processing: OnProcessing) -> Result<Patch, Rejected> {
    match job.state {
        State::Queued | State::Failing => {
            Ok(keep_or_remove(job, job.terms.retention.failed, finish(job, State::Cancelled)))
        }
        State::Processing if processing == OnProcessing::Request && !job.cancel_requested => {
            Ok(Patch::Flag(Flags { cancel_requested: true, awaited: false }))
        }
        State::Processing if processing == OnProcessing::Request => Err(Rejected::Already(State::Processing)),
        State::Cancelled => Err(Rejected::Already(State::Cancelled)),
        state @ (State::Processing | State::Completed | State::Failed) => Err(Rejected::NotAllowed(state)),
    }
}

pub(super) fn mark_awaited(job: &JobMeta) -> Result<Patch, Rejected> {
    if job.state.is_terminal() {
        return Err(Rejected::NotAllowed(job.state));
    }
    if job.awaited {
        return Err(Rejected::Already(job.state));
    }
    Ok(Patch::Flag(Flags { cancel_requested: false, awaited: true }))
}

pub(super) fn set_retention(job: &JobMeta, retention: Retention) -> Result<Patch, Rejected> {
    match retention {
        _ if !job.state.is_terminal() => Err(Rejected::NotAllowed(job.state)),
        Retention::Remove => Ok(Patch::Remove),
        Retention::Keep(span) => Ok(Patch::Retain(Purge::After(span))),
        Retention::Forever => Ok(Patch::Retain(Purge::Never)),
    }
}

pub(super) fn redrive(job: &JobMeta, content_type: Option<ContentType>) -> Result<Patch, Rejected> {
    if !matches!(job.state, State::Failed | State::Cancelled) {
        return Err(Rejected::NotAllowed(job.state));
    }
    let requeue = requeue(job, RunAt::After(Span::ZERO)).started(job);
    Ok(Patch::Requeue(Requeue {
        state: State::Queued,
        failures: 0,
        stalls: 0,
        fresh: true,
        content_type,
        ..requeue
    }))
}

pub(super) fn promote(job: &JobMeta) -> Result<Patch, Rejected> {
    if !job.state.is_waiting() {
        return Err(Rejected::NotAllowed(job.state));
    }
    Ok(Patch::Requeue(requeue(job, RunAt::Soonest)))
}

pub(super) fn reschedule(job: &JobMeta, delay: Span) -> Result<Patch, Rejected> {
    if !job.state.is_waiting() {
        return Err(Rejected::NotAllowed(job.state));
    }
    Ok(Patch::Requeue(requeue(job, RunAt::After(delay))))
}

/// An open gate is sealed too: the holder may suspend the job later.
pub(super) fn seal(job: &JobMeta) -> Result<Patch, Rejected> {
    match &job.gate {
        Some(gate) if gate.is_sealed => Err(Rejected::Already(job.state)),
        Some(_) if !job.state.is_terminal() => Ok(Patch::Seal),
        _ => Err(Rejected::NotAllowed(job.state)),
    }
}

pub(super) fn delete(job: &JobMeta) -> Result<Patch, Rejected> {
    if job.state == State::Processing { Err(Rejected::NotAllowed(job.state)) } else { Ok(Patch::Remove) }
}
