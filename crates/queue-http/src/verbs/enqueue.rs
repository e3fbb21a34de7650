//! Enqueue: many jobs in one call, or one by its id.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{NewJobIn, RequestRules, check_count, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Enqueued, JobId, NewJob, Payload, Seq, Timestamp};
use queue_view::SentData;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use utoipa::ToSchema;

/// Jobs to enqueue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EnqueueRequest)]
pub(crate) struct EnqueueIn<'a> {
    #[serde(borrow)]
    jobs: Vec<NewJobIn<'a>>,
    /// All jobs are stored or none; otherwise each by itself.
    #[serde(default)]
    atomic: bool,
}

/// The outcome of each job, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnqueueAnswer)]
pub(crate) struct EnqueueOut<'a> {
    now_ms: i64,
    jobs: Vec<EnqueuedOut<'a>>,
}

/// The outcome of one job that was enqueued alone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnqueueOneAnswer)]
pub(crate) struct EnqueueOneOut<'a> {
    now_ms: i64,
    #[serde(flatten)]
    job: EnqueuedOut<'a>,
}

/// The outcome of one job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Enqueued)]
pub(crate) struct EnqueuedOut<'a> {
    id: &'a str,
    /// The life that has the id now.
    seq: u64,
    /// `queued`, `duplicate` or `completed`.
    outcome: &'static str,
    /// With `duplicate`: the state of the job that has the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// With `completed`: the result, unless the answer had no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
}

/// `POST /v1/queues/{queue}/jobs`
pub(crate) async fn many(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.open_queue()?;
    let EnqueueIn { jobs, atomic } = call.json()?;
    check_count("jobs", jobs.len(), app.limits.jobs_per_call_max)?;
    let limits = app.storage.capabilities().limits;
    let rules = app.rules(&limits);
    let checked = jobs.into_iter().enumerate().map(|(at, job)| {
        checked_job(job, None, &rules).map_err(|problem| problem.at(format_args!("jobs[{at}]")))
    });
    let checked = checked.collect::<Result<Vec<NewJob>>>()?;
    let ids: Vec<JobId> = checked.iter().map(|job| job.id.clone()).collect();
    let groups = if atomic { vec![checked] } else { checked.into_iter().map(|job| vec![job]).collect() };
    let stored = app.storage.enqueue(&queue, groups).await?;
    answer(StatusCode::OK, &EnqueueOut::of(stored.now, &ids, stored.value.iter().flatten()))
}

/// `PUT /v1/queues/{queue}/jobs/{id}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.open_queue()?;
    let id = call.id()?;
    let job: NewJobIn<'_> = call.json()?;
    if job.has_id() {
        return Err(Problem::invalid("id: it is in the path already"));
    }
    let limits = app.storage.capabilities().limits;
    let job = checked_job(job, Some(id.clone()), &app.rules(&limits))?;
    let stored = app.storage.enqueue(&queue, vec![vec![job]]).await?;
    let outcome = stored.value.iter().flatten().next();
    let outcome = outcome.ok_or_else(|| {
        let message = "the store gave no answer";
        queue_core::Error::new(queue_core::ErrorKind::Internal, "enqueue", message).unknown()
    })?;
    let status = if outcome.is_new() { StatusCode::CREATED } else { StatusCode::OK };
    let job = EnqueuedOut::of(&id, outcome);
    answer(status, &EnqueueOneOut { now_ms: stamp(stored.now), job })
}

/// A job that the store takes, as far as one can know.
pub(crate) fn checked_job(job: NewJobIn<'_>, id: Option<JobId>, rules: &RequestRules<'_>) -> Result<NewJob> {
    let group = vec![job.checked(id, rules)?];
    rules.store.check_enqueue(std::slice::from_ref(&group))?;
    Ok(group.into_iter().next().expect("the group has one job"))
}

impl<'a> EnqueueOut<'a> {
    pub(super) fn of(
        now: Timestamp,
        ids: &'a [JobId],
        outcomes: impl IntoIterator<Item = &'a Enqueued>,
    ) -> Self {
        let jobs = ids.iter().zip(outcomes).map(|(id, outcome)| EnqueuedOut::of(id, outcome)).collect();
        Self { now_ms: stamp(now), jobs }
    }
}

impl<'a> EnqueuedOut<'a> {
    fn of(id: &'a JobId, outcome: &'a Enqueued) -> Self {
        let (name, state, result) = match outcome {
            Enqueued::Queued { .. } => ("queued", None, None),
            Enqueued::Duplicate { state, .. } => ("duplicate", Some(state.as_str()), None),
            Enqueued::Completed { result, .. } => ("completed", None, result.as_ref()),
            // A batch refuses members in another way; nothing else of a request has end signals.
            Enqueued::Orphaned => ("orphaned", None, None),
        };
        let SentData { json, base64, content_type } =
            result.map_or_else(SentData::default, |result: &Payload| SentData::of(result));
        let seq = outcome.seq().map_or(0, Seq::get);
        Self { id: id.as_str(), seq, outcome: name, state, result: json, result_base64: base64, content_type }
    }
}
