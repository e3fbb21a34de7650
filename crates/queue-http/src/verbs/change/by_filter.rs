//! Changes of all jobs that a filter selects: each is an operation, which continues when its client
//! disconnects.

use super::{ChangeAnswer, ChangeIn};
use crate::{
    problem::{Problem, Result},
    routes::answer,
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::operations::{Action, Operation, OperationId, Started};
use queue_core::QueueName;
use queue_view::JobFilter;
use serde::Serialize;
use utoipa::ToSchema;

/// Which jobs: those that match every part that is given.
#[derive(ToSchema)]
#[schema(as = Filter)]
#[expect(dead_code, reason = "it is the description of a `JobFilter`")]
pub(super) struct FilterIn {
    /// Of `due`, `scheduled`, `parked`, `gated`, `queued`, `processing`, `lapsed`, `failing`,
    /// `completed`, `failed`, `cancelled`; at least one. Gated jobs are changed only where it is
    /// named.
    states: Vec<String>,
    kind: Option<String>,
    tag: Option<String>,
    /// Jobs that this worker holds.
    worker: Option<String>,
    /// Jobs of this partition.
    partition: Option<String>,
    id_prefix: Option<String>,
    /// Jobs that came into their state at this store time or later.
    since_ms: Option<i64>,
    /// Jobs that came into their state before this store time.
    until_ms: Option<i64>,
}

/// What a dry run counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DryRun)]
pub(crate) struct DryRunOut {
    jobs: u64,
    /// There are more, which were not counted.
    has_more: bool,
}

/// An operation that runs as soon as a runner has room for it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StartedAnswer)]
pub(crate) struct StartedOut {
    /// The queue of its jobs, a slash, and its name there.
    operation: String,
    /// False if the same operation had been started before under this name.
    is_new: bool,
}

pub(super) async fn change(
    app: &App,
    queue: &QueueName,
    filter: JobFilter,
    request: &ChangeIn<'_>,
    action: Action,
) -> Result<Response> {
    let mut operation = Operation::on(queue, action).filter(filter);
    if let Some(jobs_max) = request.jobs_max {
        operation = operation.jobs_max(jobs_max);
    }
    if request.dry_run {
        let found = app.operations.dry_run(&operation).await?;
        let counted = DryRunOut { jobs: found.jobs, has_more: found.has_more };
        return answer(StatusCode::OK, &ChangeAnswer::Counted(counted));
    }
    let id = match &request.operation {
        Some(name) => OperationId::new(queue, name),
        None => OperationId::new(queue, app.ids.next_id().as_str()),
    };
    let id = id.map_err(|invalid| Problem::invalid(invalid.to_string()).at("operation"))?;
    let started = app.operations.start(id.name(), &operation).await?;
    let out = StartedOut { operation: id.to_string(), is_new: started == Started::New };
    answer(StatusCode::ACCEPTED, &out)
}
