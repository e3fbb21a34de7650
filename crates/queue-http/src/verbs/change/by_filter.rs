//! Changes of all jobs that a filter selects: an operation, which goes on when its client is gone.

use super::{ChangeAnswer, ChangeIn};
use crate::{
    problem::{Problem, Result},
    routes::answer,
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::operations::{Action, Operation, OperationId, Standing, Started};
use queue_core::{QueueName, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::ToSchema;

/// Which jobs: those that match every part that is given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Filter)]
pub(super) struct FilterIn<'a> {
    /// Of `queued`, `scheduled`, `parked`, `processing`, `failing`, `completed`, `failed`,
    /// `cancelled`; at least one.
    #[serde(borrow)]
    states: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tag: Option<Cow<'a, str>>,
    /// Jobs that this worker holds.
    #[serde(borrow, default)]
    worker: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id_prefix: Option<Cow<'a, str>>,
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
    filter: FilterIn<'_>,
    request: &ChangeIn<'_>,
    action: Action,
) -> Result<Response> {
    let mut operation = filter.on(Operation::on(queue, action))?;
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

impl FilterIn<'_> {
    fn on(self, mut operation: Operation) -> Result<Operation> {
        for state in &self.states {
            let standing = state.parse::<Standing>().map_err(Problem::invalid)?;
            operation = operation.standing(standing);
        }
        if let Some(kind) = &self.kind {
            operation = operation.kind(kind);
        }
        if let Some(tag) = &self.tag {
            operation = operation.tag(tag);
        }
        if let Some(worker) = &self.worker {
            operation = operation.worker(worker);
        }
        if let Some(prefix) = self.id_prefix {
            operation = operation.id_prefix(prefix);
        }
        if let Some(since) = self.since_ms {
            operation = operation.since(Timestamp::from_millis(since));
        }
        if let Some(until) = self.until_ms {
            operation = operation.until(Timestamp::from_millis(until));
        }
        Ok(operation)
    }
}
