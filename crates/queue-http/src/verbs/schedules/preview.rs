//! The coming ticks of a schedule, or of one that is not made yet.

use super::{
    found,
    input::{moment, timing},
};
use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
};
use axum::{http::StatusCode, response::Response};
use queue::{
    Clock, SystemClock,
    schedules::{Tick, Timing},
};
use queue_core::Timestamp;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};
use utoipa::{IntoParams, ToSchema};

const COUNT: usize = 10;
/// The most ticks of an answer; each is searched for.
const COUNT_MAX: usize = 100;

/// How many ticks, and from when on.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct NextParams {
    /// How many ticks, 1 to 100; 10 if absent.
    count: Option<usize>,
    /// Ticks after this moment, as in RFC 3339; the present one if absent.
    from: Option<String>,
}

/// When a schedule would fire.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PreviewSchedule)]
pub(crate) struct PreviewIn<'a> {
    /// A pattern of five fields, or six with seconds; in place of `every_ms` and `at`.
    #[serde(borrow)]
    cron: Option<Cow<'a, str>>,
    /// The zone of the pattern; `UTC` if absent.
    #[serde(borrow)]
    zone: Option<Cow<'a, str>>,
    /// The time between two ticks.
    every_ms: Option<u64>,
    /// Single moments, as in RFC 3339.
    #[serde(borrow)]
    at: Option<Vec<Cow<'a, str>>>,
    /// How many ticks, 1 to 100; 10 if absent.
    count: Option<usize>,
    /// Ticks after this moment, as in RFC 3339; the present one if absent.
    #[serde(borrow)]
    from: Option<Cow<'a, str>>,
}

/// Coming ticks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NextAnswer {
    /// When it fires, in words.
    fires: String,
    /// In UTC; fewer than asked for if there are no more, and none while the schedule is paused.
    next: Vec<String>,
}

/// `GET /v1/queues/{queue}/schedules/{schedule}/next`
pub(crate) async fn next(app: Arc<App>, call: Call) -> Result<Response> {
    let NextParams { count, from } = call.query()?;
    let count = checked_count(count)?;
    let status = found(&app, &call).await?;
    let timing = &status.spec().timing;
    let ticks = match from {
        Some(from) => after(timing, moment("from", &from)?, count),
        None => status.next(count),
    };
    tell(timing, &ticks)
}

/// `POST /v1/schedules:preview`
pub(crate) async fn preview(app: Arc<App>, call: Call) -> Result<Response> {
    let said: PreviewIn<'_> = call.json()?;
    let count = checked_count(said.count)?;
    let from = said.from.as_deref().map(|from| moment("from", from)).transpose()?;
    let timing =
        timing(said.cron.as_deref(), said.zone.as_deref(), said.every_ms, said.at.as_deref(), &app.limits)?;
    let ticks = after(&timing, from.unwrap_or_else(|| SystemClock.now()), count);
    tell(&timing, &ticks)
}

fn checked_count(count: Option<usize>) -> Result<usize> {
    match count.unwrap_or(COUNT) {
        count if (1..=COUNT_MAX).contains(&count) => Ok(count),
        _ => Err(Problem::invalid(format!("count: 1 to {COUNT_MAX}"))),
    }
}

fn after(timing: &Timing, from: Timestamp, count: usize) -> Vec<Tick> {
    timing.after(from).take(count).map(Tick::from).collect()
}

fn tell(timing: &Timing, ticks: &[Tick]) -> Result<Response> {
    let next = ticks.iter().map(Tick::to_string).collect();
    answer(StatusCode::OK, &NextAnswer { fires: timing.to_string(), next })
}
