//! The follow-up that a producer asks for in case its job fails for good: it is enqueued in the
//! step that fails the job, whichever caller makes that step.

pub(super) mod asked;
pub(super) mod once;

use crate::bench::prelude::*;
use queue_core::{FailedJob, JobMeta, JobRecord, Kind, ListQuery, NewJob, State};

/// A job with a follow-up.
pub(super) fn asking(text: &str) -> NewJob {
    job(text).with_on_failure(mourn())
}

/// The kind of the follow-up.
pub(super) fn mourn() -> Kind {
    Kind::from_static("mourn")
}

/// The metadata of all follow-ups, in their order.
pub(super) async fn follow_ups(bench: &Bench) -> Vec<JobMeta> {
    let all = bench.list(ListQuery::all(bench.queue().clone(), 1000)).await;
    all.into_iter().filter(|meta| meta.kind == mourn()).collect()
}

/// The only follow-up, as it is stored.
pub(super) async fn follow_up(bench: &Bench) -> JobRecord {
    let found = follow_ups(bench).await;
    assert_eq!(found.len(), 1, "one job should follow: {found:?}");
    bench.record(found[0].id.as_str()).await
}

pub(super) async fn assert_none(bench: &Bench) {
    let found = follow_ups(bench).await;
    assert!(found.is_empty(), "nothing should follow: {found:?}");
}

/// The document in its payload.
pub(super) fn failed_job(record: &JobRecord) -> FailedJob {
    let payload = &record.body.as_ref().expect("asked for").payload;
    assert_eq!(payload.content_type.as_str(), "application/json");
    serde_json::from_slice(&payload.bytes).expect("it is the document of a failed job")
}

/// Asserts that the document describes the failed job, given its record.
pub(super) fn assert_tells(found: &JobRecord, failed: &JobMeta) {
    let error = failed.last_error.as_ref().expect("it says what happened");
    let document = failed_job(found);
    let named = (document.id.as_str(), document.seq, document.epoch, document.kind.as_str());
    assert_eq!(named, (failed.id.as_str(), failed.seq.get(), failed.epoch, failed.kind.as_str()));
    let reason = failed.reason.expect("a failed job has a reason");
    let why = (document.reason.as_str(), document.error_name.as_str(), document.error_message.as_str());
    assert_eq!(why, (reason.as_str(), error.name(), error.message()));
    assert_eq!((document.failures, document.stalls), (failed.failures, failed.stalls));
    assert_eq!((failed.state, &found.meta.id), (State::Failed, &FailedJob::follow_up_id(failed)));
}
