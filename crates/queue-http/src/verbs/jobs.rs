//! Jobs as they are: listings, single ones, and their bodies.

mod body;
mod listing;

pub(crate) use body::{BodyOut, body};
pub(crate) use listing::{ListOut, ListParams, list};

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{ErrorOut, ShownJob, check_count, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Attempt, Detail, JobId, JobMeta, Pause, State, StorageExt, Timestamp};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};
use utoipa::ToSchema;

/// Ids of jobs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = IdsRequest)]
pub(crate) struct IdsIn<'a> {
    #[serde(borrow)]
    ids: Vec<Cow<'a, str>>,
}

/// Jobs in the order of the request; `null` for an id without a job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JobsAnswer)]
pub(crate) struct JobsOut<'a> {
    now_ms: i64,
    jobs: Vec<Option<ShownJob<'a>>>,
}

/// A job with what holds it up, and its last attempts that failed or stalled.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JobAnswer)]
pub(crate) struct JobOut<'a> {
    now_ms: i64,
    #[serde(flatten)]
    job: ShownJob<'a>,
    /// What is paused, of a job that waits: `queue`, or its `kind` alone.
    paused: Option<&'static str>,
    /// When the pause ends by itself.
    paused_until_ms: Option<i64>,
    /// The last ten, the oldest first; absent where the store keeps none.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt_log: Option<Vec<AttemptOut<'a>>>,
}

/// An attempt that failed or stalled.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Attempt)]
pub(crate) struct AttemptOut<'a> {
    epoch: u64,
    worker: &'a str,
    claimed_at_ms: i64,
    ended_at_ms: i64,
    /// `failed` or `stalled`.
    outcome: &'static str,
    error: ErrorOut<'a>,
}

/// `GET /v1/queues/{queue}/jobs/{id}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let (queue, id) = (call.queue()?, call.id()?);
    if app.storage.capabilities().attempts {
        let found = app.storage.attempts_of(&queue, &id).await?;
        let job = found.value.ok_or_else(no_job)?;
        let pause = pause_of(&app, &job.meta).await?;
        let attempt_log = Some(job.attempts.iter().map(AttemptOut::of).collect());
        return answer(StatusCode::OK, &JobOut::of(&job.meta, found.now, pause, attempt_log));
    }
    let found = app.storage.get(&queue, &[id], Detail::Meta).await?;
    let job = found.value.into_iter().flatten().next().ok_or_else(no_job)?;
    let pause = pause_of(&app, &job.meta).await?;
    answer(StatusCode::OK, &JobOut::of(&job.meta, found.now, pause, None))
}

/// `POST /v1/queues/{queue}/jobs:get`
pub(crate) async fn many(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let IdsIn { ids } = call.json(&app)?;
    let ids = checked_ids(&app, &ids)?;
    let found = app.storage.get(&queue, &ids, Detail::Meta).await?;
    let records = found.value.iter().map(Option::as_ref);
    let jobs = records.map(|record| Some(ShownJob::of(&record?.meta, found.now))).collect();
    answer(StatusCode::OK, &JobsOut { now_ms: stamp(found.now), jobs })
}

/// Ids of a request, checked.
pub(super) fn checked_ids(app: &App, ids: &[Cow<'_, str>]) -> Result<Vec<JobId>> {
    check_count("ids", ids.len(), app.limits.jobs_per_call_max)?;
    let checked = ids.iter().enumerate().map(|(at, id)| {
        JobId::new(id).map_err(|invalid| Problem::from(invalid).at(format_args!("ids[{at}]")))
    });
    checked.collect()
}

pub(super) fn no_job() -> Problem {
    Problem::not_found("there is no such job")
}

/// The pause that keeps a job from being claimed. It does nothing to jobs that do not wait.
async fn pause_of(app: &App, job: &JobMeta) -> Result<Option<(&'static str, Pause)>> {
    if !matches!(job.state, State::Queued | State::Failing) {
        return Ok(None);
    }
    let Some(status) = app.storage.status_of(&job.queue).await? else { return Ok(None) };
    if status.pause.is_on() {
        return Ok(Some(("queue", status.pause)));
    }
    let of_kind = status.paused_kinds.iter().find(|paused| paused.kind == job.kind);
    Ok(of_kind.map(|paused| ("kind", paused.pause)))
}

impl<'a> JobOut<'a> {
    fn of(
        job: &'a JobMeta,
        now: Timestamp,
        pause: Option<(&'static str, Pause)>,
        attempt_log: Option<Vec<AttemptOut<'a>>>,
    ) -> Self {
        Self {
            now_ms: stamp(now),
            job: ShownJob::of(job, now),
            paused: pause.map(|(what, _)| what),
            paused_until_ms: pause.and_then(|(_, pause)| pause.until()).map(stamp),
            attempt_log,
        }
    }
}

impl<'a> AttemptOut<'a> {
    fn of(attempt: &'a Attempt) -> Self {
        Self {
            epoch: attempt.epoch,
            worker: attempt.worker.as_str(),
            claimed_at_ms: stamp(attempt.claimed_at),
            ended_at_ms: stamp(attempt.ended_at),
            outcome: attempt.outcome.as_str(),
            error: ErrorOut { name: &attempt.error_name, message: &attempt.error_message },
        }
    }
}
