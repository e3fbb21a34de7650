//! What workers counted of a queue, slot by slot.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::millis,
};
use axum::{http::StatusCode, response::Response};
use queue::{Queue, Raw, SlotLength};
use queue_view::WorkView;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use utoipa::{IntoParams, ToSchema};

const LAST_MS: u64 = 3_600_000;
/// The most slots of an answer: three days of minutes, and more hours than are kept.
const SLOTS_MAX: u64 = 3 * 24 * 60;

/// A stretch of time up to now.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StatsParams {
    /// How far back; one hour if absent.
    last_ms: Option<u64>,
    /// `minute` or `hour`; `minute` if absent.
    #[serde(default)]
    #[param(inline)]
    slot: SlotIn,
}

/// The length of a slot.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Slot)]
pub(crate) enum SlotIn {
    #[default]
    Minute,
    Hour,
}

/// `GET /v1/queues/{queue}/stats`
pub(crate) async fn stats(app: Arc<App>, call: Call) -> Result<Response> {
    let queue: Queue<Raw, Raw> = Queue::new(app.storage.clone(), call.queue()?)?;
    let StatsParams { last_ms, slot } = call.query()?;
    let length = match slot {
        SlotIn::Minute => SlotLength::Minute,
        SlotIn::Hour => SlotLength::Hour,
    };
    let last_ms = last_ms.unwrap_or(LAST_MS);
    let most = millis(length.duration()) * SLOTS_MAX;
    if last_ms > most {
        return Err(Problem::invalid(format!("last_ms: at most {most}, not {last_ms}")));
    }
    let reading = queue.series(Duration::from_millis(last_ms), length).await?;
    answer(StatusCode::OK, &WorkView::of(&reading))
}
