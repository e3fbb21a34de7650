//! Operations: their outcome, and how to cancel them.

use super::queues::Empty;
use crate::{
    access::Scope,
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::{
    Change,
    operations::{OperationId, OperationStatus},
};
use queue_core::Cursor;
use queue_view::{OperationView, UnreadableOperationView};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 100;

/// A page of operations.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationsParams {
    /// `next` of the page before.
    after: Option<String>,
    /// The most operations, 1 to 1000; 100 if absent.
    limit: Option<usize>,
}

/// Operations, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OperationsAnswer)]
pub(crate) struct OperationsOut {
    operations: Vec<OperationView>,
    /// The operations of the page that this service cannot read, and another program may.
    unreadable: Vec<UnreadableOperationView>,
    /// The cursor of the next page; `null` at the end. A page may be empty and not be the last.
    next: Option<String>,
}

/// The outcome of changing an operation, a schedule or a batch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangeOut {
    /// `done`, `requested` or `unchanged`.
    outcome: &'static str,
}

/// `GET /v1/operations`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let OperationsParams { after, limit } = call.query()?;
    let limit = limit.unwrap_or(LIMIT);
    let most = app.limits.jobs_per_call_max;
    if limit == 0 || limit > most {
        return Err(Problem::invalid(format!("limit: 1 to {most}, not {limit}")));
    }
    let seen = call.principal()?.seen_queues();
    let page = app.operations.page_of(&seen, after.map(Cursor), limit).await?;
    let operations = page.operations.iter().map(OperationStatus::view).collect();
    let unreadable = page.unreadable.iter().map(UnreadableOperationView::from).collect();
    let next = page.next.map(|Cursor(text)| text);
    answer(StatusCode::OK, &OperationsOut { operations, unreadable, next })
}

/// `GET /v1/operations/{operation}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    answer(StatusCode::OK, &found(&app, &call).await?.view())
}

/// `POST /v1/operations/{operation}/cancel`
pub(crate) async fn cancel(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json()?;
    let status = found(&app, &call).await?;
    let changed = app.operations.cancel(status.id()).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// The operation of the path. One on a queue that the token may not change is not there.
async fn found(app: &App, call: &Call) -> Result<OperationStatus> {
    let id = call.param("operation").unwrap_or_default().parse::<OperationId>();
    let id = id.map_err(|invalid| Problem::invalid(invalid.to_string()).at("operation"))?;
    let missing = || Problem::not_found("there is no such operation");
    if !call.may(Scope::Operate, id.queue()) {
        return Err(missing());
    }
    app.operations.get(&id).await?.ok_or_else(missing)
}

impl ChangeOut {
    pub(super) const DONE: Self = Self { outcome: "done" };

    pub(super) fn of(change: Change) -> Result<Self> {
        let outcome = match change {
            Change::Done => "done",
            Change::Requested => "requested",
            Change::Missing => return Err(Problem::not_found("it is not there")),
            _ => "unchanged",
        };
        Ok(Self { outcome })
    }
}
