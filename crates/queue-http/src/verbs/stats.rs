//! What workers counted of a queue, slot by slot.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{millis, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue::{Queue, Raw, SeriesReading, SlotLength, TimeHistogram, WorkCounts, WorkOutcome};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};
use utoipa::{IntoParams, ToSchema};

const LAST_MS: u64 = 3_600_000;
/// The most slots of an answer: three days of minutes, and more hours than are kept.
const SLOTS_MAX: u64 = 3 * 24 * 60;
const PERCENTILES: [u8; 3] = [50, 95, 99];

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

/// What workers counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsAnswer)]
pub(crate) struct StatsOut {
    now_ms: i64,
    slot_ms: u64,
    /// The slots in which something was counted.
    slots: Vec<SlotOut>,
    /// Each kind over the whole stretch.
    kinds: Vec<KindOut>,
    /// Entries that could not be read.
    unreadable_entries: usize,
}

/// What was counted in one slot.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SlotOut {
    start_ms: i64,
    #[serde(flatten)]
    counts: CountsOut,
}

/// What was counted of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KindOut {
    kind: String,
    #[serde(flatten)]
    counts: CountsOut,
}

/// Attempts by their outcome, and how long they waited and ran.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Counts)]
pub(crate) struct CountsOut {
    completed: u64,
    failing: u64,
    failed: u64,
    released: u64,
    cancelled: u64,
    stalled: u64,
    /// 50, 95 and 99 in a hundred waited no longer than this.
    wait_ms: Option<[u64; 3]>,
    /// 50, 95 and 99 in a hundred ran no longer than this.
    run_ms: Option<[u64; 3]>,
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
    answer(StatusCode::OK, &StatsOut::of(&reading))
}

impl StatsOut {
    fn of(reading: &SeriesReading) -> Self {
        let length = reading.series.length();
        let slots = reading.series.slots().into_iter().filter(|(slot, _)| reading.slots.contains(slot));
        let slot = |(slot, counts): (i64, WorkCounts)| SlotOut {
            start_ms: stamp(length.starts_at(slot)),
            counts: CountsOut::of(&counts),
        };
        let kinds = reading.series.kinds(reading.slots.clone()).into_iter();
        Self {
            now_ms: stamp(reading.now),
            slot_ms: millis(length.duration()),
            slots: slots.map(slot).collect(),
            kinds: kinds
                .map(|(kind, counts)| KindOut { kind: kind.to_string(), counts: CountsOut::of(&counts) })
                .collect(),
            unreadable_entries: reading.unreadable,
        }
    }
}

impl CountsOut {
    fn of(counts: &WorkCounts) -> Self {
        Self {
            completed: counts.of(WorkOutcome::Completed),
            failing: counts.of(WorkOutcome::Failing),
            failed: counts.of(WorkOutcome::Failed),
            released: counts.of(WorkOutcome::Released),
            cancelled: counts.of(WorkOutcome::Cancelled),
            stalled: counts.of(WorkOutcome::Stalled),
            wait_ms: percentiles(counts.wait()),
            run_ms: percentiles(counts.run()),
        }
    }
}

fn percentiles(histogram: &TimeHistogram) -> Option<[u64; 3]> {
    let [half, most, nearly_all] = PERCENTILES.map(|percent| histogram.percentile(percent).map(millis));
    Some([half?, most?, nearly_all?])
}
