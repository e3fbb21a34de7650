//! Schedules: what there is, and how one is paused, resumed, run now or removed. They are made by
//! programs and by the `queue` command, which know their patterns and zones.

use super::{operations::ChangeOut, queues::Empty};
use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::{
    Queue, Raw,
    schedules::{ScheduleStatus, Schedules, Tick},
};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// How many of the next ticks are told.
const NEXT: usize = 5;

/// The schedules of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SchedulesAnswer)]
pub(crate) struct SchedulesOut {
    schedules: Vec<ScheduleOut>,
}

/// A schedule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Schedule)]
pub(crate) struct ScheduleOut {
    schedule: String,
    /// When it fires, in words.
    fires: String,
    /// `on`, `paused` or `failed`.
    state: &'static str,
    /// The kind of the jobs that it enqueues.
    kind: String,
    /// Declared by a program, and not made by hand.
    declared: bool,
    /// The next ticks, in UTC.
    next: Vec<String>,
    last_run: Option<String>,
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
    let out = SchedulesOut { schedules: found.iter().map(ScheduleOut::of).collect() };
    answer(StatusCode::OK, &out)
}

/// `GET /v1/queues/{queue}/schedules/{schedule}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let found = schedules(&app, &call)?.get(name(&call)).await?;
    answer(StatusCode::OK, &ScheduleOut::of(&found.ok_or_else(no_schedule)?))
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/pause`
pub(crate) async fn pause(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json(&app)?;
    let changed = schedules(&app, &call)?.pause(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/resume`
pub(crate) async fn resume(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json(&app)?;
    let changed = schedules(&app, &call)?.resume(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/remove`
pub(crate) async fn remove(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json(&app)?;
    let changed = schedules(&app, &call)?.remove(name(&call)).await?;
    answer(StatusCode::OK, &ChangeOut::of(changed)?)
}

/// `POST /v1/queues/{queue}/schedules/{schedule}/run`
pub(crate) async fn run(app: Arc<App>, call: Call) -> Result<Response> {
    let Empty {} = call.json(&app)?;
    let id = schedules(&app, &call)?.run_now(name(&call)).await?.ok_or_else(no_schedule)?;
    answer(StatusCode::OK, &RunOut { id: id.as_str().to_owned() })
}

fn schedules(app: &App, call: &Call) -> Result<Schedules<Raw, Raw>> {
    let queue: Queue<Raw, Raw> = Queue::new(app.storage.clone(), call.open_queue()?)?;
    Ok(queue.schedules())
}

fn name(call: &Call) -> &str {
    call.param("schedule").unwrap_or_default()
}

fn no_schedule() -> Problem {
    Problem::not_found("there is no such schedule")
}

impl ScheduleOut {
    fn of(status: &ScheduleStatus) -> Self {
        let spec = status.spec();
        let state = match (status.is_failed(), status.is_paused()) {
            (true, _) => "failed",
            (false, true) => "paused",
            (false, false) => "on",
        };
        Self {
            schedule: status.name().to_owned(),
            fires: spec.timing.to_string(),
            state,
            kind: spec.job.kind().to_owned(),
            declared: spec.declared,
            next: status.next(NEXT).iter().map(Tick::to_string).collect(),
            last_run: status.last_run().map(|tick| tick.to_string()),
        }
    }
}
