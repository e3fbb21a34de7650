//! Failures of a queue, grouped by what they say.

use crate::{
    problem::Result,
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_view::{FailureGroup, FailureGroups};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The newest failed and failing jobs in groups, the largest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FailuresAnswer)]
pub(crate) struct FailuresOut<'a> {
    now_ms: i64,
    /// How many jobs the groups were made of: the newest 1000 of each of the two states.
    looked_at: u64,
    #[schema(value_type = Vec<FailureGroupOut>)]
    groups: &'a [FailureGroup],
}

/// Jobs of one kind that failed with one error. Messages count as equal if they differ only in
/// numbers, hexadecimals, UUIDs and quoted text.
#[derive(ToSchema)]
#[schema(as = FailureGroup)]
#[expect(dead_code, reason = "it is the description of a group")]
pub(crate) struct FailureGroupOut {
    queue: String,
    kind: String,
    error: SharedError,
    /// How many of the jobs are failed.
    failed: u64,
    /// How many wait to run again.
    failing: u64,
    first_at_ms: i64,
    last_at_ms: i64,
    /// The ids of the newest, at most three.
    examples: Vec<String>,
}

/// What the failures of a group say.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is a part of the description of a group")]
pub(crate) struct SharedError {
    name: String,
    /// Without what differs from job to job.
    message: String,
}

/// `GET /v1/queues/{queue}/failures`
pub(crate) async fn failures(app: Arc<App>, call: Call) -> Result<Response> {
    let found = FailureGroups::read(&*app.storage, &call.queue()?, None).await?;
    let (now_ms, looked_at) = (stamp(found.now), found.looked_at());
    answer(StatusCode::OK, &FailuresOut { now_ms, looked_at, groups: &found.groups })
}
