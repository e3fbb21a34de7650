//! Changes of jobs by their ids: one read and one call of the store for all of them.

use super::ChangeAnswer;
use crate::{problem::Result, routes::answer, service::App, verbs::jobs::checked_ids, wire::stamp};
use axum::{http::StatusCode, response::Response};
use queue_core::{QueueName, State, lifecycle::Event};
use queue_view::{ChangedJob, change_jobs};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// The outcome of each job, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesOut {
    now_ms: i64,
    items: Vec<ChangedOut>,
}

/// The outcome of one job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changed)]
pub(crate) struct ChangedOut {
    id: String,
    /// `done`, `requested`, `unchanged`, `missing` or `conflict`.
    outcome: &'static str,
    /// The state after the change; absent if the record was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
}

pub(super) async fn change(
    app: &App,
    queue: &QueueName,
    ids: &[Cow<'_, str>],
    event: &Event,
) -> Result<Response> {
    let ids = checked_ids(app, ids)?;
    let changed = change_jobs(&*app.storage, queue, &ids, event, &app.policy).await?;
    let items = changed.jobs.into_iter().map(|ChangedJob { id, outcome, state }| ChangedOut {
        id: id.as_str().to_owned(),
        outcome: outcome.as_str(),
        state: state.map(State::as_str),
    });
    let out = ChangesOut { now_ms: stamp(changed.now), items: items.collect() };
    answer(StatusCode::OK, &ChangeAnswer::Changed(out))
}
