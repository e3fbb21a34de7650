//! Batches: how one is opened, filled, sealed, looked at and stopped.

mod input;

pub(crate) use input::{BatchIn, LifeIn, MembersIn};

use super::{enqueue::EnqueueOut, operations::ChangeOut};
use crate::{
    access::Scope,
    problem::{Problem, ProblemKind, Result},
    routes::{Call, answer},
    service::App,
    wire::{check_count, checked_members, life_of},
};
use axum::{http::StatusCode, response::Response};
use queue::{
    Change, Queue, Raw,
    batches::{Batch, BatchStatus},
};
use queue_core::Cursor;
use queue_view::{BatchView, UnreadableBatchView};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 100;

/// A page of batches.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchesParams {
    /// `next` of the page before.
    after: Option<String>,
    /// The most batches, 1 to 1000; 100 if absent.
    limit: Option<usize>,
}

/// Batches, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchesAnswer)]
pub(crate) struct BatchesOut {
    batches: Vec<BatchView>,
    /// The batches of the page that this service cannot read, and another program may.
    unreadable: Vec<UnreadableBatchView>,
    /// The cursor of the next page; `null` at the end. A page may be empty and not be the last.
    next: Option<String>,
}

/// A batch that is open, or was before.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenBatchAnswer)]
pub(crate) struct OpenOut {
    batch: String,
    /// The number of this life of the name, which is in the ids of its members.
    seq: u64,
}

/// `GET /v1/queues/{queue}/batches`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let BatchesParams { after, limit } = call.query()?;
    let limit = limit.unwrap_or(LIMIT);
    let most = app.limits.jobs_per_call_max;
    if limit == 0 || limit > most {
        return Err(Problem::invalid(format!("limit: 1 to {most}, not {limit}")));
    }
    let page = queue(&app, &call)?.batches().list(after.map(Cursor), limit).await?;
    let batches = page.batches.iter().map(BatchStatus::view).collect();
    let unreadable = page.unreadable.iter().map(UnreadableBatchView::from).collect();
    let next = page.next.map(|Cursor(text)| text);
    answer(StatusCode::OK, &BatchesOut { batches, unreadable, next })
}

/// `GET /v1/queues/{queue}/batches/{batch}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let status = queue(&app, &call)?.batches().get(name(&call)).await?;
    answer(StatusCode::OK, &status.ok_or_else(Problem::no_batch)?.view())
}

/// `PUT /v1/queues/{queue}/batches/{batch}`
///
/// The callbacks are jobs of the caller's making, so the caller needs the scope for their queue
/// too.
pub(crate) async fn open(app: Arc<App>, call: Call) -> Result<Response> {
    let said: BatchIn<'_> = call.json()?;
    if let Some(queue) = said.callback_queue()? {
        let detail = "callbacks_in: the token lacks the scope produce for this queue";
        let is_allowed = call.may(Scope::Produce, &queue);
        is_allowed.then_some(()).ok_or_else(|| Problem::new(ProblemKind::Forbidden, detail))?;
    }
    let batch = said.described(queue(&app, &call)?.batch(name(&call)), &app.limits)?.open().await?;
    answer(StatusCode::OK, &OpenOut { batch: batch.name().to_string(), seq: batch.seq().get() })
}

/// `POST /v1/queues/{queue}/batches/{batch}/jobs`
pub(crate) async fn add(app: Arc<App>, call: Call) -> Result<Response> {
    let MembersIn { jobs, seq } = call.json()?;
    check_count("jobs", jobs.len(), app.limits.jobs_per_call_max)?;
    let limits = app.storage.capabilities().limits;
    let checked = checked_members("jobs", jobs, &app.rules(&limits))?;
    let batch = found(&app, &call, seq).await?;
    let ids = checked.iter().map(|job| batch.job(job.id.as_str()));
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    let stored = batch.add_jobs(checked).await?;
    answer(StatusCode::OK, &EnqueueOut::of(stored.now, &ids, &stored.value))
}

/// `POST /v1/queues/{queue}/batches/{batch}/seal`
pub(crate) async fn seal(app: Arc<App>, call: Call) -> Result<Response> {
    let LifeIn { seq } = call.json()?;
    found(&app, &call, seq).await?.seal().await?;
    answer(StatusCode::OK, &ChangeOut::DONE)
}

/// `POST /v1/queues/{queue}/batches/{batch}/cancel`
pub(crate) async fn cancel(app: Arc<App>, call: Call) -> Result<Response> {
    let LifeIn { seq } = call.json()?;
    changed(found(&app, &call, seq).await?.cancel().await?)
}

/// `POST /v1/queues/{queue}/batches/{batch}/abandon`
pub(crate) async fn abandon(app: Arc<App>, call: Call) -> Result<Response> {
    let LifeIn { seq } = call.json()?;
    changed(found(&app, &call, seq).await?.abandon().await?)
}

/// The answer to a change of a batch, which may have been removed since it was found.
fn changed(change: Change) -> Result<Response> {
    match change {
        Change::Missing => Err(Problem::no_batch()),
        change => answer(StatusCode::OK, &ChangeOut::of(change)?),
    }
}

fn queue(app: &App, call: &Call) -> Result<Queue<Raw, Raw>> {
    Ok(Queue::new(app.storage.clone(), call.open_queue()?)?)
}

/// The batch of the path, if it is of this life.
async fn found(app: &App, call: &Call, seq: Option<u64>) -> Result<Batch<Raw, Raw>> {
    let found = queue(app, call)?.batches().find(name(call)).await?;
    let life = seq.map(life_of).transpose()?;
    let found = found.filter(|batch| life.is_none_or(|life| batch.seq() == life));
    found.ok_or_else(Problem::no_batch)
}

fn name(call: &Call) -> &str {
    call.param("batch").unwrap_or_default()
}
