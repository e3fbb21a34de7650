//! Jobs as they are: listings, single ones, and their bodies.

mod body;
mod listing;

pub(crate) use body::{BodyOut, body};
pub(crate) use listing::{ListOut, ListParams, list};

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{check_count, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Detail, JobId};
use queue_view::{JobDetails, JobReading, JobView};
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
    jobs: Vec<Option<JobView<'a>>>,
}

/// `GET /v1/queues/{queue}/jobs/{id}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let found = JobReading::read(&*app.storage, &call.queue()?, &call.id()?).await?;
    answer(StatusCode::OK, &JobDetails::of(&found.ok_or_else(no_job)?))
}

/// `POST /v1/queues/{queue}/jobs:get`
pub(crate) async fn many(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let IdsIn { ids } = call.json()?;
    let ids = checked_ids(&app, &ids)?;
    let found = app.storage.get(&queue, &ids, Detail::Meta).await?;
    let records = found.value.iter().map(Option::as_ref);
    let jobs = records.map(|record| Some(JobView::of(&record?.meta, found.now))).collect();
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
