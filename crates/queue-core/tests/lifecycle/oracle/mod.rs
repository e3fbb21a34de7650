//! The documented effect of each event, implemented a second time by other means: straight from the
//! record before to the record after, without guards and patches.

mod effects;
mod followers;
mod gates;

use crate::world::MINE;
use effects::effect;
pub(crate) use followers::followers;
use queue_core::{
    EndOutcome, JobMeta, Signalling, State, Timestamp,
    lifecycle::{
        Amendment, Event, LastSettle, OnProcessing, Policy, Rejected, Settle, Signals, TrackedJob, Verdict,
    },
};

/// The expectation for one row: the event is rejected, or the verdict and the record after it.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Rejected(Rejected),
    Applied(Verdict, Box<TrackedJob>),
}

/// The outcome of an event that was decided on `seen` and meets `stored` at `now`.
pub(crate) fn expect(
    seen: &JobMeta,
    stored: &TrackedJob,
    event: &Event,
    policy: &Policy,
    now: Timestamp,
) -> Outcome {
    if let Some(rejected) = rejection(seen, event) {
        return Outcome::Rejected(rejected);
    }
    let mut after = stored.clone();
    let verdict = refusal(seen, stored, event, now).unwrap_or_else(|| {
        after.meta.revision += 1;
        if let Some(settle) = settle_of(event) {
            after.last_settle = Some(LastSettle { token: MINE, settle });
        }
        effect(&mut after, event, policy, now)
    });
    Outcome::Applied(verdict, Box::new(after))
}

/// The end signals that go out with an event on a job as it was read.
pub(crate) fn signals(seen: &TrackedJob, event: &Event, policy: &Policy, now: Timestamp) -> Option<Signals> {
    let Signalling::Owed(count) = seen.meta.signalling else { return None };
    let mut after = seen.clone();
    let outcome = match (effect(&mut after, event, policy, now), after.meta.state) {
        (Verdict::Removed, _) | (_, State::Cancelled) => EndOutcome::Cancelled,
        (_, State::Completed) => EndOutcome::Completed,
        (_, State::Failed) => EndOutcome::Failed,
        _ => return None,
    };
    Some(Signals { outcome, count })
}

/// How an event settles a lease, if it does.
pub(crate) fn settle_of(event: &Event) -> Option<Settle> {
    match event {
        Event::Complete { .. } => Some(Settle::Complete),
        Event::Fail { .. } => Some(Settle::Fail),
        Event::Release { .. } | Event::Interrupt { .. } => Some(Settle::Release),
        Event::Expire { token: Some(_), .. } => Some(Settle::Expire),
        Event::Snooze { .. } | Event::PutBack { .. } => Some(Settle::Snooze),
        Event::Suspend { .. } => Some(Settle::Suspend),
        _ => None,
    }
}

#[expect(clippy::match_same_arms, reason = "one line per row of the table reads better")]
fn rejection(seen: &JobMeta, event: &Event) -> Option<Rejected> {
    use State::{Cancelled, Completed, Failed, Failing, Processing, Queued};
    let state = seen.state;
    let (no, already) = (Some(Rejected::NotAllowed(state)), Some(Rejected::Already(state)));
    match (event, state) {
        (Event::Cancel { processing: OnProcessing::Request }, Processing) if seen.cancel_requested => already,
        (Event::Cancel { processing: OnProcessing::Leave }, Processing) => no,
        (Event::Cancel { .. }, Completed | Failed) => no,
        (Event::Cancel { .. }, Cancelled) => already,
        (Event::Await, Queued | Processing | Failing) if seen.awaited => already,
        (Event::Await, Completed | Failed | Cancelled) => no,
        (Event::SetRetention(_), Queued | Processing | Failing) => no,
        (Event::Redrive { .. }, Queued | Processing | Failing | Completed) => no,
        (Event::Promote, Processing | Completed | Failed | Cancelled) => no,
        (Event::Reschedule { .. }, Processing | Completed | Failed | Cancelled) => no,
        (Event::Amend(_), Processing | Completed | Failed | Cancelled) => no,
        (Event::Amend(new), _) if has_all(seen, new) => already,
        (Event::Amend(_), _) => None,
        (Event::Seal, _) if seen.gate.as_ref().is_some_and(|gate| gate.is_sealed) => already,
        (Event::Seal, Queued | Processing | Failing) if seen.gate.is_some() => None,
        (Event::Seal, _) => no,
        (Event::Delete, Processing) => no,
        (Event::Expire { now, .. }, _) if !has_waited_too_long(seen, *now) => no,
        (Event::Expire { token: None, .. }, Queued) => None,
        (Event::Expire { token: None, .. }, _) => no,
        (Event::Cancel { .. } | Event::Await | Event::SetRetention(_), _) => None,
        (Event::Redrive { .. } | Event::Promote | Event::Reschedule { .. } | Event::Delete, _) => None,
        (_, Processing) => None,
        _ => no,
    }
}

/// Whether the record shows that an amendment changes nothing.
fn has_all(job: &JobMeta, new: &Amendment) -> bool {
    let Amendment { payload, priority, delay, retention } = new;
    let is_new = [
        payload.is_some(),
        delay.is_some(),
        priority.is_some_and(|new| new != job.priority),
        retention.is_some_and(|new| new != job.terms.retention),
    ];
    !is_new.contains(&true)
}

fn has_waited_too_long(job: &JobMeta, now: Timestamp) -> bool {
    let Some(span) = job.expires_in else { return false };
    !job.expiry_lifted && job.created_at.as_millis() + span.as_millis() <= now.as_millis()
}

/// The reason why the store refuses it, if it does.
fn refusal(seen: &JobMeta, stored: &TrackedJob, event: &Event, now: Timestamp) -> Option<Verdict> {
    let meta = &stored.meta;
    let lapsed = meta.lease.as_ref().is_some_and(|lease| lease.expires_at <= now);
    let flags_moved = (seen.cancel_requested, seen.awaited) != (meta.cancel_requested, meta.awaited);
    let revision_moved = seen.revision != meta.revision;
    if seen.seq != meta.seq || meta.purge_at.is_some_and(|at| at <= now) {
        return Some(Verdict::Missing);
    }
    let is_heartbeat = matches!(event, Event::Extend { .. });
    match settle_of(event) {
        Some(settle) if stored.token != Some(MINE) => {
            let before = stored.last_settle.is_some_and(|last| last.token == MINE && last.settle == settle);
            Some(if before { Verdict::Replayed } else { Verdict::LeaseLost })
        }
        Some(_) => flags_moved.then_some(Verdict::Stale),
        None if is_heartbeat => (stored.token != Some(MINE) || lapsed).then_some(Verdict::LeaseLost),
        None if matches!(event, Event::Lapse) => (revision_moved || !lapsed).then_some(Verdict::Stale),
        None => revision_moved.then_some(Verdict::Stale),
    }
}

/// Kinds of the library's own.
fn is_reserved(job: &JobMeta) -> bool {
    job.kind.as_str().starts_with("queue.")
}
