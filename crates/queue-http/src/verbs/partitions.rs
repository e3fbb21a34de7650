//! Partitions of a queue, page by page.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Partition, PartitionQuery};
use queue_view::PartitionView;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 100;

/// A page of partitions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartitionsParams {
    /// The key behind which the page begins.
    after: Option<String>,
    /// The most partitions, 1 to 1000; 100 if absent.
    limit: Option<usize>,
}

/// Partitions in the order of the bytes of their keys: those with jobs that wait or run, and those
/// with a limit of their own.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PartitionsAnswer)]
pub(crate) struct PartitionsOut<'a> {
    now_ms: i64,
    partitions: Vec<PartitionView<'a>>,
    /// The key behind which the next page begins; `null` at the end. The page behind a full one may
    /// be empty.
    next: Option<&'a str>,
}

/// `GET /v1/queues/{queue}/partitions`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let PartitionsParams { after, limit } = call.query()?;
    let limit = limit.unwrap_or(LIMIT);
    if limit == 0 || limit > PartitionQuery::LIMIT_MAX {
        return Err(Problem::invalid(format!("limit: 1 to {}, not {limit}", PartitionQuery::LIMIT_MAX)));
    }
    let after =
        after.map(Partition::new).transpose().map_err(|invalid| Problem::from(invalid).at("after"))?;
    let page = app.storage.partitions(PartitionQuery { queue: call.queue()?, after, limit }).await?;
    let out = PartitionsOut {
        now_ms: stamp(page.now),
        partitions: page.partitions.iter().map(|status| PartitionView::of(status, page.now)).collect(),
        next: page.next.as_ref().and_then(|next| next.after.as_ref()).map(Partition::as_str),
    };
    answer(StatusCode::OK, &out)
}
