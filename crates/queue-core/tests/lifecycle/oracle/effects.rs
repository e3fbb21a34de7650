//! From the record before to the record after.

use super::{
    gates::{close, open},
    is_reserved,
};
use bytes::Bytes;
use queue_core::{
    Attempt, AttemptOutcome, Budget, ContentType, Failure, JobMeta, Reason, Retention, RetryPolicy,
    Signalling, Span, State, Timestamp,
    lifecycle::{Amendment, BodyPatch, Cause, Event, Policy, TrackedJob, Unhandled, Verdict},
};

pub(super) fn effect(job: &mut TrackedJob, event: &Event, policy: &Policy, now: Timestamp) -> Verdict {
    let own = job.meta.terms.retention;
    match event {
        Event::Complete { result, retention, .. } => {
            let body = BodyPatch::Result(result.clone());
            terminal(job, State::Completed, None, retention.unwrap_or(own.completed), now, body)
        }
        Event::Fail { cause: Cause::UnknownKind, .. } if is_reserved(&job.meta) => {
            give_back(job, Some(Span::from_secs(5)), now)
        }
        Event::Fail { failure, cause, delay, retention, .. } => {
            let retention = retention.unwrap_or(own.failed);
            let verdict = fail(job, failure, (*cause, *delay, retention), policy, now);
            started(verdict, job)
        }
        Event::Release { .. } => give_back(job, None, now),
        Event::PutBack { delay, .. } => give_back(job, Some(*delay), now),
        Event::Interrupt { progress, .. } => {
            let verdict = give_back(job, None, now);
            noted(progress.as_ref(), job);
            started(verdict, job)
        }
        Event::Snooze { delay, progress, .. } => {
            let verdict = give_back(job, Some(*delay), now);
            noted(progress.as_ref(), job);
            started(verdict, job)
        }
        Event::Expire { .. } => {
            let reason = Some(Reason::Expired);
            terminal(job, State::Cancelled, reason, own.failed, now, BodyPatch::Keep)
        }
        Event::Extend { by, progress, .. } => {
            job.meta.lease.as_mut().expect("a held job has a lease").expires_at = now + *by;
            job.meta.progress = progress.clone().map(Box::new).or(job.meta.progress.take());
            written(BodyPatch::Keep)
        }
        _ => effect_of_anybody(job, event, policy, now),
    }
}

fn effect_of_anybody(job: &mut TrackedJob, event: &Event, policy: &Policy, now: Timestamp) -> Verdict {
    let own = job.meta.terms.retention;
    match event {
        Event::Lapse => {
            let verdict = stall(job, policy, now);
            started(verdict, job)
        }
        Event::Cancel { .. } if job.meta.state == State::Processing => {
            job.meta.cancel_requested = true;
            written(BodyPatch::Keep)
        }
        Event::Cancel { .. } => terminal(job, State::Cancelled, None, own.failed, now, BodyPatch::Keep),
        Event::Await => {
            job.meta.awaited = true;
            written(BodyPatch::Keep)
        }
        Event::Suspend { timeout, progress, .. } => {
            let verdict = give_back(job, Some(timeout.unwrap_or(Span::MAX)), now);
            noted(progress.as_ref(), job);
            if !job.meta.state.is_terminal() {
                close(job, event);
            }
            started(verdict, job)
        }
        Event::Seal => {
            job.meta.gate.as_mut().expect("it has one").is_sealed = true;
            written(BodyPatch::Keep)
        }
        Event::SetRetention(Retention::Remove) | Event::Delete => {
            if let Signalling::Owed(_) = job.meta.signalling {
                job.meta.signalling = Signalling::Sent;
            }
            Verdict::Removed
        }
        Event::SetRetention(retention) => {
            job.meta.purge_at = purge_at(*retention, now);
            written(BodyPatch::Keep)
        }
        Event::Redrive { content_type } => {
            let verdict = redrive(job, content_type.clone(), now);
            open(job);
            started(verdict, job)
        }
        Event::Promote => {
            (job.meta.state, job.meta.run_at) = (waiting_state(&job.meta), job.meta.run_at.min(now));
            open(job);
            written(BodyPatch::Keep)
        }
        Event::Reschedule { delay } => {
            (job.meta.state, job.meta.run_at) = (waiting_state(&job.meta), now + *delay);
            written(BodyPatch::Keep)
        }
        Event::Amend(new) => amended(job, new, now),
        _ => unreachable!("only a holder does {event:?}"),
    }
}

