//! Which change an event is, in the model's own words.

use super::{
    answer::Change,
    job::{Fate, Job, Report},
    op::{CONTENT_TYPES, How, New, What},
};
use queue_core::{
    State,
    lifecycle::{Cause, OnRunning},
};

/// How long a job of the library's own waits for somebody who knows its kind.
const OWN_KIND_WAIT_MS: i64 = 5_000;

/// The word by which a settle is known when it is repeated; a heartbeat settles nothing.
pub(super) fn word(how: &How) -> Option<&'static str> {
    match how {
        How::Complete { .. } => Some("complete"),
        How::Fail { .. } => Some("fail"),
        How::Release { .. } | How::Interrupt { .. } => Some("release"),
        How::Expire => Some("expire"),
        How::Snooze { .. } => Some("snooze"),
        How::Extend { .. } => None,
    }
}

/// What its holder does to a job.
pub(super) fn held(job: &mut Job, how: &How, now: i64) -> Fate {
    match how.clone() {
        How::Complete { result, keep, .. } => job.complete(result, keep, now),
        How::Fail { cause: Cause::UnknownKind, .. } if job.is_own() => {
            job.give_back(now + OWN_KIND_WAIT_MS, now)
        }
        How::Fail { cause, delay_ms, keep, details, .. } => {
            job.fail(Report { cause, delay_ms, keep, details }, now)
        }
        How::Release { .. } => job.give_back(job.card.run_at, now),
        How::Interrupt { progress, .. } => {
            job.lift();
            job.note(progress);
            job.give_back(job.card.run_at, now)
        }
        How::Snooze { delay_ms, progress, .. } => {
            job.lift();
            job.note(progress);
            job.give_back(now + delay_ms, now)
        }
        How::Expire => job.expire(now),
        How::Extend { by_ms, progress } => job.extend(now + by_ms, progress),
    }
}

/// The jobs that its holder has follow, as the job stands once that is done.
pub(super) fn named<'a>(job: &Job, fate: Fate, how: &'a How) -> &'a [New] {
    match how {
        How::Fail { cause: Cause::UnknownKind, .. } if job.is_own() => &[],
        How::Fail { then, .. } if fate == Fate::Goes || job.has_ended() => then,
        How::Complete { then, .. }
        | How::Release { then }
        | How::Interrupt { then, .. }
        | How::Snooze { then, .. } => then,
        How::Fail { .. } | How::Expire | How::Extend { .. } => &[],
    }
}

/// What others do to a job, or why not.
pub(super) fn changed(job: &mut Job, what: What, now: i64, reading: i64) -> Result<Fate, Change> {
    let state = job.card.state;
    let (running, waiting, ended) = (state == State::Processing, job.is_waiting(), job.has_ended());
    match what {
        What::Cancel(_) if waiting => Ok(job.cancel(now)),
        What::Cancel(OnRunning::Request) if running && !job.card.cancel_requested => {
            job.card.revision += 1;
            job.card.cancel_requested = true;
            Ok(Fate::Stays)
        }
        What::Cancel(OnRunning::Request) if running => Err(Change::Already(state)),
        What::Cancel(_) if state == State::Cancelled => Err(Change::Already(state)),
        What::Await if !ended && job.card.awaited => Err(Change::Already(state)),
        What::Await if !ended => {
            job.card.revision += 1;
            job.card.awaited = true;
            Ok(Fate::Stays)
        }
        What::Retain(keep) if ended => Ok(job.retain(keep, now)),
        What::Redrive { as_type } if matches!(state, State::Failed | State::Cancelled) => {
            Ok(job.redrive(as_type.map(|nth| CONTENT_TYPES[nth]), now))
        }
        What::Expire if job.has_expired(reading) => Ok(job.expire(now)),
        What::Promote if waiting => Ok(job.promote(now)),
        What::Reschedule { delay_ms } if waiting => Ok(job.put_to(now + delay_ms)),
        What::Delete if !running => {
            job.card.revision += 1;
            Ok(Fate::Goes)
        }
        _ => Err(Change::NotAllowed(state)),
    }
}
