//! The state machine: turns a job as it was read and an event into a transition.

use super::amendment::amend;
use super::changes::{cancel, delete, mark_awaited, promote, redrive, reschedule, seal, set_retention};
use crate::{
    AWAITED_MIN, FailedJob, Failure, JobMeta, LeaseToken, NewJob, Payload, Reason, Retention, Signalling,
    Span, State, Timestamp,
    lifecycle::{
        Cause, CloseGate, Event, Finish, Flags, Guard, Lapse, Patch, Policy, Proof, Purge, Requeue, RunAt,
        Settle, Signals, Transition, Unhandled, policy::roll,
    },
};

/// How long a job of a reserved kind waits for a worker that knows the kind.
pub const RESERVED_KIND_WAIT: Span = Span::from_secs(5);

/// Why an event changes nothing in a job as it was read. This is an answer, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejected {
    /// The job is already as the event wants it.
    Already(State),
    /// The event is not allowed in this state.
    NotAllowed(State),
}

impl Rejected {
    /// The state of the job when it was read.
    pub const fn state(self) -> State {
        match self {
            Self::Already(state) | Self::NotAllowed(state) => state,
        }
    }
}

/// Decides what an event does to a job as it was read.
///
/// The function is pure: the same arguments give the same answer. The store compares whether the
/// job has changed since it was read, whether the token is the present one, and whether the lease
/// has lapsed.
///
/// ```
/// use queue_core::{JobId, JobMeta, Kind, NewJob, ContentType, Payload, QueueName, Seq, State, Timestamp};
/// use queue_core::lifecycle::{Event, OnProcessing, Patch, Policy, decide};
///
/// let new = NewJob::new(JobId::new("a")?, Kind::unnamed(), Payload::new("1", ContentType::from_static("text/plain")));
/// let job = JobMeta::begin(QueueName::new("q")?, &new, Seq::new(1), Timestamp::from_millis(0));
/// let transition = decide(&job, Event::Cancel { processing: OnProcessing::Leave }, &Policy::default()).expect("it waits");
/// assert!(matches!(transition.patch, Patch::Finish(finish) if finish.state == State::Cancelled));
/// # Ok::<(), queue_core::Error>(())
/// ```
pub fn decide(job: &JobMeta, event: Event, policy: &Policy) -> Result<Transition, Rejected> {
    match event {
        Event::Complete { token, result, retention, then } => {
            by_holder(job, token, Settle::Complete, complete(job, result, retention), then)
        }
        Event::Fail { token, failure, cause, delay, retention, mut then } => {
            let patch = fail(job, FailedAttempt { failure, cause, delay, retention }, policy, &mut then);
            by_holder(job, token, Settle::Fail, patch, then)
        }
        Event::Release { token, then } => {
            let patch = give_back(job, requeue(job, RunAt::Keep));
            by_holder(job, token, Settle::Release, patch, then)
        }
        Event::PutBack { token, delay } => {
            let patch = give_back(job, requeue(job, RunAt::After(delay)));
            by_holder(job, token, Settle::Snooze, patch, Vec::new())
        }
        Event::Interrupt { token, progress, then } => {
            let requeue = Requeue { progress, ..requeue(job, RunAt::Keep).started(job) };
            by_holder(job, token, Settle::Release, give_back(job, requeue), then)
        }
        Event::Snooze { token, delay, progress, then } => {
            let requeue = Requeue { progress, ..requeue(job, RunAt::After(delay)).started(job) };
            by_holder(job, token, Settle::Snooze, give_back(job, requeue), then)
        }
        Event::Suspend { token, needs, seals, heeds_urgent, timeout, progress, then } => {
            let not_completed_seen = job.gate.as_ref().map_or(0, |gate| gate.tally.not_completed());
            let closes = CloseGate { needs, seals, heeds_urgent, not_completed_seen };
            let requeue = requeue(job, RunAt::After(timeout.unwrap_or(Span::MAX))).started(job);
            let requeue = Requeue { progress, closes: Some(Box::new(closes)), ..requeue };
            by_holder(job, token, Settle::Suspend, give_back(job, requeue), then)
        }
        Event::Extend { token, by, progress } => {
            let proof = Proof::Lease { token, epoch: job.epoch, flags: None, settle: None };
            leased(job, proof, Lapse::Live, Patch::Extend { by, progress }, Vec::new())
        }
        Event::Expire { now, token } => expire(job, now, token),
        Event::Lapse => {
            let mut then = Vec::new();
            let patch = stall(job, policy, &mut then);
            leased(job, Proof::Revision(job.revision), Lapse::Lapsed, patch, then)
        }
        Event::Cancel { processing } => cancel(job, processing).map(|patch| by_anybody(job, patch)),
        Event::Await => mark_awaited(job).map(|patch| by_anybody(job, patch)),
        Event::SetRetention(retention) => set_retention(job, retention).map(|patch| by_anybody(job, patch)),
        Event::Redrive { content_type } => redrive(job, content_type).map(|patch| by_anybody(job, patch)),
        Event::Promote => promote(job).map(|patch| by_anybody(job, patch)),
        Event::Reschedule { delay } => reschedule(job, delay).map(|patch| by_anybody(job, patch)),
        Event::Amend(amendment) => amend(job, amendment).map(|patch| by_anybody(job, patch)),
        Event::Seal => seal(job).map(|patch| by_anybody(job, patch)),
        Event::Delete => delete(job).map(|patch| by_anybody(job, patch)),
    }
}