fn amended(job: &mut TrackedJob, new: &Amendment, now: Timestamp) -> Verdict {
    if let Some(delay) = new.delay {
        job.meta.run_at = now + delay;
    }
    if let Some(priority) = new.priority {
        job.meta.priority = priority;
    }
    if let Some(retention) = new.retention {
        job.meta.terms.retention = retention;
    }
    written(new.payload.clone().map_or(BodyPatch::Keep, BodyPatch::Payload))
}

fn fail(
    job: &mut TrackedJob,
    failure: &Failure,
    (cause, delay, retention): (Cause, Option<Span>, Retention),
    policy: &Policy,
    now: Timestamp,
) -> Verdict {
    let failures = job.meta.failures + 1;
    let wait = delay.or_else(|| named_wait(&policy.retry, failures));
    let unless_retried = |rule, reason| (rule == Unhandled::Fail).then_some(reason);
    let final_for = match cause {
        Cause::Terminal => Some(Reason::Terminal),
        Cause::UnknownKind => unless_retried(policy.unknown_kind, Reason::UnknownKind),
        Cause::Undecodable => unless_retried(policy.undecodable, Reason::Undecodable),
        Cause::Retryable => None,
    };
    let exhausted = wait.is_none() || reached(job.meta.terms.max_attempts, failures);
    let reason = final_for.or(exhausted.then_some(Reason::Exhausted));
    let before = job.clone();
    job.meta.failures = failures;
    job.meta.last_error = Some(failure.clone().without_details());
    job.meta.failed_at = Some(now);
    let body = BodyPatch::ErrorDetails(failure.details().cloned());
    let verdict = match reason {
        _ if job.meta.cancel_requested => terminal(job, State::Cancelled, None, retention, now, body),
        Some(_) => terminal(job, State::Failed, reason, retention, now, body),
        None => {
            let wait = wait.expect("without a wait it is exhausted");
            waiting(job, State::Failing, now + wait, body)
        }
    };
    let verdict = charged(verdict, &before, AttemptOutcome::Failed, failure, now);
    unchanged_if_removed(job, before, verdict)
}

/// The progress that a holder leaves for the next attempt, if there is one.
fn noted(progress: Option<&Bytes>, job: &mut TrackedJob) {
    if let (State::Queued | State::Failing, Some(progress)) = (job.meta.state, progress) {
        job.meta.progress = Some(Box::new(progress.clone()));
    }
}

/// A job that waits again has started before, or must run in any case: its expiry no longer counts.
fn started(verdict: Verdict, job: &mut TrackedJob) -> Verdict {
    let waits = matches!(job.meta.state, State::Queued | State::Failing);
    job.meta.expiry_lifted |= waits && job.meta.expires_in.is_some();
    verdict
}

fn stall(job: &mut TrackedJob, policy: &Policy, now: Timestamp) -> Verdict {
    let (stalls, retention) = (job.meta.stalls + 1, job.meta.terms.retention.failed);
    let before = job.clone();
    job.meta.stalls = stalls;
    let failure = Failure::new("Stalled", "the lease lapsed before the worker settled the job");
    job.meta.last_error = Some(failure.clone());
    job.meta.failed_at = Some(now);
    let body = BodyPatch::ErrorDetails(None);
    let verdict = if job.meta.cancel_requested {
        terminal(job, State::Cancelled, None, retention, now, body)
    } else if reached(job.meta.terms.max_stalls, stalls) {
        terminal(job, State::Failed, Some(Reason::Stalled), retention, now, body)
    } else {
        let never_waits = stalls == 1 || job.meta.kind.as_str().starts_with("queue.");
        let wait = if never_waits { None } else { named_wait(&policy.stall, stalls - 1) };
        let run_at = wait.map_or(job.meta.run_at, |wait| now + wait);
        waiting(job, State::Failing, run_at, body)
    };
    let verdict = charged(verdict, &before, AttemptOutcome::Stalled, &failure, now);
    unchanged_if_removed(job, before, verdict)
}

