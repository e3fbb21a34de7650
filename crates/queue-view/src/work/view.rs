//! What workers counted of a queue, as JSON.

use super::SeriesReading;
use crate::words::millis;
use queue_core::series::{TimeHistogram, WorkCounts, WorkOutcome};
use serde::Serialize;

/// What workers counted of a queue, as JSON: the answer of `GET /v1/queues/{queue}/stats`, and
/// `last_hour` of `queue stats --json`. Times are store times.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = StatsAnswer))]
pub struct WorkView {
    now_ms: i64,
    slot_ms: u64,
    /// The slots in which something was counted, the oldest first.
    slots: Vec<SlotCountsView>,
    /// Each kind over the whole stretch.
    kinds: Vec<KindCountsView>,
    /// Entries that could not be read.
    unreadable_entries: usize,
}

/// What was counted in one slot.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = SlotCounts))]
pub struct SlotCountsView {
    start_ms: i64,
    #[serde(flatten)]
    counts: WorkCountsView,
}

/// What was counted of one kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = KindCounts))]
pub struct KindCountsView {
    kind: String,
    #[serde(flatten)]
    counts: WorkCountsView,
}

/// Attempts by their outcome, and how long they waited and ran.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WorkCounts))]
pub struct WorkCountsView {
    completed: u64,
    failing: u64,
    failed: u64,
    released: u64,
    cancelled: u64,
    stalled: u64,
    /// 50 % of the attempts waited no longer than this.
    wait_p50_ms: Option<u64>,
    wait_p95_ms: Option<u64>,
    wait_p99_ms: Option<u64>,
    /// How many attempts waited under 1 ms, then 1 ms, 2 to 3 ms, 4 to 7 ms, and so on; without the
    /// zeros at the end.
    wait_buckets: Vec<u64>,
    /// 50 % of the attempts ran no longer than this.
    run_p50_ms: Option<u64>,
    run_p95_ms: Option<u64>,
    run_p99_ms: Option<u64>,
    /// How many attempts ran for so long, as in `wait_buckets`.
    run_buckets: Vec<u64>,
}

impl WorkView {
    /// All of a reading.
    pub fn of(reading: &SeriesReading) -> Self {
        let length = reading.series.length();
        let slots = reading.series.slots().into_iter().filter(|(slot, _)| reading.slots.contains(slot));
        let slots = slots.map(|(slot, counts)| SlotCountsView {
            start_ms: length.starts_at(slot).as_millis(),
            counts: WorkCountsView::of(&counts),
        });
        let kinds = reading.series.kinds(reading.slots.clone()).into_iter();
        let kinds = kinds.map(|(kind, counts)| KindCountsView {
            kind: kind.to_string(),
            counts: WorkCountsView::of(&counts),
        });
        Self {
            now_ms: reading.now.as_millis(),
            slot_ms: millis(length.duration()),
            slots: slots.collect(),
            kinds: kinds.collect(),
            unreadable_entries: reading.unreadable,
        }
    }
}

impl WorkCountsView {
    fn of(counts: &WorkCounts) -> Self {
        let (wait, run) = (counts.wait(), counts.run());
        Self {
            completed: counts.of(WorkOutcome::Completed),
            failing: counts.of(WorkOutcome::Failing),
            failed: counts.of(WorkOutcome::Failed),
            released: counts.of(WorkOutcome::Released),
            cancelled: counts.of(WorkOutcome::Cancelled),
            stalled: counts.of(WorkOutcome::Stalled),
            wait_p50_ms: wait.percentile(50).map(millis),
            wait_p95_ms: wait.percentile(95).map(millis),
            wait_p99_ms: wait.percentile(99).map(millis),
            wait_buckets: buckets(wait),
            run_p50_ms: run.percentile(50).map(millis),
            run_p95_ms: run.percentile(95).map(millis),
            run_p99_ms: run.percentile(99).map(millis),
            run_buckets: buckets(run),
        }
    }
}

/// The buckets of a histogram up to the last one that has something.
fn buckets(histogram: &TimeHistogram) -> Vec<u64> {
    let buckets = histogram.buckets();
    let end = buckets.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    buckets[..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn buckets_end_with_the_last_one_that_has_something() {
        let mut histogram = TimeHistogram::default();
        assert_eq!(buckets(&histogram), Vec::<u64>::new());
        histogram.record(Duration::from_millis(5));
        assert_eq!(buckets(&histogram), [0, 0, 0, 1]);
    }
}
