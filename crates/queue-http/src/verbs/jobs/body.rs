//! The body of a job: payload, headers, result, details of its error, progress.

use super::no_job;
use crate::{
    problem::Result,
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Error, StorageExt};
use queue_view::{ErrorView, JobBodyView};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The body of a job, and what it takes to understand it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BodyAnswer)]
pub(crate) struct BodyOut<'a> {
    now_ms: i64,
    id: &'a str,
    seq: u64,
    state: &'static str,
    /// The last failure, without its details.
    error: Option<ErrorView<'a>>,
    #[serde(flatten)]
    body: JobBodyView<'a>,
}

/// `GET /v1/queues/{queue}/jobs/{id}/body`
pub(crate) async fn body(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let id = call.id()?;
    let found = app.storage.get_whole(&queue, &[id]).await?;
    let record = found.value.into_iter().flatten().next().ok_or_else(no_job)?;
    let body = record.body.as_ref().ok_or_else(|| Error::without_body("get"))?;
    let meta = &record.meta;
    let out = BodyOut {
        now_ms: stamp(found.now),
        id: meta.id.as_str(),
        seq: meta.seq.get(),
        state: meta.state.as_str(),
        error: meta.last_error.as_ref().map(ErrorView::from),
        body: JobBodyView::of(meta, body),
    };
    answer(StatusCode::OK, &out)
}