fn give_back(job: &mut TrackedJob, delay: Option<Span>, now: Timestamp) -> Verdict {
    let meta = &job.meta;
    if meta.cancel_requested {
        return terminal(job, State::Cancelled, None, meta.terms.retention.failed, now, BodyPatch::Keep);
    }
    let run_at = delay.map_or(meta.run_at, |delay| now + delay);
    waiting(job, waiting_state(&job.meta), run_at, BodyPatch::Keep)
}

/// Queued, or Failing if an attempt was charged in this life.
fn waiting_state(job: &JobMeta) -> State {
    if (job.failures, job.stalls) == (0, 0) { State::Queued } else { State::Failing }
}

fn redrive(job: &mut TrackedJob, content_type: Option<ContentType>, now: Timestamp) -> Verdict {
    (job.meta.failures, job.meta.stalls, job.meta.cancel_requested) = (0, 0, false);
    (job.meta.last_error, job.meta.failed_at) = (None, None);
    (job.meta.reason, job.meta.progress) = (None, None);
    (job.meta.finished_at, job.meta.purge_at) = (None, None);
    waiting(job, State::Queued, now, BodyPatch::Clear { content_type })
}

fn waiting(job: &mut TrackedJob, state: State, run_at: Timestamp, body: BodyPatch) -> Verdict {
    (job.token, job.meta.lease) = (None, None);
    (job.meta.state, job.meta.run_at) = (state, run_at);
    written(body)
}

fn terminal(
    job: &mut TrackedJob,
    state: State,
    reason: Option<Reason>,
    retention: Retention,
    now: Timestamp,
    body: BodyPatch,
) -> Verdict {
    let minute = Span::from_secs(60);
    let retention = match retention {
        _ if job.meta.signalling != Signalling::None => Retention::Forever,
        Retention::Remove if job.meta.awaited => Retention::Keep(minute),
        Retention::Keep(span) if job.meta.awaited && span < minute => Retention::Keep(minute),
        other => other,
    };
    if retention == Retention::Remove {
        return Verdict::Removed;
    }
    (job.token, job.meta.lease) = (None, None);
    (job.meta.state, job.meta.reason, job.meta.finished_at) = (state, reason, Some(now));
    if let Signalling::Owed(_) = job.meta.signalling {
        job.meta.signalling = Signalling::Sent;
    }
    job.meta.purge_at = purge_at(retention, now);
    written(body)
}

fn written(body: BodyPatch) -> Verdict {
    Verdict::Written { body, attempt: None }
}

/// A charge is recorded for the worker that held the job.
fn charged(
    verdict: Verdict,
    before: &TrackedJob,
    outcome: AttemptOutcome,
    failure: &Failure,
    now: Timestamp,
) -> Verdict {
    let Verdict::Written { body, .. } = verdict else { return verdict };
    let held = &before.meta;
    let attempt = Attempt {
        epoch: held.epoch,
        worker: held.lease.clone().expect("a held job has a lease").worker,
        claimed_at: held.claimed_at.expect("a held job was claimed"),
        ended_at: now,
        outcome,
        error_name: failure.name().to_owned(),
        error_message: failure.message().to_owned(),
    };
    Verdict::Written { body, attempt: Some(Box::new(attempt)) }
}

fn unchanged_if_removed(job: &mut TrackedJob, before: TrackedJob, verdict: Verdict) -> Verdict {
    if verdict == Verdict::Removed {
        *job = before;
    }
    verdict
}

fn purge_at(retention: Retention, now: Timestamp) -> Option<Timestamp> {
    match retention {
        Retention::Keep(span) => Some(now + span),
        Retention::Remove | Retention::Forever => None,
    }
}

fn reached(budget: Budget, used: u32) -> bool {
    matches!(budget, Budget::Limited(limit) if used >= limit.get())
}

fn named_wait(policy: &RetryPolicy, n: u32) -> Option<Span> {
    match policy {
        RetryPolicy::Custom(wait) => wait(n).map(Span::at_most),
        _ => None,
    }
}
