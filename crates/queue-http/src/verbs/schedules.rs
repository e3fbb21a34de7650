//! Schedules: how one is made, changed, paused, resumed, run now or removed, and when it fires.

mod input;
mod preview;
mod shown;

pub(crate) use input::ScheduleIn;
pub(crate) use preview::{NextAnswer, NextParams, PreviewIn, next, preview};
pub(crate) use shown::SchedulesOut;

use super::{operations::ChangeOut, queues::Empty};
use crate::{
    access::Scope,
    problem::{Problem, ProblemKind, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::{
    Queue, Raw,
    schedules::{Put, ScheduleStatus, Schedules},
};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The outcome of putting a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PutScheduleAnswer)]
pub(crate) struct PutOut {
    schedule: String,
    /// `created`, `changed`, `unchanged`, or `rescheduled` if it slept beyond its next tick.
    outcome: &'static str,
}

/// The job that was enqueued now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunAnswer)]
pub(crate) struct RunOut {
    id: String,
}

/// `GET /v1/queues/{queue}/schedules`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let found = schedules(&app, &call)?.list().await?;
    answer(StatusCode::OK, &SchedulesOut::of(&found))
}

/// `GET /v1/queues/{queue}/schedules/{schedule}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let status = found(&app, &call).await?;
    let with_payload = call.may(Scope::Payload, &call.open_queue()?);
    answer(StatusCode::OK, &status.whole_view(with_payload))
}

/// `PUT /v1/queues/{queue}/schedules/{schedule}`
///
/// A schedule enqueues jobs of the caller's making, so the caller needs the scope for that too.
pub(crate) async fn put(app: Arc<App>, call: Call) -> Result<Response> {
    let said: ScheduleIn<'_> = call.json()?;
    let queue = call.open_queue()?;
    let limits = app.storage.capabilities().limits;
    let spec = said.checked(name(&call), &app.rules(&limits))?;
    if !call.may(Scope::Produce, &queue) {
        let detail =
            "the token lacks the scope produce for this queue, in which the schedule would enqueue jobs";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let (status, outcome) = match schedules(&app, &call)?.put_spec(spec).await? {
        Put::Created => (StatusCode::CREATED, "created"),
        Put::Changed => (StatusCode::OK, "changed"),
        Put::Rescheduled => (StatusCode::OK, "rescheduled"),
        _ => (StatusCode::OK, "unchanged"),
    };
    answer(status, &PutOut { schedule: name(&call).to_owned(), outcome })
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/pause`
pub(crate) async fn pause(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json()?;
    let changed = schedules(&app, &call)?.pause(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/resume`
pub(crate) async fn resume(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json()?;
    let changed = schedules(&app, &call)?.resume(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/remove`
pub(crate) async fn remove(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json()?;
    let changed = schedules(&app, &call)?.remove(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/run`
pub(crate) async fn run(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json()?;
    let id = schedules(&app, &call)?.run_now(name(&call)).await?.ok_or_else(no_schedule)?;
    answer(StatusCode::OK, &RunOut { id: id.as_str().to_owned() })
}

fn schedules(app: &App, call: &Call) -> Result<Schedules<Raw, Raw>> {
    let queue: Queue<Raw, Raw> = Queue::new(app.storage.clone(), call.open_queue()?)?;
    Ok(queue.schedules())
}

/// The schedule of the path.
async fn found(app: &App, call: &Call) -> Result<ScheduleStatus> {
    schedules(app, call)?.get(name(call)).await?.ok_or_else(no_schedule)
}

fn name(call: &Call) -> &str {
    call.param("schedule").unwrap_or_default()
}

fn no_schedule() -> Problem {
    Problem::not_found("there is no such schedule")
}
