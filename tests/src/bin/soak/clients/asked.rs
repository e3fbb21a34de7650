//! Questions of clients, in the terms of a history.

use super::protocol::{ClaimAsk, EnqueueAsk, ItemAsk, JobAsk};
use crate::failed::Failed;
use queue::queue_core::{ContentType, Payload};
use queue_testkit::history::{Ask, Effect, Event, Op, Status, payload_digest};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What the service keeps of a job by default.
const KEEP_COMPLETED_MS: i64 = 3_600_000;
const KEEP_FAILED_MS: i64 = 7 * 24 * 3_600_000;

pub(super) fn enqueue(ask: &EnqueueAsk) -> Vec<Event> {
    let of_job = |(at, job): (u32, &JobAsk)| {
        let group = Some(if ask.atomic { 0 } else { at });
        let ask = Ask { group, delay_ms: Some(0), priority: Some(0), ..Ask::default() };
        let (id, digest) = (Some(job.id.clone()), Some(digest(job.payload.as_deref())));
        Event { op: Op::Enqueue, id, digest, ask, ..Event::default() }
    };
    (0..).zip(&ask.jobs).map(of_job).collect()
}

pub(super) fn claim(ask: &ClaimAsk) -> Event {
    let token = Some(digest_of(&format!("{} {}", ask.worker, ask.claim_id)));
    let ask = Ask { limit: Some(ask.limit), worker: Some(ask.worker.clone()), ..Ask::default() };
    Event { op: Op::Claim, token, ask, ..Event::default() }
}

pub(super) fn settle(item: &ItemAsk) -> (Op, Effect) {
    let cause = item.fail.as_ref().map(|fail| fail.cause.as_deref().unwrap_or("retryable"));
    match (&item.complete, cause) {
        (Some(_), _) => {
            (Op::Complete, Effect::Finish { status: Status::Completed, keep_ms: Some(KEEP_COMPLETED_MS) })
        }
        (None, Some("retryable")) => (Op::Fail, Effect::Requeue),
        (None, Some(_)) => {
            (Op::Fail, Effect::Finish { status: Status::Failed, keep_ms: Some(KEEP_FAILED_MS) })
        }
        (None, None) if item.snooze.is_some() => (Op::Snooze, Effect::Requeue),
        (None, None) => (Op::Release, Effect::Requeue),
    }
}

pub(super) fn parsed<'a, T: Deserialize<'a>>(body: &'a str) -> Result<T, Failed> {
    serde_json::from_str(body).map_err(|error| format!("{error}: {body}").into())
}

pub(super) fn digest(json: Option<&RawValue>) -> u64 {
    digest_of(json.map_or("null", RawValue::get))
}

fn digest_of(text: &str) -> u64 {
    payload_digest(&Payload::new(text.to_owned(), ContentType::from_static("application/json")))
}
