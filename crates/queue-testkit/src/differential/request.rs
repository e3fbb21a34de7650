//! Jobs and deeds as a store takes them.

use super::op::{CONTENT_TYPES, How, IDS, KINDS, New, PARTITIONS, Signal, What};
use crate::bench::prelude::*;
use bytes::Bytes;
use queue_core::{
    Budget, ContentType, EndSignal, Failure, Kind, LeaseToken, NewJob, OnWaiting, Partition, Payload,
    RetentionPolicy, Span, Timestamp,
    lifecycle::{Amendment, Event},
};

/// The failure that holders report.
pub(super) const FAILURE: (&str, &str) = ("Timeout", "no answer");

/// The name of the header.
pub(super) const HEADER: &str = "tenant";

/// The kind of follow-ups.
pub(super) const MOURN: &str = "mourn";

pub(super) fn span(millis: i64) -> Span {
    Span::from_millis(millis)
}

pub(super) fn new_job(new: &New) -> NewJob {
    let retention = RetentionPolicy { completed: new.keep_completed, failed: new.keep_failed };
    let payload = bytes_payload(new.payload.clone());
    let mut job = NewJob::new(id(IDS[new.id]), Kind::from_static(KINDS[new.kind]), payload)
        .with_priority(new.priority)
        .with_delay(span(new.delay_ms))
        .with_max_attempts(Budget::from_raw(new.max_attempts))
        .with_max_stalls(Budget::from_raw(new.max_stalls))
        .with_retention(retention)
        .with_on_failed(new.on_failed)
        .with_on_waiting(new.on_waiting)
        .with_tags(tags(new.tags.iter().copied()))
        .with_headers(headers(new.header.iter().map(|value| (HEADER, value.as_str()))));
    job.terms.on_failure = new.is_mourned.then(|| Kind::from_static(MOURN));
    job.expires_in = new.expires_after_ms.map(|ms| span(new.delay_ms + ms));
    job.terms.time_limit = new.time_limit_ms.map(span);
    let job = with_gates(job, new);
    // Which partition follows from what is drawn anyway. A third of the jobs have none.
    let nth = (new.id + new.payload.len()) % (PARTITIONS.len() + 1);
    let job = NewJob { partition: PARTITIONS.get(nth).map(|key| Partition::from_static(key)), ..job };
    if new.awaited { job.awaited() } else { job }
}

/// Adds gate and end signals, in place of the options that do not go with them.
fn with_gates(mut job: NewJob, new: &New) -> NewJob {
    job.gate = new.gate;
    if job.gate.is_some() {
        (job.delay, job.expires_in) = (Span::ZERO, None);
    }
    for &Signal { to, raises, tolerant, urgent } in &new.signals {
        let signal = EndSignal { raises, tolerant, urgent, ..EndSignal::to(id(IDS[to])) };
        let is_new = job.end_signals.iter().all(|one| one.to != signal.to);
        job.end_signals.extend(Some(signal).filter(|signal| is_new && signal.to != job.id));
    }
    if job.has_gates() {
        job.on_waiting = OnWaiting::Block;
    }
    job
}

/// `now` is a time that the store had reached before the call.
pub(super) fn event_of_holder(how: &How, token: LeaseToken, now: Timestamp) -> Event {
    match how {
        How::Complete { result, keep, then } => Event::Complete {
            token,
            result: bytes_payload(result.clone()),
            retention: *keep,
            then: jobs(then),
        },
        How::Fail { cause, delay_ms, keep, details, then } => {
            let bare = Failure::new(FAILURE.0, FAILURE.1);
            let failure = match details {
                Some(details) => bare.with_details(details.clone().into()),
                None => bare,
            };
            Event::Fail {
                token,
                failure,
                cause: *cause,
                delay: delay_ms.map(span),
                retention: *keep,
                then: jobs(then),
            }
        }
        How::Release { then } => Event::Release { token, then: jobs(then) },
        How::Interrupt { progress, then } => {
            Event::Interrupt { token, progress: bytes(progress.as_ref()), then: jobs(then) }
        }
        How::Expire => Event::Expire { now, token: Some(token) },
        How::Snooze { delay_ms, progress, then } => {
            let (delay, progress) = (span(*delay_ms), bytes(progress.as_ref()));
            Event::Snooze { token, delay, progress, then: jobs(then) }
        }
        How::Suspend { needs, seals, heeds_urgent, timeout_ms, then } => Event::Suspend {
            token,
            needs: *needs,
            seals: *seals,
            heeds_urgent: *heeds_urgent,
            timeout: timeout_ms.map(span),
            progress: None,
            then: jobs(then),
        },
        How::Extend { by_ms, progress } => {
            Event::Extend { token, by: span(*by_ms), progress: bytes(progress.as_ref()) }
        }
    }
}

pub(super) fn jobs(news: &[New]) -> Vec<NewJob> {
    news.iter().map(new_job).collect()
}

fn bytes(progress: Option<&Vec<u8>>) -> Option<Bytes> {
    progress.cloned().map(Into::into)
}

/// The same for a change without a lease.
pub(super) fn event_of_anybody(what: What, now: Timestamp) -> Event {
    match what {
        What::Cancel(processing) => Event::Cancel { processing },
        What::Await => Event::Await,
        What::Retain(retention) => Event::SetRetention(retention),
        What::Redrive { as_type } => {
            let content_type = as_type.map(|nth| ContentType::from_static(CONTENT_TYPES[nth]));
            Event::Redrive { content_type }
        }
        What::Expire => Event::Expire { now, token: None },
        What::Promote => Event::Promote,
        What::Reschedule { delay_ms } => Event::Reschedule { delay: span(delay_ms) },
        What::Amend { payload, priority, delay_ms, keep } => {
            let content_type = ContentType::from_static(CONTENT_TYPES[0]);
            Event::Amend(Amendment {
                payload: payload.map(|byte| Payload::new(vec![byte; usize::from(byte)], content_type)),
                priority,
                delay: delay_ms.map(span),
                retention: keep.map(|keep| RetentionPolicy { completed: keep, failed: keep }),
            })
        }
        What::Seal => Event::Seal,
        What::Delete => Event::Delete,
    }
}