/// A transition that ends the sender's own lease. The store accepts it while the token is the
/// present one, even if the lease has lapsed.
fn by_holder(
    job: &JobMeta,
    token: LeaseToken,
    settle: Settle,
    patch: Patch,
    then: Vec<NewJob>,
) -> Result<Transition, Rejected> {
    let epoch = job.epoch;
    let flags = Some(Flags::of(job));
    let proof = Proof::Lease { token, epoch, flags, settle: Some(settle) };
    leased(job, proof, Lapse::Any, patch, then)
}

/// A transition that is allowed only while the job is leased.
fn leased(
    job: &JobMeta,
    proof: Proof,
    lapse: Lapse,
    patch: Patch,
    then: Vec<NewJob>,
) -> Result<Transition, Rejected> {
    if job.state != State::Processing {
        return Err(Rejected::NotAllowed(job.state));
    }
    Ok(transition(job, proof, lapse, patch, then))
}

/// A transition that depends on the record as it was read.
fn by_anybody(job: &JobMeta, patch: Patch) -> Transition {
    transition(job, Proof::Revision(job.revision), Lapse::Any, patch, Vec::new())
}

fn transition(job: &JobMeta, proof: Proof, lapse: Lapse, patch: Patch, then: Vec<NewJob>) -> Transition {
    let guard = Guard { state: job.state, proof, lapse };
    let signal = Signals::of(job, &patch);
    Transition { queue: job.queue.clone(), id: job.id.clone(), seq: job.seq, guard, patch, then, signal }
}

fn complete(job: &JobMeta, result: Payload, retention: Option<Retention>) -> Patch {
    let finish = Finish { result: Some(result), ..finish(job, State::Completed) };
    keep_or_remove(job, retention.unwrap_or(job.terms.retention.completed), finish)
}

struct FailedAttempt {
    failure: Failure,
    cause: Cause,
    delay: Option<crate::Span>,
    retention: Option<Retention>,
}

/// Jobs in `then` follow only a final failure, so a failure that is retried clears them.
fn fail(job: &JobMeta, attempt: FailedAttempt, policy: &Policy, then: &mut Vec<NewJob>) -> Patch {
    let FailedAttempt { failure, cause, delay, retention } = attempt;
    if cause == Cause::UnknownKind && job.kind.is_reserved() {
        // This worker is too old for the kind, but the next one may know it.
        then.clear();
        return give_back(job, requeue(job, RunAt::After(RESERVED_KIND_WAIT)));
    }
    let failures = job.failures.saturating_add(1);
    let retention = retention.unwrap_or(job.terms.retention.failed);
    let error = Some(failure);
    if job.cancel_requested {
        return keep_or_remove(job, retention, Finish { failures, error, ..finish(job, State::Cancelled) });
    }
    if let Some(reason) = final_reason(cause, policy) {
        return fail_for_good(job, retention, Finish { failures, error, ..failed(job, reason) }, then);
    }
    let wait = delay.or_else(|| policy.retry.delay(failures, roll(job)).map(Span::at_most));
    match wait {
        Some(wait) if !job.terms.max_attempts.is_spent(failures) => {
            then.clear();
            Patch::Requeue(Requeue { failures, error, ..requeue(job, RunAt::After(wait)) }.charged(job))
        }
        _ => {
            fail_for_good(job, retention, Finish { failures, error, ..failed(job, Reason::Exhausted) }, then)
        }
    }
}

/// The reason, if the cause alone makes a failure final.
fn final_reason(cause: Cause, policy: &Policy) -> Option<Reason> {
    match cause {
        Cause::Terminal => Some(Reason::Terminal),
        Cause::UnknownKind if policy.unknown_kind == Unhandled::Fail => Some(Reason::UnknownKind),
        Cause::Undecodable if policy.undecodable == Unhandled::Fail => Some(Reason::Undecodable),
        Cause::Retryable | Cause::UnknownKind | Cause::Undecodable => None,
    }
}

