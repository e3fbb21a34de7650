//! The job that a producer asked for, should its own fail for good: enqueued in the step that fails
//! it, whoever takes it.

pub(super) mod asked;
pub(super) mod once;

use crate::bench::prelude::*;
use queue_core::{FailedJob, JobMeta, JobRecord, Kind, ListQuery, NewJob, State};

/// A job that another follows if it fails.
pub(super) fn asking(text: &str) -> NewJob {
    job(text).with_on_failure(mourn())
}

/// The kind of that other.
pub(super) fn mourn() -> Kind {
    Kind::from_static("mourn")
}

/// The metadata of all jobs that followed a failure, in their order.
pub(super) async fn follow_ups(bench: &Bench) -> Vec<JobMeta> {
    let all = bench.list(ListQuery::all(bench.queue().clone(), 1000)).await;
    all.into_iter().filter(|meta| meta.kind == mourn()).collect()
}

/// The one job that followed, as it lies in the store.
pub(super) async fn follow_up(bench: &Bench) -> JobRecord {
    let found = follow_ups(bench).await;
    assert_eq!(found.len(), 1, "one job should follow: {found:?}");
    bench.record(found[0].id.as_str()).await
}

pub(super) async fn assert_none(bench: &Bench) {
    let found = follow_ups(bench).await;
    assert!(found.is_empty(), "nothing should follow: {found:?}");
}

/// The document that it brings.
pub(super) fn failed_job(record: &JobRecord) -> FailedJob {
    let payload = &record.body.as_ref().expect("asked for").payload;
    assert_eq!(payload.content_type.as_str(), "application/json");
    serde_json::from_slice(&payload.bytes).expect("it is the document of a failed job")
}

/// What it must say of a job as it failed, read off its record.
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