fn give_back(job: &JobMeta, requeue: Requeue) -> Patch {
    if job.cancel_requested {
        return keep_or_remove(job, job.terms.retention.failed, finish(job, State::Cancelled));
    }
    Patch::Requeue(requeue)
}

/// The decision checks the time, so the store compares only that the record has not changed.
fn expire(job: &JobMeta, now: Timestamp, token: Option<LeaseToken>) -> Result<Transition, Rejected> {
    if !job.is_too_late(now) {
        return Err(Rejected::NotAllowed(job.state));
    }
    let finish = Finish { reason: Some(Reason::Expired), ..finish(job, State::Cancelled) };
    let patch = keep_or_remove(job, job.terms.retention.failed, finish);
    match token {
        Some(token) => by_holder(job, token, Settle::Expire, patch, Vec::new()),
        None if job.state == State::Queued => Ok(by_anybody(job, patch)),
        None => Err(Rejected::NotAllowed(job.state)),
    }
}

fn stall(job: &JobMeta, policy: &Policy, then: &mut Vec<NewJob>) -> Patch {
    let stalls = job.stalls.saturating_add(1);
    let error = Some(Failure::new("Stalled", "the lease lapsed before the worker settled the job"));
    let retention = job.terms.retention.failed;
    if job.cancel_requested {
        return keep_or_remove(job, retention, Finish { stalls, error, ..finish(job, State::Cancelled) });
    }
    if job.terms.max_stalls.is_spent(stalls) {
        return fail_for_good(job, retention, Finish { stalls, error, ..failed(job, Reason::Stalled) }, then);
    }
    // The first lapse costs no wait, so the second counts as the first failure for the policy. The
    // library's own jobs never wait: they kill no worker, and live for years in which lapses add
    // up.
    let waits = stalls > 1 && !job.kind.is_reserved();
    let wait = if waits { policy.stall.delay(stalls - 1, roll(job)).map(Span::at_most) } else { None };
    let run_at = wait.map_or(RunAt::Keep, RunAt::After);
    Patch::Requeue(Requeue { stalls, error, ..requeue(job, run_at) }.charged(job))
}

/// A final failure, with the follow-up that the producer asked for.
fn fail_for_good(job: &JobMeta, retention: Retention, finish: Finish, then: &mut Vec<NewJob>) -> Patch {
    then.extend(FailedJob::follow_up(job, &finish));
    keep_or_remove(job, retention, finish)
}

/// Makes the job wait again, with nothing charged.
pub(super) fn requeue(job: &JobMeta, run_at: RunAt) -> Requeue {
    let (failures, stalls) = (job.failures, job.stalls);
    let state = if failures == 0 && stalls == 0 { State::Queued } else { State::Failing };
    Requeue {
        state,
        run_at,
        failures,
        stalls,
        error: None,
        progress: None,
        fresh: false,
        lifts_expiry: false,
        content_type: None,
        closes: None,
    }
}

impl Requeue {
    /// Something was charged, so the job waits as Failing.
    fn charged(self, job: &JobMeta) -> Self {
        Self { state: State::Failing, ..self.started(job) }
    }

    /// The job has started, or must run in any case, so it cannot expire any more. A job that never
    /// expires does not get the mark, so that its record stays the same.
    pub(super) fn started(self, job: &JobMeta) -> Self {
        Self { lifts_expiry: job.expires_in.is_some(), ..self }
    }
}

/// Ends the job, with nothing charged.
pub(super) fn finish(job: &JobMeta, state: State) -> Finish {
    let (failures, stalls) = (job.failures, job.stalls);
    Finish { state, reason: None, failures, stalls, result: None, error: None, purge: Purge::Never }
}

/// Ends the job as Failed, with nothing charged.
fn failed(job: &JobMeta, reason: Reason) -> Finish {
    Finish { reason: Some(reason), ..finish(job, State::Failed) }
}

/// A record that a caller waits for is kept long enough to be read, also if its retention is
/// shorter. One with end signals is kept until its retention is set: while it is there, a
/// repeated enqueue is a duplicate, and neither raises nor signals again.
pub(super) fn keep_or_remove(job: &JobMeta, retention: Retention, finish: Finish) -> Patch {
    if job.signalling != Signalling::None {
        return Patch::Finish(Finish { purge: Purge::Never, ..finish });
    }
    match if job.awaited { retention.at_least(AWAITED_MIN) } else { retention } {
        Retention::Remove => Patch::Remove,
        Retention::Keep(span) => Patch::Finish(Finish { purge: Purge::After(span), ..finish }),
        Retention::Forever => Patch::Finish(Finish { purge: Purge::Never, ..finish }),
    }
}
